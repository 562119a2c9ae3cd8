/** `holdfast run` and `holdfast resume`: one conversation, from its beginning to its record. */
import type { AllowedTool, Holdfast } from "@holdfast/sdk"
import type { Delivery } from "@holdfast/schema/prompt"
import { findTextFault } from "@holdfast/schema/prompt"
import type { SessionInfo } from "@holdfast/schema/session"
import { formatModelRef } from "@holdfast/schema/model"
import { type Beginning, converse } from "./conversation.ts"
import { clip } from "./figures.ts"
import { openForCommand, type OpenOptions } from "./opened.ts"
import { exitCodeOf, UsageError } from "./outcome.ts"
import { closingLines, modelNotice } from "./summary.ts"
import type { Terminal } from "./terminal.ts"

export interface CommonOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly allow?: readonly AllowedTool[]
}

export interface RunOptions extends CommonOptions {
  readonly session?: string
  readonly dir?: string
  readonly model?: string
  readonly delivery?: Delivery
}

const titleCharactersMax = 60

export async function runPrompt(terminal: Terminal, argument: string, options: RunOptions): Promise<number> {
  const text = argument === "-" ? await terminal.readInput() : argument
  const fault = findTextFault(text)
  if (fault !== null) throw new UsageError(fault.message)
  return runConversation(terminal, options, async (holdfast) => {
    const session = await sessionFor(holdfast, terminal, text, options)
    const sessionID = session.id
    const begin = async () => {
      const { delivery = "steer" } = options
      return (await holdfast.sessions.prompt({ sessionID, text, delivery })).prompt
    }
    return { session, begin }
  })
}

export async function resumeSession(
  terminal: Terminal,
  sessionID: string,
  options: CommonOptions,
): Promise<number> {
  return runConversation(terminal, { ...options, session: sessionID }, async (holdfast) => ({
    session: await holdfast.sessions.get({ sessionID }),
    begin: async () => {
      await holdfast.sessions.resume({ sessionID })
      return null
    },
  }))
}

type Prepare = (
  holdfast: Holdfast,
) => Promise<{ readonly session: SessionInfo; readonly begin: Beginning["begin"] }>

async function runConversation(terminal: Terminal, options: RunOptions, prepare: Prepare): Promise<number> {
  const opened = await openForCommand(terminal, openOptions(options))
  try {
    const { holdfast } = opened
    const json = options.json === true
    const { session, begin } = await prepare(holdfast)
    const model = session.model === null ? {} : { model: formatModelRef(session.model) }
    const notice = modelNotice(await holdfast.models.get(model), opened.configured)
    if (json) terminal.complain(notice)
    else terminal.write(`${terminal.paint("dim", notice)}\n`)
    const after = session.turns === 0 && options.session === undefined ? 0 : session.seq
    const { record, transcript } = await converse(holdfast, terminal, json, {
      sessionID: session.id,
      after,
      begin,
    })
    if (json) terminal.write(`${JSON.stringify(record)}\n`)
    else for (const line of closingLines(terminal, record, options.dataDir)) transcript.line(line)
    return exitCodeOf(record)
  } finally {
    await opened.close()
  }
}

function openOptions(options: RunOptions): OpenOptions {
  return {
    answers: true,
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.allow === undefined ? {} : { allow: options.allow }),
    ...(options.session === undefined ? {} : { sessionID: options.session }),
  }
}

async function sessionFor(
  holdfast: Holdfast,
  terminal: Terminal,
  text: string,
  options: RunOptions,
): Promise<SessionInfo> {
  const { session: sessionID, model } = options
  if (sessionID === undefined) {
    return holdfast.sessions.create({
      directory: options.dir ?? terminal.directory,
      title: clip(text, titleCharactersMax),
      ...(model === undefined ? {} : { model }),
    })
  }
  return model === undefined
    ? holdfast.sessions.get({ sessionID })
    : holdfast.sessions.switchModel({ sessionID, model })
}
