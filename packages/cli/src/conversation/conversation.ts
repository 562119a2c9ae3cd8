/**
 * Conversation: one Session followed from a beginning (a prompt, a resume) to its settlement.
 *
 *   follow events ─▶ begin ─▶ wait for settlement ─▶ show what is left ─▶ final record
 *                      ├─ answered, and others go on with the next prompt ─▶ final record
 *                      ├─ Ctrl-C while the prompt only waits for others: take it back ─▶ final record
 *                      ├─ somebody else takes it back ─▶ final record
 *                      └─ Ctrl-C: interrupt, then wait; Ctrl-C again: end at once
 *
 * Nothing here waits for an answer: a Session that cannot go on settles, and that is the result.
 */
import { setTimeout as pause } from "node:timers/promises"
import { type Event, everyItem, type HoldfastClient, isFailure, type RunResult, settled } from "@holdfast/sdk"
import { exitCode } from "../outcome/exit-code.ts"
import { followDurable, followLive, type LiveActivity, showRest } from "./following.ts"
import { isAnswered, overResult, ownResult } from "./own-result.ts"
import type { Opened } from "../opened.ts"
import { type FinalRecord, recordOf, stoppedRecord, withdrawnCode } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"
import { wrapFor } from "../text-width.ts"
import type { Transcript } from "./transcript.ts"

export interface Beginning {
  readonly sessionID: string
  /** Events above this sequence belong to the conversation. */
  readonly since: number
  /** Events above this sequence are still to be shown. */
  readonly after: number
  /** Starts the work; the id of the prompt it admitted, if it did. */
  readonly begin: () => Promise<string | null>
}

export type Conversed =
  | ({ readonly kind: "settled"; readonly record: FinalRecord } & Reached)
  /** The server went away. */
  | ({ readonly kind: "lost" } & Reached)

/** Where another conversation goes on. */
interface Reached {
  readonly prompt: string | null
  /** The sequence of the last event shown. */
  readonly last: number
}

/** How often a Session led by another process is looked at. */
const lookAgainMs = 250

export async function converse(
  opened: Pick<Opened, "holdfast" | "server">,
  terminal: Terminal,
  json: boolean,
  transcript: Transcript,
  beginning: Beginning,
): Promise<Conversed> {
  const { holdfast, server } = opened
  const { sessionID } = beginning
  const over = watchOver(opened, sessionID, () => {
    if (json) terminal.complain(goesOnText)
    else transcript.line(terminal.paint("dim", wrapFor(terminal, goesOnText)))
  })
  const withdrawn = Promise.withResolvers<"withdrawn">()
  const cancelled = new Set<string | null>()
  const endIfOwn = async (id: string) => {
    if (id === (await begun) && !(await isLedHere(opened, sessionID))) withdrawn.resolve("withdrawn")
  }
  let last = beginning.after
  const show = (event: Event) => {
    last = event.seq
    if (over.take(event)) return
    const { fact } = event
    if (fact.type === "prompt.cancelled") {
      cancelled.add(fact.prompt)
      endIfOwn(fact.prompt).catch(() => {}) // whoever began tells why, or whoever waits for the settlement
    }
    if (json) terminal.write(`${JSON.stringify({ type: "event", ...event })}\n`)
    else transcript.takeDurable(event)
  }
  const showLive = (event: LiveActivity) => {
    if (!json && !over.left()) transcript.takeLive(event)
  }
  const durable = followDurable(holdfast, sessionID, beginning.after, show)
  // A person reads live events; and the end of their stream tells that a server has gone.
  const live = json && server === null ? null : followLive(holdfast, sessionID, showLive)
  // A first attempt may fail at once, and only live events tell it then.
  const begun = Promise.resolve(live?.connected).then(() => beginning.begin())
  const release = stopOnSignal(opened, terminal, sessionID, json, begun, () => withdrawn.resolve("withdrawn"))
  try {
    const prompt = await begun
    over.of(prompt)
    const settledWith = (record: FinalRecord): Conversed => ({ kind: "settled", record, prompt, last })
    const lost = server === null || live === null ? [] : [live.ended.then(() => null)]
    const settling = settle(holdfast, sessionID, prompt)
    const result = await Promise.race([settling, ...lost, withdrawn.promise, over.ended])
    if (result === null) return { kind: "lost", prompt, last }
    if (result === "over") {
      settling.catch(() => {}) // nobody waits for the others any more
      const own = overResult(sessionID, prompt ?? "", await eventsSince(holdfast, beginning))
      return settledWith(recordOf(own, prompt))
    }
    if (result === "withdrawn") return settledWith(withdrawnRecord(sessionID, prompt))
    await live?.stop()
    await durable.stop()
    await showRest(holdfast, sessionID, durable.last(), show)
    if (cancelled.has(prompt)) return settledWith(withdrawnRecord(sessionID, prompt))
    return settledWith(recordOf(await ownOf(holdfast, beginning, prompt, result), prompt))
  } finally {
    release()
    await live?.stop()
    await durable.stop().catch(() => {}) // whatever ended it, the end of the conversation tells
  }
}

/** What came of the prompt itself; where it is the newest input, that is the result. */
async function ownOf(
  holdfast: HoldfastClient,
  beginning: Beginning,
  prompt: string | null,
  result: RunResult,
): Promise<RunResult> {
  if (prompt === null || result.prompt === prompt) return result
  return ownResult(result, prompt, await eventsSince(holdfast, beginning))
}

async function eventsSince(
  { sessions }: HoldfastClient,
  { sessionID, since }: Beginning,
): Promise<readonly Event[]> {
  const start = { after: since }
  const events: Event[] = []
  const pages = everyItem((page) =>
    sessions.history({ sessionID, ...(page.cursor === undefined ? start : page) }),
  )
  for await (const event of pages) events.push(event)
  return events
}

const goesOnText =
  "This prompt is answered. The Session goes on in this process with another prompt that waited; Ctrl-C interrupts that one."

interface OverWatch {
  /** Whether the event belongs to others, and is not shown any more. */
  readonly take: (event: Event) => boolean
  readonly left: () => boolean
  /** Whose end is watched for; null if nobody's. */
  readonly of: (prompt: string | null) => void
  /** Resolves when the prompt is answered and others work for somebody else. */
  readonly ended: Promise<"over">
}

/**
 * The work of others is neither waited for nor interrupted, unless this process does it: then it
 * would end with it, and `tell` says so.
 */
function watchOver(
  { holdfast: { sessions }, server }: Pick<Opened, "holdfast" | "server">,
  sessionID: string,
  tell: () => void,
): OverWatch {
  const ended = Promise.withResolvers<"over">()
  const came: Event[] = []
  let own: string | null = null
  let left = false
  let told = false
  const leave = () => {
    left = true
    ended.resolve("over")
  }
  const look = () => {
    if (told || own === null || !isAnswered(own, came)) return
    told = true
    if (server !== null) return leave()
    sessions.active().then(
      ({ items }) => (items.some((session) => session === sessionID) ? tell() : leave()),
      () => {}, // the end of the drain is the end then
    )
  }
  return {
    take: (event) => {
      const { type } = event.fact
      if (type === "prompt.promoted" || type === "turn.started" || type === "turn.settled") came.push(event)
      if (type === "prompt.promoted") look()
      return left
    },
    left: () => left,
    of: (prompt) => {
      own = prompt
      look()
    },
    ended: ended.promise,
  }
}

/** Waits until nobody runs the Session, here or elsewhere, and the prompt is not left behind. */
export async function settle(
  holdfast: HoldfastClient,
  sessionID: string,
  prompt: string | null,
): Promise<RunResult> {
  for (;;) {
    const result = await settled(holdfast, { sessionID })
    const { status } = await holdfast.sessions.get({ sessionID })
    if (status.state === "running") {
      await pause(lookAgainMs) // another process leads it and will take the prompt
      continue
    }
    if (result.status !== "done" || prompt === null) return result
    if (!(await isPending(holdfast, sessionID, prompt))) return result
    await holdfast.sessions.resume({ sessionID }) // its leader died before it took the prompt
  }
}

async function isPending({ sessions }: HoldfastClient, sessionID: string, prompt: string): Promise<boolean> {
  for await (const { id } of everyItem((page) => sessions.inbox({ sessionID, ...page })))
    if (id === prompt) return true
  return false
}

const withdrawnText =
  "The prompt was cancelled while it waited, and nothing of it was done. What the Session was doing goes on."

const withdrawnRecord = (sessionID: string, prompt: string | null): FinalRecord => ({
  ...stoppedRecord("interrupted", { code: withdrawnCode, message: withdrawnText }, sessionID),
  prompt,
  cost: 0,
})

/** `withdrawn` is called when the prompt was taken back; else the Session settles, and that is the end. */
function stopOnSignal(
  opened: Pick<Opened, "holdfast" | "server">,
  terminal: Terminal,
  sessionID: string,
  json: boolean,
  begun: Promise<string | null>,
  withdrawn: () => void,
): () => void {
  const { holdfast, server } = opened
  const afterwards =
    server === null
      ? "what was open is settled by the next start."
      : `the server at ${server.url} settles it.`
  const stop = async () => {
    const prompt = await begun.catch(() => null) // told by whoever began
    if (prompt !== null && (await withdraw(opened, sessionID, prompt))) return withdrawn()
    terminal.complain("\nInterrupting; once more ends at once.")
    await holdfast.sessions.interrupt({ sessionID })
  }
  let asked = false
  return terminal.onStop(() => {
    if (asked) {
      const reason = { code: "interrupted", message: `Ended at once; ${afterwards}` }
      if (json) terminal.write(`${JSON.stringify(stoppedRecord("interrupted", reason, sessionID))}\n`)
      terminal.exit(exitCode.interrupted)
    }
    asked = true
    stop().catch((failure: unknown) => {
      terminal.complain(failure instanceof Error ? failure.message : String(failure))
    })
  })
}

/**
 * Takes a prompt back that waits behind the work of others; false if it is at work itself, or if
 * this process does that work, which would end with it.
 */
async function withdraw(
  opened: Pick<Opened, "holdfast" | "server">,
  sessionID: string,
  promptID: string,
): Promise<boolean> {
  if (await isLedHere(opened, sessionID)) return false
  try {
    await opened.holdfast.sessions.cancel({ sessionID, promptID })
    return true
  } catch (failure) {
    if (isFailure(failure, "PromptNotPending")) return false
    throw failure
  }
}

/** Whether this process does the work of the Session. */
async function isLedHere(
  { holdfast, server }: Pick<Opened, "holdfast" | "server">,
  sessionID: string,
): Promise<boolean> {
  return server === null && (await holdfast.sessions.active()).items.some((session) => session === sessionID)
}
