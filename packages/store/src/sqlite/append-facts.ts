/**
 * Writes facts as the next events of a Session, with their projections and the session row.
 *
 * Runs inside the transaction of a command: all of it is there or none (EP5).
 */
import type { Event, Fact } from "@holdfast/schema/event"
import { CommandRefused } from "../failure.ts"
import type { Connection } from "./connection.ts"
import { encodeEvent, eventVersion } from "./event-row.ts"
import { project } from "./project.ts"
import { advance, updateSession } from "./session-row.ts"
import type { KeyedSession } from "./session-row.ts"

/** Returns the session row after the facts; its `seq` is the last one written. */
export function appendFacts(
  connection: Connection,
  session: KeyedSession,
  time: number,
  facts: readonly Fact[],
): KeyedSession {
  let row = session
  for (const fact of facts) {
    const event: Event = { session: row.id, seq: row.seq + 1, version: eventVersion, time, fact }
    const columns = encodeEvent(event)
    connection.run(
      "INSERT INTO event (session, seq, type, version, time, data, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)",
      row.key,
      columns.seq,
      columns.type,
      columns.version,
      columns.time,
      columns.data,
      columns.checksum,
    )
    const problem = project(connection, row.key, event)
    if (problem !== null) throw new CommandRefused(`${fact.type}: ${problem}`)
    row = advance(row, event)
  }
  if (facts.length > 0) updateSession(connection, row)
  return row
}
