/**
 * Projections written anew from the log, and compared with what is stored.
 *
 * A rebuild touches neither the log nor what is not derived from it: leases, scratch rows, blobs.
 * It replays with the same `project` and `summarize` that commits use. Damaged events are skipped.
 */
import { DatabaseSync } from "node:sqlite"
import type { Event } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { emptySummary, summarize, type Summary } from "@holdfast/schema/state/summary"
import { connectionTo, inTransaction } from "./connection.ts"
import { isSession } from "./fork/copy-row.ts"
import type { Connection, Patience, Value } from "./connection.ts"
import { project, projectionTables } from "./project.ts"
import { forgetIndex } from "./search/index-units.ts"
import { rebuildMemories } from "./memory/read.ts"
import { readEvents } from "./read-events.ts"
import { decodeEvent } from "./event-decode.ts"
import type { Source } from "./read-events.ts"
import { findSession, insertSession, rewriteSession } from "./session-row.ts"
import type { KeyedSession } from "./session-row.ts"
import { versions } from "./versions/list.ts"

/** Waits for its turn among writers. One transaction a Session: a kill leaves each as it was or rebuilt. */
export function rebuildAll(connection: Connection, patience: Patience): void {
  inTransaction(connection, patience, () => {
    forgetIndex(connection)
    rebuildMemories(connection)
  })
  const sessions = connection.all<{ id: SessionId }>(`SELECT id FROM session WHERE ${isSession} ORDER BY key`)
  for (const { id } of sessions) {
    inTransaction(connection, patience, () => {
      const row = findSession(connection, id)
      if (row === undefined) return
      for (const table of projectionTables) connection.run(`DELETE FROM ${table} WHERE session = ?`, row.key)
      const source = { connection, key: row.key, id, damage: [], decode: decodeEvent }
      rewriteSession(connection, replay(source, connection, row))
    })
  }
}

/** Names of the projections of one Session that differ from a rebuild. Changes nothing. */
export function compareWithRebuild(source: Source, row: KeyedSession): readonly string[] {
  const db = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false })
  const copy = connectionTo(db)
  try {
    db.exec(versions.at(-1)?.fresh ?? "")
    const empty = insertSession(copy, row.id, row.summary)
    rewriteSession(copy, replay(source, copy, row, empty.key))
    const stale: string[] = projectionTables.filter(
      (table) => dump(source.connection, table, row.key) !== dump(copy, table, empty.key),
    )
    if (sessionText(source.connection, row.key) !== sessionText(copy, empty.key)) stale.unshift("session")
    return stale
  } finally {
    copy.close()
  }
}

/** Replays the log of `source` into the projections of `target`; returns the session row it ends with. */
function replay(source: Source, target: Connection, row: KeyedSession, targetKey = row.key): KeyedSession {
  let summary = identityOf(row.summary)
  for (let after = 0; ;) {
    const events = readEvents(source, after, pageLength)
    for (const event of events) {
      tryProject(target, targetKey, event)
      summary = summarize(summary, event)
    }
    const last = source.connection.get<{ seq: number | null }>(
      "SELECT max(seq) AS seq FROM (SELECT seq FROM event WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?)",
      source.key,
      after,
      pageLength,
    )
    if (last?.seq === undefined || last.seq === null)
      return { key: targetKey, id: row.id, summary: { ...summary, seq: Math.max(after, 1) } }
    after = last.seq
  }
}

const pageLength = 1_000

/** What the fold counts up from nothing; what the Session is stays, in case its event is damaged. */
function identityOf(summary: Summary): Summary {
  const { createdAt, kind, parent, origin, harness, location, title, titledBy, model, agent } = summary
  const { policy, onAsk, allow, budget } = summary
  const identity = { createdAt, kind, parent, origin, harness, location, title, titledBy, model, agent }
  return { ...emptySummary, ...identity, policy, onAsk, allow, budget }
}

/** With a hole in the log an event may not fit what stands; the rest is still worth having. */
function tryProject(target: Connection, key: number, event: Event): void {
  target.exec("SAVEPOINT event")
  try {
    project(target, key, event)
  } catch {
    target.exec("ROLLBACK TO event")
  }
  target.exec("RELEASE event")
}

function dump(connection: Connection, table: string, key: number): string {
  const rows = connection.all<Record<string, Value>>(
    `SELECT * FROM ${table} WHERE session = ? ORDER BY 1, 2, 3`,
    key,
  )
  return JSON.stringify(rows.map((row) => ({ ...row, session: null })))
}

const sessionText = (connection: Connection, key: number): string =>
  JSON.stringify(connection.get("SELECT kind, archived, open, due, summary FROM session WHERE key = ?", key))
