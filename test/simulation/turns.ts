/**
 * Turns as they are on record at the moment when a request leaves.
 *
 *   FA1  no request leaves without a turn on record: what could not be stored is not sent
 *   TU4  a turn is tried again a few times, and never after it has brought forth anything durable
 */
import type { DatabaseSync } from "node:sqlite"
import type { Event } from "@holdfast/schema/event"
import { retryLimits } from "@holdfast/core/session/retry"

interface Recorded {
  readonly seq: number
  readonly type: string
}

const sinceSql = `SELECT event.seq, type FROM event JOIN session ON session.key = event.session
  WHERE session.id = ? AND event.seq >= (
    SELECT coalesce(max(seq), 0) FROM event WHERE event.session = session.key AND type = 'turn.started'
  ) ORDER BY event.seq`

/** The open turn's facts, its start first, or none. */
export function openTurn(database: DatabaseSync, session: string): readonly Recorded[] {
  const facts = database.prepare(sinceSql).all(session) as unknown as Recorded[]
  const isOpen = facts[0]?.type === "turn.started" && !facts.some(({ type }) => type === "turn.settled")
  return isOpen ? facts : []
}

export class TurnWatch {
  /** Requests by Session and the start of their turn. */
  private readonly sent = new Map<string, number>()

  /** What is wrong with a request that leaves now, if anything is. */
  sends(database: DatabaseSync, session: string): string | null {
    const [start, ...since] = openTurn(database, session)
    if (start === undefined) return "[FA1] a request was sent without a turn on record"
    const durable = since.find(({ type }) => type === "part.recorded" || type === "call.started")
    if (durable !== undefined) return `[TU4] a request was sent again after ${durable.type}`
    const key = `${session} ${start.seq}`
    const attempts = (this.sent.get(key) ?? 0) + 1
    this.sent.set(key, attempts)
    return attempts > retryLimits.attemptsMax ? `[TU4] a turn was tried ${attempts} times` : null
  }
}

/** Calls of each turn that has any. */
export function callsOfTurns(events: readonly Event[]): readonly number[] {
  const calls = new Map<string, number>()
  for (const { fact } of events) {
    if (fact.type === "part.recorded" && fact.part.type === "call")
      calls.set(fact.turn, (calls.get(fact.turn) ?? 0) + 1)
  }
  return [...calls.values()]
}
