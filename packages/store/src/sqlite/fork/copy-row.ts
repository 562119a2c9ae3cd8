/**
 * The row that a copy of a log hangs on while it is made: no Session yet, and nobody may see it as one.
 *
 * Its id is none that could be asked for, and its list is one that nobody lists. What a killed process
 * leaves behind is removed when the store is opened. If that was the copy of a process that is alive,
 * it finds its rows gone, and begins anew.
 */
import type { Connection } from "../connection.ts"
import { type KeyedSession, rewriteSession } from "../session-row.ts"

/** In the column that tells archived Sessions (1) from others (0). */
const copyList = 2

/** Of a query about all Sessions: without copies that are being made. */
export const isSession = `session.archived <> ${copyList}`

export function insertCopy(connection: Connection): number {
  const inserted = connection.get<{ key: number }>(
    `INSERT INTO session (id, kind, archived, open, due, summary)
     VALUES ('copy ' || hex(randomblob(16)), 'copy', ${copyList}, 0, 0, '{}') RETURNING key`,
  )
  return inserted?.key ?? 0
}

/** The last sequence that is there; null if the copy is gone. */
export function hasCopied(connection: Connection, key: number): number | null {
  const row = connection.get<{ seq: number | null }>(
    `SELECT max(event.seq) AS seq FROM event JOIN session ON session.key = event.session
     WHERE event.session = ? AND session.archived = ${copyList}`,
    key,
  )
  return row?.seq ?? null
}

/** From here on it is a Session. */
export function nameCopy(connection: Connection, { key, id, summary }: KeyedSession): void {
  connection.run("UPDATE session SET id = ? WHERE key = ?", id, key)
  rewriteSession(connection, { key, id, summary })
}

export const removeCopy = (connection: Connection, key: number): void =>
  void connection.run(`DELETE FROM session WHERE key = ? AND archived = ${copyList}`, key)

/** Looked at first, since looking takes no lock. */
export const hasCopies = (connection: Connection): boolean =>
  connection.get(`SELECT 1 FROM session WHERE archived = ${copyList} LIMIT 1`) !== undefined

export const removeCopies = (connection: Connection): void =>
  void connection.run(`DELETE FROM session WHERE archived = ${copyList}`)
