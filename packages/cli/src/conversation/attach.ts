/**
 * `holdfast attach`: follows a Session live, and leaves it alone. Ctrl-C detaches; the Session
 * goes on.
 *
 *   open ─▶ follow ─ the server goes away ─▶ wait for its successor ─▶ follow from the last sequence
 *              ├─ Ctrl-C ─▶ 0
 *              └─ --until-idle, nothing runs any more ─▶ the record of a run
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Event } from "@holdfast/schema/event"
import { dataDirectoryOf, type Holdfast, isFailure } from "@holdfast/sdk"
import { settle } from "./conversation.ts"
import { followDurable, followLive, showRest } from "./following.ts"
import { findSession } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { type Opened, openForCommand } from "../opened.ts"
import { exitCodeOf, type FinalRecord, recordOf } from "../outcome.ts"
import { findServer } from "../server/place.ts"
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

/** How long a server may be away before a follower that must end gives up. */
const successorMsMax = 30_000
const lookAgainMs = 100

/** What ended a stretch of following. */
type End =
  | { readonly kind: "detached" }
  | { readonly kind: "idle"; readonly record: FinalRecord }
  | { readonly kind: "lost" }

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
    let opened = await openForCommand(terminal, { ...options, answers: true })
    const sessionID = await begin(opened, transcript, named, options).catch(async (failure: unknown) => {
      await opened.close()
      throw failure
    })
    for (let after: number | null = null; ;) {
      const shown = { transcript, show, detached: detached.signal }
      // Also after a failure: an offline provider that stays open would keep the process alive.
      const followed = await follow(opened, sessionID, after, options, shown).finally(opened.close)
      if (followed.end.kind === "detached") return tellDetached(terminal, transcript, sessionID, options)
      if (followed.end.kind === "idle") return tellIdle(terminal, transcript, followed.end.record, options)
      after = followed.last
      const successor = await awaitSuccessor(terminal, sessionID, options, detached.signal)
      if (successor === null) return tellDetached(terminal, transcript, sessionID, options)
      opened = successor
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

interface Shown {
  readonly transcript: Transcript
  readonly show: (event: Event) => void
  readonly detached: AbortSignal
}

/** Follows as long as this instance answers. A null `after` begins with the turn that is open, if one is. */
async function follow(
  { holdfast, server }: Opened,
  sessionID: string,
  after: number | null,
  { json, untilIdle }: AttachOptions,
  { transcript, show, detached }: Shown,
): Promise<{ readonly end: End; readonly last: number }> {
  const open = await findOpenTurn(holdfast, sessionID)
  const start = after ?? open.beforeSeq
  const durable = followDurable(holdfast, sessionID, start, show)
  const live = followLive(holdfast, sessionID, open.turn, json === true ? () => {} : transcript.takeLive)
  const ends: Promise<End>[] = [
    new Promise((resolve) => {
      if (detached.aborted) resolve({ kind: "detached" })
      detached.addEventListener("abort", () => resolve({ kind: "detached" }))
    }),
    durable.ended.then((): End => ({ kind: "lost" })),
  ]
  // The live stream ends with its server; that of this process ends with this process.
  if (server !== null) ends.push(live.ended.then((): End => ({ kind: "lost" })))
  if (untilIdle === true) {
    ends.push(
      settle(holdfast, sessionID, null).then((result): End => ({
        kind: "idle",
        record: recordOf(result, null),
      })),
    )
  }
  const end = await Promise.race(ends).catch((failure: unknown): End => {
    if (server !== null && isFailure(failure, "ClientError") && failure.reason === "transport")
      return { kind: "lost" }
    throw failure
  })
  await live.stop()
  await durable.stop().catch(() => {}) // it was one of the ends, and has been heard
  if (end.kind === "idle") await showRest(holdfast, sessionID, durable.last(), show)
  return { end, last: durable.last() }
}

/** The turn that runs now, and the sequence before its start; without one, the end of the log. */
async function findOpenTurn(
  { sessions }: Holdfast,
  sessionID: string,
): Promise<{ readonly turn: string | null; readonly beforeSeq: number }> {
  const { seq, status } = await sessions.get({ sessionID })
  if (status.state !== "running" && status.state !== "waiting") return { turn: null, beforeSeq: seq }
  const newest = (await listItems((page) => sessions.turns({ sessionID, ...page }))).at(-1)
  return newest === undefined || newest.settled !== null
    ? { turn: null, beforeSeq: seq }
    : { turn: newest.started.turn, beforeSeq: newest.startedSeq - 1 }
}

/** The next server of the data directory; null if the follower detaches first. */
async function awaitSuccessor(
  terminal: Terminal,
  sessionID: string,
  options: AttachOptions,
  detached: AbortSignal,
): Promise<Opened | null> {
  const { environment } = terminal
  const data = dataDirectoryOf({
    environment,
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
  })
  terminal.complain(
    "The server has gone; waiting for its successor. Ctrl-C leaves, holdfast serve starts one.",
  )
  const deadline = performance.now() + successorMsMax
  while (!detached.aborted) {
    if ((await findServer(data)) !== null) return openForCommand(terminal, { ...options, answers: true })
    if (options.untilIdle === true && performance.now() > deadline) {
      // This process takes its place: what the server left open is settled and told.
      return openForCommand(terminal, { ...options, answers: true })
    }
    await pause(lookAgainMs, undefined, { signal: detached }).catch(() => {}) // detaching ends the wait
  }
  return null
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
  { json, dataDir }: AttachOptions,
): number {
  transcript.close()
  if (json === true) terminal.write(`${JSON.stringify(record)}\n`)
  else for (const line of closingLines(terminal, record, dataDir)) transcript.line(line)
  return exitCodeOf(record)
}
