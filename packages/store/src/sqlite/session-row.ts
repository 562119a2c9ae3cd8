/**
 * The session row: the Session's summary, kept so that lists and checks need no log.
 *
 * How an event changes it is said in one place, for drains, commits and rebuilds alike:
 * `summarize` of the schema. The columns beside the document are what queries look for.
 */
import type { SessionId } from "@holdfast/schema/id"
import { isDue, isOpen, type Summary } from "@holdfast/schema/state/summary"
import type { SessionList } from "../lists.ts"
import type { SessionRow } from "../port.ts"
import type { Connection } from "./connection.ts"
import { projectOfSessionSql } from "./rows/location.ts"

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
  summary: parse(id, summary),
})

interface Parsed {
  readonly text: string
  readonly summary: Summary
}

/** Of the Sessions that were read or written last: the next command of a Session finds the same text again. */
const parsed = new Map<SessionId, Parsed>()
const parsedMax = 256

function parse(id: SessionId, text: string): Summary {
  const known = parsed.get(id)
  if (known?.text === text) return known.summary
  return remember(id, { text, summary: JSON.parse(text) as Summary }).summary
}

function remember(id: SessionId, row: Parsed): Parsed {
  if (!parsed.has(id) && parsed.size >= parsedMax) {
    const [oldest] = parsed.keys()
    if (oldest !== undefined) parsed.delete(oldest)
  }
  parsed.set(id, row)
  return row
}

export const decodeSession = ({ id, summary }: KeyedSession): SessionRow => ({ id, ...summary })

export function findSession(connection: Connection, id: SessionId): KeyedSession | undefined {
  const row = connection.get<SessionColumns>(`SELECT ${columns} FROM session WHERE id = ?`, id)
  return row === undefined ? undefined : keyed(row)
}

/** Ordinary lists show no jobs. */
export const listSessions = (
  connection: Connection,
  { archived = false, projectRoot, limit }: SessionList,
  order: "ASC" | "DESC",
  above: number,
  below: number,
): readonly KeyedSession[] =>
  connection
    .all<SessionColumns>(
      `SELECT ${columns} FROM session WHERE archived = ?1 AND key > ?2 AND key < ?3 AND kind <> 'job'
         AND (?4 IS NULL OR ?4 = ${projectOfSessionSql})
       ORDER BY key ${order} LIMIT ?5`,
      Number(archived),
      above,
      below,
      projectRoot ?? null,
      limit,
    )
    .map(keyed)

export function insertSession(connection: Connection, id: SessionId, summary: Summary): KeyedSession {
  const inserted = connection.get<{ key: number }>(
    "INSERT INTO session (id, kind, archived, open, due, summary) VALUES (?, ?, ?, ?, ?, ?) RETURNING key",
    id,
    summary.kind,
    Number(summary.archived),
    ...valuesOf(id, summary),
  )
  return { key: inserted?.key ?? 0, id, summary }
}

/** What lists go by is written only where it changes: every commit comes by here, and few change it. */
export function updateSession(connection: Connection, session: KeyedSession, before: Summary): void {
  const { key, id, summary } = session
  const sameList = summary.kind === before.kind && summary.archived === before.archived
  if (!sameList) return rewriteSession(connection, session)
  connection.run(
    "UPDATE session SET open = ?, due = ?, summary = ? WHERE key = ?",
    ...valuesOf(id, summary),
    key,
  )
}

/** The row whatever stands there. */
export function rewriteSession(connection: Connection, { key, id, summary }: KeyedSession): void {
  connection.run(
    "UPDATE session SET kind = ?, archived = ?, open = ?, due = ?, summary = ? WHERE key = ?",
    summary.kind,
    Number(summary.archived),
    ...valuesOf(id, summary),
    key,
  )
}

/** A job that is still there has not ended, whatever stands open in it: its end takes it away. */
const valuesOf = (id: SessionId, summary: Summary) =>
  [
    Number(isOpen(summary) || summary.kind === "job"),
    Number(isDue(summary)),
    remember(id, { text: JSON.stringify(summary), summary }).text,
  ] as const
