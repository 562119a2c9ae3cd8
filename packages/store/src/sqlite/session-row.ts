/**
 * The session row: the Session's summary, kept so that lists and checks need no log.
 *
 * How an event changes it is said in one place, for drains, commits and rebuilds alike:
 * `summarize` of the schema. The columns beside the document are what queries look for.
 */
import type { SessionId } from "@holdfast/schema/id"
import { isDue, isOpen, type Summary } from "@holdfast/schema/state/summary"
import type { SessionRow } from "../port.ts"
import type { Connection } from "./connection.ts"

/** A stored row with the integer that stands for the Session inside the file. */
export interface KeyedSession {
  readonly key: number
  readonly id: SessionId
  readonly summary: Summary
}

interface SessionColumns {
  readonly key: number
  readonly id: SessionId
  readonly summary: string
}

const columns = "key, id, summary"

const keyed = ({ key, id, summary }: SessionColumns): KeyedSession => ({
  key,
  id,
  summary: JSON.parse(summary) as Summary,
})

export const decodeSession = ({ id, summary }: KeyedSession): SessionRow => ({ id, ...summary })

export function findSession(connection: Connection, id: SessionId): KeyedSession | undefined {
  const row = connection.get<SessionColumns>(`SELECT ${columns} FROM session WHERE id = ?`, id)
  return row === undefined ? undefined : keyed(row)
}

/** Ordinary lists show no jobs. */
export const listSessions = (
  connection: Connection,
  order: "ASC" | "DESC",
  above: number,
  below: number,
  limit: number,
): readonly KeyedSession[] =>
  connection
    .all<SessionColumns>(
      `SELECT ${columns} FROM session WHERE key > ? AND key < ? AND kind <> 'job' ORDER BY key ${order} LIMIT ?`,
      above,
      below,
      limit,
    )
    .map(keyed)

export function insertSession(connection: Connection, id: SessionId, summary: Summary): KeyedSession {
  const inserted = connection.get<{ key: number }>(
    "INSERT INTO session (id, kind, open, due, summary) VALUES (?, ?, ?, ?, ?) RETURNING key",
    id,
    ...valuesOf(summary),
  )
  return { key: inserted?.key ?? 0, id, summary }
}

export function updateSession(connection: Connection, { key, summary }: KeyedSession): void {
  connection.run(
    "UPDATE session SET kind = ?, open = ?, due = ?, summary = ? WHERE key = ?",
    ...valuesOf(summary),
    key,
  )
}

const valuesOf = (summary: Summary) =>
  [summary.kind, Number(isOpen(summary)), Number(isDue(summary)), JSON.stringify(summary)] as const
