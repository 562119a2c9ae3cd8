/** `holdfast run` and `holdfast resume`: one conversation, from its beginning to its record. */
import { resolve } from "node:path"
import { type AllowedTool, type Holdfast, isFailure, type PromptInput } from "@holdfast/sdk"
import { type Delivery, findTextFault, type PromptReceipt } from "@holdfast/schema/prompt"
import type { RestartPolicy, SessionInfo } from "@holdfast/schema/session"
import { type Beginning, converse } from "./conversation/conversation.ts"
import { withDeadline } from "./conversation/deadline.ts"
import { clip } from "./figures.ts"
import { readImages } from "./images/read-images.ts"
import { warnOfCutInstructions } from "./instructions.ts"
import { type Opened, openForCommand, type OpenOptions } from "./opened.ts"
import { exitCodeOf, UsageError } from "./outcome.ts"
import { closingLines, modelNotice, unseenNotice } from "./summary.ts"
import type { Terminal } from "./terminal.ts"
import { makeTranscript } from "./conversation/transcript.ts"

export interface CommonOptions {
  /** When the work is interrupted, if it is not over before. */
  readonly deadline?: number
  readonly json?: boolean
  readonly dataDir?: string
  readonly allow?: readonly AllowedTool[]
  readonly server?: boolean
}

export interface RunOptions extends CommonOptions {
  readonly session?: string
  readonly dir?: string
  readonly model?: string
  readonly delivery?: Delivery
  readonly onRestart?: RestartPolicy
  /** Files that go with the prompt. */
  readonly image?: readonly string[]
}

const titleCharactersMax = 60

export async function runPrompt(terminal: Terminal, argument: string, options: RunOptions): Promise<number> {
  const text = argument === "-" ? await terminal.readInput() : argument
  const fault = findTextFault(text)
  if (fault !== null) throw new UsageError(fault.message)
  const images = await readImages(terminal, options.image ?? [])
  return runConversation(terminal, options, async (holdfast) => {
    const session = await sessionFor(holdfast, terminal, text, options)
    const sessionID = session.id
    const begin = async () => {
      const { delivery = "steer" } = options
      const prompt = { sessionID, text, delivery, ...(images.length > 0 && { images }) }
      return (await sendPrompt(holdfast, prompt, options.session === undefined)).prompt
    }
    return { session, begin }
  })
}

/** Where a prompt is refused, a Session that was made for it goes too: nothing was admitted. */
async function sendPrompt(
  { sessions }: Holdfast,
  prompt: PromptInput,
  made: boolean,
): Promise<PromptReceipt> {
  try {
    return await sessions.prompt(prompt)
  } catch (failure) {
    const refused =
      isFailure(failure, "PromptRefused") ||
      (isFailure(failure, "ClientError") && failure.reason === "refused")
    if (made && refused) await sessions.delete({ sessionID: prompt.sessionID })
    throw failure
  }
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
  const json = options.json === true
  let opened = await openForCommand(terminal, openOptions(options))
  try {
    const { session, begin } = await prepare(opened.holdfast)
    await tellModel(terminal, opened, session, options)
    await warnOfCutInstructions(terminal, session.location.directory)
    const transcript = makeTranscript(terminal)
    const deadline = withDeadline(terminal, options.deadline)
    const after = session.turns === 0 && options.session === undefined ? 0 : session.seq
    let beginning: Beginning = { sessionID: session.id, since: after, after, begin }
    for (;;) {
      const conversed = await converse(opened, deadline.terminal, json, transcript, beginning)
      if (conversed.kind === "settled") {
        const record = deadline.told(conversed.record)
        if (json) terminal.write(`${JSON.stringify(record)}\n`)
        else for (const line of closingLines(terminal, record, options.dataDir)) transcript.line(line)
        return exitCodeOf(record)
      }
      // Whoever serves next, or this process, settles what the server left open.
      terminal.complain(`The server at ${opened.server?.url} has gone; going on without it.`)
      await opened.close()
      opened = await openForCommand(terminal, openOptions(options))
      beginning = { ...beginning, after: conversed.last, begin: async () => conversed.prompt }
    }
  } finally {
    await opened.close()
  }
}

async function tellModel(
  terminal: Terminal,
  opened: Opened,
  session: SessionInfo,
  { json, image = [] }: RunOptions,
): Promise<void> {
  const model = await opened.holdfast.sessions.model({ sessionID: session.id })
  const unseen = image.length > 0 && !model.images ? unseenNotice(model) : null
  for (const line of [modelNotice(model, opened.configured), opened.server?.notice ?? null, unseen]) {
    if (line === null) continue
    if (json === true) terminal.complain(line)
    else terminal.write(`${terminal.paint("dim", line)}\n`)
  }
}

function openOptions(options: RunOptions): OpenOptions {
  return {
    answers: true,
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.allow === undefined ? {} : { allow: options.allow }),
    ...(options.server === undefined ? {} : { server: options.server }),
  }
}

async function sessionFor(
  holdfast: Holdfast,
  terminal: Terminal,
  text: string,
  options: RunOptions,
): Promise<SessionInfo> {
  const { session: sessionID, model, onRestart: policy } = options
  if (sessionID === undefined) {
    return holdfast.sessions.create({
      directory: resolve(terminal.directory, options.dir ?? "."),
      title: clip(text, titleCharactersMax),
      ...(model === undefined ? {} : { model }),
      ...(policy === undefined ? {} : { policy }),
    })
  }
  const { sessions } = holdfast
  if (policy !== undefined) await sessions.update({ sessionID, policy })
  return model === undefined ? sessions.get({ sessionID }) : sessions.switchModel({ sessionID, model })
}
