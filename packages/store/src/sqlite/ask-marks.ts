/**
 * Asks as their marks show them: one mark is an open ask, two an answered one, none a withdrawn one.
 *
 * Whoever ends an ask looks here first, in the transaction of its command: an answer, an interrupt
 * and a drain may come at the same moment, and an ask ends once (PE5).
 */
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { OpenAsk } from "../port.ts"
import type { Connection } from "./connection.ts"
import { isSession } from "./fork/copy-row.ts"
import type { KeyedSession } from "./session-row.ts"
import { type StoredFact, takeFact } from "./take-fact.ts"

export function isOpenAsk(connection: Connection, session: number, ask: string): boolean {
  const marks = connection.all(
    "SELECT 1 FROM mark WHERE session = ? AND kind = 'ask' AND id = ?",
    session,
    ask,
  )
  return marks.length === 1
}

/** Of one Session or, for null, of all; what cannot be read is left out, as the log's reader tells it. */
export function readAsks(connection: Connection, id: SessionId | null): readonly OpenAsk[] {
  const rows = connection.all<
    StoredFact & { readonly id: SessionId; readonly seq: number; readonly time: number }
  >(
    `SELECT session.id, event.seq, event.time, event.version, event.data
     FROM mark INDEXED BY mark_ask JOIN session ON session.key = mark.session
     JOIN event ON event.session = mark.session AND event.seq = mark.seq
     WHERE mark.kind = 'ask' AND ${isSession} AND (?1 IS NULL OR session.id = ?1)
     GROUP BY mark.session, mark.id HAVING count(*) = 1 ORDER BY event.time, mark.session, mark.seq`,
    id,
  )
  return rows.map(({ id: session, seq, time, ...stored }) => ({
    session,
    seq,
    time,
    raised: takeFact("ask.raised", stored),
  }))
}

/** In the order in which they were raised. */
export function openAsks(connection: Connection, row: KeyedSession): readonly FactOf<"ask.raised">[] {
  if (row.summary.asks === 0) return []
  const rows = connection.all<StoredFact>(
    `SELECT event.version, event.data FROM mark JOIN event ON event.session = mark.session AND event.seq = mark.seq
     WHERE mark.session = ? AND mark.kind = 'ask' GROUP BY mark.id HAVING count(*) = 1 ORDER BY mark.seq`,
    row.key,
  )
  return rows.map((stored) => takeFact("ask.raised", stored))
}
