/**
 * Writes facts as the next events of a Session, with their projections and the session row.
 *
 * Runs inside the transaction of a command: all of it is there or none (EP5).
 */
import type { Event, Fact } from "@holdfast/schema/event"
import { factVersions } from "@holdfast/schema/fact/version"
import { summarize } from "@holdfast/schema/state/summary"
import { CommandRefused } from "../failure.ts"
import type { Connection } from "./connection.ts"
import { encodeEvent } from "./event-row.ts"
import { project } from "./project.ts"
import { updateSession } from "./session-row.ts"
import type { KeyedSession } from "./session-row.ts"

/** Returns the session row after the facts; the `seq` of its summary is the last one written. */
export function appendFacts(
  connection: Connection,
  session: KeyedSession,
  time: number,
  facts: readonly Fact[],
): KeyedSession {
  let { summary } = session
  for (const fact of facts) {
    const version = factVersions[fact.type]
    const event: Event = { session: session.id, seq: summary.seq + 1, version, time, fact }
    const columns = encodeEvent(event)
    connection.run(
      "INSERT INTO event (session, seq, type, version, time, data, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)",
      session.key,
      columns.seq,
      columns.type,
      columns.version,
      columns.time,
      columns.data,
      columns.checksum,
    )
    const problem = project(connection, session.key, event)
    if (problem !== null) throw new CommandRefused(`${fact.type}: ${problem}`)
    summary = summarize(summary, event)
  }
  const after = { ...session, summary }
  if (facts.length > 0) updateSession(connection, after)
  return after
}
