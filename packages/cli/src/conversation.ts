/**
 * Conversation: one Session followed from a beginning (a prompt, a resume) to its settlement.
 *
 *   follow events ─▶ begin ─▶ wait for settlement ─▶ show what is left ─▶ final record
 *                      └─ Ctrl-C: interrupt, then wait; Ctrl-C again: end at once
 *
 * Nothing here waits for an answer: a Session that cannot go on settles, and that is the result.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Event } from "@holdfast/schema/event"
import type { Holdfast, RunResult } from "@holdfast/sdk"
import { isFailure } from "@holdfast/sdk"
import { type FinalRecord, recordOf, stoppedRecord } from "./outcome.ts"
import type { Terminal } from "./terminal.ts"
import { makeTranscript, type Transcript } from "./transcript.ts"

export interface Beginning {
  readonly sessionID: string
  /** Events above this sequence belong to the conversation. */
  readonly after: number
  /** Starts the work; the id of the prompt it admitted, if it did. */
  readonly begin: () => Promise<string | null>
}

export interface Conversed {
  readonly record: FinalRecord
  readonly transcript: Transcript
}

/** How often a Session led by another process is looked at. */
const lookAgainMs = 250

export async function converse(
  holdfast: Holdfast,
  terminal: Terminal,
  json: boolean,
  beginning: Beginning,
): Promise<Conversed> {
  const { sessionID } = beginning
  const transcript = makeTranscript(terminal)
  const show = (event: Event) => {
    if (json) terminal.write(`${JSON.stringify({ type: "event", ...event })}\n`)
    else transcript.takeDurable(event)
  }
  const durable = followDurable(holdfast, sessionID, beginning.after, show)
  const live = json ? null : followLive(holdfast, sessionID, transcript)
  const release = stopOnSignal(holdfast, terminal, sessionID, json)
  try {
    const prompt = await beginning.begin()
    const result = await settle(holdfast, sessionID, prompt)
    await live?.stop()
    const last = await durable.stop()
    await showRest(holdfast, sessionID, last, show)
    return { record: recordOf(result, prompt), transcript }
  } finally {
    release()
    await live?.stop()
    await durable.stop()
  }
}

/** Waits until nobody runs the Session, here or elsewhere, and the prompt is not left behind. */
async function settle(holdfast: Holdfast, sessionID: string, prompt: string | null): Promise<RunResult> {
  for (;;) {
    const result = await holdfast.sessions.result({ sessionID })
    const { status } = await holdfast.sessions.get({ sessionID })
    if (status.state === "running") {
      await pause(lookAgainMs) // another process leads it and will take the prompt
      continue
    }
    if (result.status !== "done" || prompt === null) return result
    const inbox = await holdfast.sessions.inbox({ sessionID })
    if (!inbox.some((pending) => pending.id === prompt)) return result
    await holdfast.sessions.resume({ sessionID }) // its leader died before it took the prompt
  }
}

interface Following {
  /** Ends it; the last sequence shown. A repeat is safe. */
  readonly stop: () => Promise<number>
}

function followDurable(
  holdfast: Holdfast,
  sessionID: string,
  after: number,
  show: (event: Event) => void,
): Following {
  const events = holdfast.sessions.events({ sessionID, after })[Symbol.asyncIterator]()
  let last = after
  const following = (async () => {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      show(next.value)
      last = next.value.seq
    }
  })()
  following.catch(() => {}) // told by `stop`
  return {
    stop: async () => {
      await events.return?.()
      await following
      return last
    },
  }
}

function followLive(holdfast: Holdfast, sessionID: string, transcript: Transcript) {
  const events = holdfast.events.subscribe()[Symbol.asyncIterator]()
  const following = (async () => {
    try {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (next.value.session === sessionID) transcript.takeLive(next.value)
      }
    } catch (failure) {
      // Durable events complete what live ones left out.
      if (!isFailure(failure, "LiveOverrun")) throw failure
    }
  })()
  return {
    stop: async () => {
      await events.return?.()
      await following
    },
  }
}

const eventsPage = 1_000

/** Events committed between the last one seen and the settlement. */
async function showRest(holdfast: Holdfast, sessionID: string, last: number, show: (event: Event) => void) {
  for (let after = last; ;) {
    const page = await holdfast.sessions.history({ sessionID, after, limit: eventsPage })
    for (const event of page) show(event)
    if (page.length < eventsPage) return
    after = page.at(-1)?.seq ?? after
  }
}

function stopOnSignal(holdfast: Holdfast, terminal: Terminal, sessionID: string, json: boolean): () => void {
  let asked = false
  return terminal.onStop(() => {
    if (asked) {
      const reason = {
        code: "interrupted",
        message: "Ended at once; what was open is settled by the next start.",
      }
      if (json) terminal.write(`${JSON.stringify(stoppedRecord("interrupted", reason, sessionID))}\n`)
      terminal.exit(130)
    }
    asked = true
    terminal.complain("\nInterrupting; once more ends at once.")
    holdfast.sessions.interrupt({ sessionID }).catch((failure: unknown) => {
      terminal.complain(failure instanceof Error ? failure.message : String(failure))
    })
  })
}
