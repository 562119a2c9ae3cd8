/** `holdfast run` and `holdfast resume`: one conversation, from its beginning to its record. */
import { resolve } from "node:path"
import {
  type AllowRule,
  describeAgents,
  describeSkills,
  isFailure,
  type OnAsk,
  projectWarnings,
  type PromptReceipt,
  readTypedPrompt,
  type Session,
  type SessionsOperations,
  type SessionsPromptInput,
  type TypedPrompt,
} from "@holdfast/sdk"
import { type Delivery, findTextFault } from "@holdfast/schema/prompt"
import type { RestartPolicy } from "@holdfast/schema/session"
import { canPrompt, promptForAnswers, withAsks } from "./asking/prompting.ts"
import { type Beginning, converse } from "./conversation/conversation.ts"
import { withDeadline } from "./conversation/deadline.ts"
import { singleQuoted } from "./completion/sessions-command.ts"
import { unsettledCalls } from "./conversation/open-calls.ts"
import { openScreen, type Screen } from "./conversation/screen.ts"
import { waitingCause, waitingNote } from "./conversation/waiting-note.ts"
import { findSession } from "./input/ids.ts"
import { readImages } from "./images/read-images.ts"
import { askOfCopy } from "./memory/copy.ts"
import { warnOfInstructions } from "./instructions.ts"
import { type Opened, openForCommand, type OpenOptions, warn } from "./opened.ts"
import { exitCode } from "./outcome/exit-code.ts"
import { exitCodeOf, type FinalRecord, UsageError } from "./outcome/outcome.ts"
import { listItems } from "./list-items.ts"
import { type BudgetOptions, budgetChange, unpricedNotice } from "./sessions/budget.ts"
import { newestSession } from "./sessions/newest.ts"
import { readText } from "./input/standard-input.ts"
import { offlineName } from "./offline/offline.ts"
import { closingLines, modelNotice, rememberedNotice, unseenNotice } from "./summary.ts"
import type { Terminal } from "./terminal.ts"
import { wrapFor } from "./text-width.ts"

export interface CommonOptions extends BudgetOptions {
  /** When the work is interrupted, if it is not over before. */
  readonly deadline?: number
  readonly json?: boolean
  readonly dataDir?: string
  readonly allow?: readonly AllowRule[]
  /** Whether somebody can answer (PE4). */
  readonly onAsk?: OnAsk
  /** Shows what Holdfast tells the model in between (EP11). */
  readonly system?: boolean
  readonly server?: boolean
}

export interface RunOptions extends CommonOptions {
  readonly session?: string
  /** Goes on with the Session of the directory that was used last. */
  readonly continue?: boolean
  readonly dir?: string
  readonly model?: string
  readonly agent?: string
  readonly delivery?: Delivery
  readonly onRestart?: RestartPolicy
  /** Files that go with the prompt. */
  readonly image?: readonly string[]
  /** Asks the sidekick first. */
  readonly sidekick?: boolean
  /** Leaves the work to a server. */
  readonly detach?: boolean
}

/** `words` belong to a command, as in `/review src/`; any other text is one argument. */
export async function runPrompt(
  terminal: Terminal,
  argument: string,
  words: readonly string[],
  options: RunOptions,
): Promise<number> {
  const { text, calls } = await typedPrompt(terminal, argument, words, options)
  const fault = findTextFault(text)
  if (fault !== null) throw new UsageError(fault.message)
  const images = await readImages(terminal, options.image ?? [])
  const body: TypedBody = { text, ...(images.length > 0 && { images }), ...(calls.length > 0 && { calls }) }
  if (options.detach === true) return leavePrompt(terminal, body, options)
  return runConversation(terminal, options, async (opened, say) => {
    const { sessions } = opened.holdfast
    const { session, made } = await sessionFor(opened, terminal, options)
    const begin = async () => {
      const receipt = await sendPrompt(sessions, promptOf(session, body, options), made)
      const note = await noteOf(sessions, session, receipt)
      if (note !== null) say(note)
      return receipt.prompt
    }
    return { session, made, begin }
  })
}

type TypedBody = Pick<SessionsPromptInput, "text" | "images" | "calls">

/** What comes by standard input is material: nothing in it names a file or a command. */
async function typedPrompt(
  terminal: Terminal,
  argument: string,
  words: readonly string[],
  options: RunOptions,
): Promise<Extract<TypedPrompt, { kind: "text" }>> {
  if (!argument.startsWith("/") && words.length > 0) {
    throw new UsageError(
      `too many arguments for 'run'. Expected 1 argument but got ${words.length + 1}. Put the text in quotes. See holdfast run --help.`,
    )
  }
  if (argument === "-") return { kind: "text", text: await readText(terminal, argument), calls: [] }
  const { environment } = terminal
  const directory = directoryOf(terminal, options)
  const typed = await readTypedPrompt([argument, ...words].join(" "), { environment, directory })
  if (typed.kind === "refused") throw new UsageError(typed.message)
  return typed
}

/** What the prompt waits for, if it does. */
async function noteOf(
  sessions: SessionsOperations,
  { id: sessionID, status }: Session,
  receipt: PromptReceipt,
): Promise<string | null> {
  if (waitingCause(status, receipt.delivery) === null) return null
  const inbox = await listItems((page) => sessions.inbox({ sessionID, ...page }))
  return waitingNote(status, inbox, receipt)
}

const promptOf = (
  { id: sessionID }: Session,
  body: TypedBody,
  { delivery = "steer", sidekick = false }: RunOptions,
): SessionsPromptInput => ({ sessionID, ...body, delivery, ...(sidekick && { sidekick }) })

/** `run --detach`: the prompt is admitted, and a server does the rest. */
async function leavePrompt(terminal: Terminal, body: TypedBody, options: RunOptions): Promise<number> {
  const opened = await openForCommand(terminal, openOptions(terminal, options))
  try {
    if (opened.server === null) {
      throw new UsageError(
        "No server runs on this data directory, so nobody would do the work. Start one with holdfast serve, or leave out --detach.",
      )
    }
    const { sessions } = opened.holdfast
    const { session, made } = await sessionFor(opened, terminal, options)
    await tellModel(terminal, opened, session, options)
    const receipt = await sendPrompt(sessions, promptOf(session, body, options), made)
    const { prompt, delivery } = receipt
    const note = await noteOf(sessions, session, receipt)
    const data = options.dataDir === undefined ? "" : ` --data-dir ${singleQuoted(options.dataDir)}`
    terminal.write(
      options.json === true
        ? `${JSON.stringify({ type: "detached", session: session.id, prompt, delivery })}\n`
        : `${note ?? "The server works on it."} Follow it with: holdfast attach ${session.id}${data}\n`,
    )
    return 0
  } finally {
    await opened.close()
  }
}

/** Where a prompt is refused, a Session that was made for it goes too: nothing was admitted. */
async function sendPrompt(
  sessions: SessionsOperations,
  prompt: SessionsPromptInput,
  made: boolean,
): Promise<PromptReceipt> {
  try {
    return await sessions.prompt(prompt)
  } catch (failure) {
    const refused = isFailure(failure, "PromptRefused") || isFailure(failure, "RequestTooLarge")
    if (made && refused) await sessions.delete({ sessionID: prompt.sessionID })
    throw failure
  }
}

export async function resumeSession(
  terminal: Terminal,
  given: string,
  options: CommonOptions,
): Promise<number> {
  return runConversation(terminal, { ...options, session: given }, async (opened) => {
    const { sessions } = opened.holdfast
    const { session } = await sessionFor(opened, terminal, { ...options, session: given })
    const begin = async () => {
      await sessions.resume({ sessionID: session.id })
      return null
    }
    return { session, made: false, begin }
  })
}

/** `say` tells a line that belongs to the conversation. Null where there is nothing to follow. */
type Prepare = (
  opened: Opened,
  say: (line: string) => void,
) => Promise<(ChosenSession & { readonly begin: Beginning["begin"] }) | null>

interface ChosenSession {
  readonly session: Session
  /** Whether it was made for this run. */
  readonly made: boolean
}

/** From its beginning to the exit code; at a terminal with what is asked on the way. */
export async function runConversation(
  given: Terminal,
  options: RunOptions,
  prepare: Prepare,
): Promise<number> {
  const json = options.json === true
  const screen = openScreen(given, { system: options.system === true })
  const { terminal } = screen
  let opened = await openForCommand(terminal, openOptions(terminal, options))
  try {
    const say = json ? terminal.complain : (line: string) => screen.line(terminal.paint("dim", line))
    const prepared = await prepare(opened, say)
    if (prepared === null) return exitCode.done
    const { session, made, begin } = prepared
    await tellModel(terminal, opened, session, options)
    await warnOfInstructions(terminal, session.location.directory, options)
    await warnOfProject(terminal, session.location.directory)
    const deadline = withDeadline(terminal, options.deadline)
    if (!made) screen.expect(await unsettledCalls(opened.holdfast.sessions, session.id))
    const after = made ? 0 : session.seq
    let beginning: Beginning = { sessionID: session.id, since: after, after, begin }
    let left: ReadonlySet<string> = new Set()
    for (;;) {
      const conversed = await converse(opened, deadline.terminal, json, screen, beginning)
      beginning = { ...beginning, after: conversed.last, begin: async () => conversed.prompt }
      if (conversed.kind === "settled") {
        const { record } = conversed
        if (record.status === "asking" && (await canPrompt(terminal, json))) {
          const asked = await promptForAnswers(
            opened.holdfast,
            deadline.terminal,
            screen.line,
            session.id,
            left,
          )
          left = asked.left
          if (asked.freed) continue
        }
        screen.close()
        if (made) await askOfCopy(terminal, opened.holdfast, session.location.directory, options)
        return tellEnd(terminal, screen, await withAsks(opened.holdfast, deadline.told(record)), options)
      }
      // Whoever serves next, or this process, settles what the server left open.
      terminal.complain(`The server at ${opened.server?.url} has gone; going on without it.`)
      await opened.close()
      opened = await openForCommand(terminal, openOptions(terminal, options))
    }
  } finally {
    screen.close()
    await opened.close()
  }
}

/** A project's file comes with what was cloned; a directory that is gone is told of by the turn. */
async function warnOfProject(terminal: Terminal, directory: string): Promise<void> {
  const { environment } = terminal
  const nothing = () => ({ problems: [] })
  const [found, agents, skills] = await Promise.all([
    projectWarnings({ environment, directory }).catch(() => []),
    describeAgents({ environment, directory }).catch(nothing),
    describeSkills({ environment, directory }).catch(nothing),
  ])
  for (const warning of [...found, ...agents.problems, ...skills.problems]) warn(terminal, warning)
}

/** The last words of a run, and its exit code. */
function tellEnd(
  terminal: Terminal,
  { line }: Pick<Screen, "line">,
  record: FinalRecord,
  options: CommonOptions,
): number {
  if (options.json === true) terminal.write(`${JSON.stringify(record)}\n`)
  else for (const text of closingLines(terminal, record, options)) line(text)
  return exitCodeOf(record)
}

async function tellModel(
  terminal: Terminal,
  opened: Opened,
  session: Session,
  { json, allow, image = [] }: RunOptions,
): Promise<void> {
  const model = await opened.holdfast.sessions.model({ sessionID: session.id })
  const unseen = image.length > 0 && !model.images ? unseenNotice(model) : null
  const tools = rememberedNotice(session.allow, allow)
  const unpriced = unpricedNotice(model, session.budget)
  const who = modelNotice(model, model.provider !== offlineName || (await opened.configured()))
  for (const line of [who, opened.server?.notice ?? null, tools, unseen, unpriced]) {
    if (line === null) continue
    if (json === true) terminal.complain(line)
    else terminal.write(`${terminal.paint("dim", wrapFor(terminal, line))}\n`)
  }
}

function openOptions(terminal: Terminal, options: RunOptions): OpenOptions {
  return {
    purpose: "work",
    directory: directoryOf(terminal, options),
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.server === undefined ? {} : { server: options.server }),
  }
}

const directoryOf = (terminal: Terminal, { dir = "." }: RunOptions): string =>
  resolve(terminal.directory, dir)

/** What a Session that `run` makes does where somebody would have to be asked, unless it is told otherwise (PE4). */
const headlessOnAsk: OnAsk = "deny"

/** What the options change about the Session is written before anything is sent. */
async function sessionFor(
  { holdfast: { sessions, locations }, server }: Opened,
  terminal: Terminal,
  options: RunOptions,
): Promise<ChosenSession> {
  const { model, agent, onRestart: policy, allow, onAsk } = options
  const directory = directoryOf(terminal, options)
  const changes = {
    ...(policy !== undefined && { policy }),
    ...(allow !== undefined && { allow }),
    ...(onAsk !== undefined && { onAsk }),
    ...budgetChange(options),
  }
  const sessionID = await chosenSession(sessions, directory, options)
  if (sessionID === null) {
    // In this process it is known: Holdfast was opened with it.
    if (server !== null) await locations.open({ directory })
    const chosen = { ...(model !== undefined && { model }), ...(agent !== undefined && { agent }) }
    const session = await sessions.create({ directory, onAsk: headlessOnAsk, ...changes, ...chosen })
    return { session, made: true }
  }
  if (Object.keys(changes).length > 0) await sessions.update({ sessionID, ...changes })
  if (agent !== undefined) await sessions.switchAgent({ sessionID, agent })
  const session = await (model === undefined
    ? sessions.get({ sessionID })
    : sessions.switchModel({ sessionID, model }))
  return { session, made: false }
}

async function chosenSession(
  sessions: SessionsOperations,
  directory: string,
  options: RunOptions,
): Promise<string | null> {
  if (options.session !== undefined) return findSession(sessions, options.session)
  return options.continue === true ? (await newestSession(sessions, directory)).id : null
}
