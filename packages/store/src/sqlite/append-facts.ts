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
import { encodeEvent, type EventColumns } from "./event-row.ts"
import { project } from "./project.ts"
import { forgetSession, keepBeside, keepLocation } from "./rows/location.ts"
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
    writeEvent(connection, session.key, event)
    summary = summarize(summary, event)
  }
  const after = { ...session, summary }
  if (facts.length > 0) updateSession(connection, after, session.summary)
  return after
}

/** One event with its projections; the session row is left to the caller. */
export function writeEvent(connection: Connection, session: number, event: Event): void {
  writeColumns(connection, session, encodeEvent(event), event)
}

/** The same with the row given, for a fact whose text is not ours. */
export function writeColumns(
  connection: Connection,
  session: number,
  columns: EventColumns,
  event: Event,
): void {
  connection.run(
    "INSERT INTO event (session, seq, type, version, time, data, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)",
    session,
    columns.seq,
    columns.type,
    columns.version,
    columns.time,
    columns.data,
    columns.checksum,
  )
  const problem = project(connection, session, event)
  if (problem !== null) throw new CommandRefused(`${event.fact.type}: ${problem}`)
  keepPlace(connection, event)
}

/** Where a Session is from now on. A log that is read again does not know which project stands there now. */
function keepPlace(connection: Connection, { session, fact }: Event): void {
  if (fact.type === "session.moved") {
    forgetSession(connection, session)
    keepLocation(connection, fact.location)
  }
  if (fact.type !== "session.created") return
  keepLocation(connection, fact.location)
  const beside = fact.parent?.session ?? fact.origin?.source
  if (beside !== undefined && fact.kind !== "job") keepBeside(connection, fact.location, session, beside)
}
