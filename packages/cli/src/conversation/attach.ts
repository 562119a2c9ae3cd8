/**
 * `holdfast attach`: follows a Session live, and leaves it alone. Ctrl-C detaches; the Session
 * goes on.
 *
 *   open ─▶ follow the server ─ it goes away ─▶ follow the store ─ a server comes ─▶ follow it
 *              ├─ Ctrl-C ─▶ 0
 *              └─ --until-idle, nothing runs any more ─▶ the record of a run
 *
 * Each stretch begins after the last sequence of the one before. The store shows what any process
 * commits, so that a Session is seen to go on whoever leads it; only a server brings live text.
 */
import { setTimeout as pause } from "node:timers/promises"
import { dataDirectoryOf, type Event, type HoldfastClient, isFailure } from "@holdfast/sdk"
import { settle } from "./conversation.ts"
import { followDurable, followLive, showRest } from "./following.ts"
import { pasteable } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { type Opened, openForCommand } from "../opened.ts"
import { exitCodeOf, type FinalRecord, recordOf } from "../outcome/outcome.ts"
import { findMisfit, findServer } from "../server/place.ts"
import { closingLines } from "../summary.ts"
import type { Terminal } from "../terminal.ts"
import { lastScreen } from "./last-screen.ts"
import { openScreen, type Screen } from "./screen.ts"
import type { Transcript } from "./transcript.ts"

export interface AttachOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly server?: boolean
  readonly untilIdle?: boolean
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

export async function attachSession(given: Terminal, named: string, options: AttachOptions): Promise<number> {
  const detached = new AbortController()
  const release = given.onStop(() => detached.abort())
  const transcript = openScreen(given, { prompts: true })
  const { terminal } = transcript
  const show = (event: Event) => {
    if (options.json === true) terminal.write(`${JSON.stringify({ type: "event", ...event })}\n`)
    else transcript.takeDurable(event)
  }
  try {
    const shown = { transcript, show, detached: detached.signal, dataDirectory: dataOf(terminal, options) }
    let sessionID: string | null = null
    for (let start: Start = { after: null, idleFromMs: 0 }; ;) {
      const opened = await openForCommand(terminal, { ...options, purpose: "look" })
      const stretch = async () => {
        sessionID ??= await begin(opened, transcript, named, options)
        return follow(opened, sessionID, start, options, shown)
      }
      // Also after a failure: a store that stays open would keep the process alive.
      const { end, last } = await stretch()
        .catch((failure: unknown) => ({ end: lossOf(opened, failure), last: start.after }))
        .finally(opened.close)
      if (end.kind === "detached") return tellDetached(terminal, transcript, sessionID ?? named, options)
      if (end.kind === "idle") return tellIdle(terminal, transcript, end.record, options)
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
  { json }: AttachOptions,
): Promise<string> {
  const { sessions } = holdfast
  const sessionID = await findSession(sessions, named)
  if (json === true) return sessionID
  const { turn } = await findOpenTurn(holdfast, sessionID)
  for (const line of await lastScreen(screen.terminal, sessions, sessionID, turn)) screen.line(line)
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
}

/** Follows as long as this instance answers, or until there is a better one. */
async function follow(
  { holdfast, server }: Opened,
  sessionID: string,
  { after, idleFromMs }: Start,
  { json, untilIdle, server: mayUseServer }: AttachOptions,
  { transcript, show, detached, dataDirectory }: Shown,
): Promise<{ readonly end: End; readonly last: number }> {
  const open = await findOpenTurn(holdfast, sessionID)
  const start = after ?? open.beforeSeq
  const durable = followDurable(holdfast, sessionID, start, show)
  const live = followLive(holdfast, sessionID, json === true ? () => {} : transcript.takeLive)
  const over = new AbortController()
  const ends: Promise<End>[] = [
    new Promise((resolve) => {
      if (detached.aborted) resolve({ kind: "detached" })
      detached.addEventListener("abort", () => resolve({ kind: "detached" }))
    }),
    durable.ended.then((): End => ({ kind: "lost" })),
  ]
  // The live stream ends with its server; that of this process ends with this process.
  if (server !== null) ends.push(live.ended.then((): End => ({ kind: "lost" })))
  else if (mayUseServer !== false) ends.push(untilServed(dataDirectory, over.signal))
  if (untilIdle === true) ends.push(untilAllDone(holdfast, sessionID, idleFromMs, over.signal))
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
  over: AbortSignal,
): Promise<End> {
  for (;;) {
    const result = await settle(holdfast, sessionID, null)
    if (result.status === "done" || performance.now() >= idleFromMs)
      return { kind: "idle", record: recordOf(result, null) }
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
