/**
 * `holdfast attach`: follows a Session live, and leaves it alone. Ctrl-C detaches; the Session
 * goes on.
 *
 *   open ─▶ follow the server ─ it goes away ─▶ follow the store ─ a server comes ─▶ follow it
 *              ├─ Ctrl-C ─▶ 0
 *              ├─ it asks, and a person types here ─▶ their answers ─▶ follow on
 *              └─ --until-idle, nothing runs any more ─▶ the record of a run
 *
 * Each stretch begins after the last sequence of the one before. The store shows what any process
 * commits, so that a Session is seen to go on whoever leads it; only a server brings live text. Only
 * where there is one are answers taken: else nobody would go on with the work.
 */
import { setTimeout as pause } from "node:timers/promises"
import { type Ask, dataDirectoryOf, type Event, type HoldfastClient, isFailure } from "@holdfast/sdk"
import { canPrompt, listOpenAsks, promptForAnswers, withAsks } from "../asking/prompting.ts"
import { settle } from "./conversation.ts"
import { followDurable, followLive, showRest } from "./following.ts"
import { pasteable } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { type Opened, openForCommand } from "../opened.ts"
import { exitCodeOf, type FinalRecord, recordOf } from "../outcome/outcome.ts"
import { findMisfit, findServer } from "../server/place.ts"
import { askHints, closingLines } from "../summary.ts"
import type { Terminal } from "../terminal.ts"
import { lastScreen } from "./last-screen.ts"
import { unsettledCalls } from "./open-calls.ts"
import { openScreen, type Screen } from "./screen.ts"
import type { Transcript } from "./transcript.ts"

export interface AttachOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly server?: boolean
  readonly untilIdle?: boolean
  /** Shows what Holdfast tells the model in between (EP11). */
  readonly system?: boolean
}

/** How long somebody may take to go on with unfinished work before a follower that must end gives up. */
const successorMsMax = 30_000
const lookAgainMs = 250

/** What ended a stretch of following. */
type End =
  | { readonly kind: "detached" }
  | { readonly kind: "idle"; readonly record: FinalRecord }
  /** The server has gone. */
  | { readonly kind: "lost" }
  /** A server has come. */
  | { readonly kind: "served" }
  /** It asks what the person who looks on can answer. */
  | { readonly kind: "asking" }

export async function attachSession(given: Terminal, named: string, options: AttachOptions): Promise<number> {
  const detached = new AbortController()
  const release = given.onStop(() => detached.abort())
  const transcript = openScreen(given, { prompts: true, system: options.system === true })
  const { terminal } = transcript
  const show = (event: Event) => {
    if (options.json === true) terminal.write(`${JSON.stringify({ type: "event", ...event })}\n`)
    else transcript.takeDurable(event)
  }
  try {
    const prompts = await canPrompt(terminal, options.json === true)
    const shown = {
      transcript,
      show,
      detached: detached.signal,
      dataDirectory: dataOf(terminal, options),
      prompts,
    }
    let sessionID: string | null = null
    let left: ReadonlySet<string> = new Set()
    for (let start: Start = { after: null, idleFromMs: 0 }; ;) {
      const opened = await openForCommand(terminal, { ...options, purpose: "look" })
      const stretch = async () => {
        sessionID ??= await begin(opened, transcript, named, options)
        const followed = await follow(opened, sessionID, start, options, { ...shown, left })
        if (followed.end.kind === "asking")
          left = (await promptForAnswers(opened.holdfast, terminal, transcript.line, sessionID, left)).left
        return followed
      }
      // Also after a failure: a store that stays open would keep the process alive.
      const { end, last } = await stretch()
        .catch((failure: unknown) => ({ end: lossOf(opened, failure), last: start.after }))
        .finally(opened.close)
      if (end.kind === "detached") return tellDetached(terminal, transcript, sessionID ?? named, options)
      if (end.kind === "idle") return tellIdle(terminal, transcript, end.record, options)
      if (end.kind === "asking") {
        start = { ...start, after: last }
        continue
      }
      start = { after: last, idleFromMs: performance.now() + successorMsMax }
      terminal.complain(tellMove(opened, end.kind, options))
    }
  } finally {
    transcript.close()
    release()
  }
}

/** The whole id of the Session; a person is shown what was said before. */
async function begin(
  { holdfast }: Opened,
  screen: Screen,
  named: string,
  { json, system = false }: AttachOptions,
): Promise<string> {
  const { sessions } = holdfast
  const sessionID = await findSession(sessions, named)
  if (json === true) return sessionID
  const { turn } = await findOpenTurn(holdfast, sessionID)
  const lines = await lastScreen(screen.terminal, sessions, sessionID, { turn, system })
  for (const line of lines) screen.line(line)
  screen.expect(await unsettledCalls(sessions, sessionID))
  return sessionID
}

/** Where a stretch begins: null is the turn that is open, if one is. */
interface Start {
  readonly after: number | null
  /** Work that is not done and that nobody does counts as idle from this moment on. */
  readonly idleFromMs: number
}

interface Shown {
  readonly transcript: Transcript
  readonly show: (event: Event) => void
  readonly detached: AbortSignal
  readonly dataDirectory: string
  /** Whether the person who looks on can be asked. */
  readonly prompts: boolean
  /** Asks that they left open. */
  readonly left: ReadonlySet<string>
}

/** Follows as long as this instance answers, or until there is a better one. */
async function follow(
  { holdfast, server }: Opened,
  sessionID: string,
  { after, idleFromMs }: Start,
  options: AttachOptions,
  { transcript, show, detached, dataDirectory, prompts, left }: Shown,
): Promise<{ readonly end: End; readonly last: number }> {
  const { json, untilIdle, server: mayUseServer } = options
  const open = await findOpenTurn(holdfast, sessionID)
  const start = after ?? open.beforeSeq
  const tellAsks = (asks: readonly Ask[]) => {
    if (json !== true && untilIdle !== true) for (const line of askHints(asks, options)) transcript.line(line)
  }
  const asking = watchAsking(holdfast, sessionID, left, prompts && server !== null ? null : tellAsks)
  const durable = followDurable(holdfast, sessionID, start, (event) => {
    show(event)
    asking.take(event)
  })
  const live = followLive(holdfast, sessionID, json === true ? () => {} : transcript.takeLive)
  const over = new AbortController()
  const ends: Promise<End>[] = [
    new Promise((resolve) => {
      if (detached.aborted) resolve({ kind: "detached" })
      detached.addEventListener("abort", () => resolve({ kind: "detached" }))
    }),
    durable.ended.then((): End => ({ kind: "lost" })),
    asking.ended,
  ]
  // The live stream ends with its server; that of this process ends with this process.
  if (server !== null) ends.push(live.ended.then((): End => ({ kind: "lost" })))
  else if (mayUseServer !== false) ends.push(untilServed(dataDirectory, over.signal))
  if (untilIdle === true)
    ends.push(untilAllDone(holdfast, sessionID, idleFromMs, asking.answerable, over.signal))
  const end = await Promise.race(ends)
    .catch((failure: unknown) => lossOf({ server }, failure))
    .finally(() => over.abort())
  await live.stop()
  await durable.stop().catch(() => {}) // it was one of the ends, and has been heard
  if (end.kind === "idle") await showRest(holdfast, sessionID, durable.last(), show)
  return { end, last: durable.last() }
}

/** A server that cannot be reached any more has gone; any other failure is one. */
function lossOf({ server }: Pick<Opened, "server">, failure: unknown): End {
  if (server !== null && isFailure(failure, "ClientError") && failure.reason.kind === "transport")
    return { kind: "lost" }
  throw failure
}

/** The turn that runs now, and the sequence before its start; without one, the end of the log. */
async function findOpenTurn(
  { sessions }: HoldfastClient,
  sessionID: string,
): Promise<{ readonly turn: string | null; readonly beforeSeq: number }> {
  const { seq, status } = await sessions.get({ sessionID })
  if (status.state !== "running" && status.state !== "waiting") return { turn: null, beforeSeq: seq }
  const newest = (await listItems((page) => sessions.turns({ sessionID, ...page }))).at(-1)
  return newest === undefined || newest.settled !== null
    ? { turn: null, beforeSeq: seq }
    : { turn: newest.started.turn, beforeSeq: newest.startedSeq - 1 }
}

interface AskWatch {
  readonly take: (event: Event) => void
  /** Whether somebody can answer here what is open. */
  readonly answerable: () => Promise<boolean>
  /** Resolves when it asks something that can be answered here. */
  readonly ended: Promise<End>
}

/** `tell` is called with what is open where nobody can be asked; null where somebody can. */
function watchAsking(
  holdfast: HoldfastClient,
  sessionID: string,
  left: ReadonlySet<string>,
  tell: ((asks: readonly Ask[]) => void) | null,
): AskWatch {
  const ended = Promise.withResolvers<End>()
  const fresh = async () => (await listOpenAsks(holdfast, sessionID)).filter(({ id }) => !left.has(id))
  const look = async () => {
    const { status } = await holdfast.sessions.get({ sessionID })
    const asks = status.state === "asking" ? await fresh() : []
    if (asks.length === 0) return
    if (tell === null) ended.resolve({ kind: "asking" })
    else tell(asks)
  }
  const lookQuietly = () => void look().catch(() => {}) // whoever follows hears that nothing can be reached
  lookQuietly()
  return {
    take: ({ fact }) => {
      if (fact.type === "turn.settled" && fact.status === "asking") lookQuietly()
    },
    answerable: async () => tell === null && (await fresh()).length > 0,
    ended: ended.promise,
  }
}

/** A server that this command can use has come. */
async function untilServed(dataDirectory: string, over: AbortSignal): Promise<End> {
  for (;;) {
    await pause(lookAgainMs, undefined, { signal: over })
    const running = await findServer(dataDirectory)
    if (running !== null && findMisfit(running) === null) return { kind: "served" }
  }
}

/** Nothing runs any more; what is not done is waited for as long as somebody may still take it up. */
async function untilAllDone(
  holdfast: HoldfastClient,
  sessionID: string,
  idleFromMs: number,
  answerable: () => Promise<boolean>,
  over: AbortSignal,
): Promise<End> {
  for (;;) {
    const result = await settle(holdfast, sessionID, null)
    if (result.status === "done" || (performance.now() >= idleFromMs && !(await answerable())))
      return { kind: "idle", record: await withAsks(holdfast, recordOf(result, null)) }
    await pause(lookAgainMs, undefined, { signal: over })
  }
}

const dataOf = ({ environment }: Terminal, { dataDir }: AttachOptions): string =>
  dataDirectoryOf({ environment, ...(dataDir === undefined ? {} : { dataDir }) })

function tellMove({ server }: Opened, kind: "lost" | "served", options: AttachOptions): string {
  if (kind === "served") return "There is a server; following it."
  if (server === null) return "The events have ended; looking for the Session again."
  return pasteable(
    `The server at ${server.url} has gone; following what is stored. Ctrl-C leaves, holdfast serve starts another.`,
    options,
  )
}

function tellDetached(
  terminal: Terminal,
  transcript: Screen,
  sessionID: string,
  { json }: AttachOptions,
): number {
  transcript.close()
  if (json !== true) transcript.line(terminal.paint("dim", `Detached; Session ${sessionID} goes on.`))
  return 0
}

function tellIdle(
  terminal: Terminal,
  transcript: Screen,
  record: FinalRecord,
  options: AttachOptions,
): number {
  transcript.close()
  if (options.json === true) terminal.write(`${JSON.stringify(record)}\n`)
  else for (const line of closingLines(terminal, record, options)) transcript.line(line)
  return exitCodeOf(record)
}
