/**
 * OpenCode's store: a SQLite database that OpenCode may be writing to (IM2).
 *
 * It is read from a copy made with its write-ahead log, so that nothing of ours is ever seen by OpenCode,
 * and what is not yet in the main file is not missed. The copy is removed again.
 */
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isObject, type JsonFields, objectOf } from "../reading/fields.ts"
import { skipped } from "../reading/line-reader.ts"
import type { ForeignRecord } from "../record.ts"
import { openCodeMessages, sessionOf } from "./message.ts"

export async function* readOpenCodeStore(file: string): AsyncIterable<ForeignRecord> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-opencode-"))
  try {
    const copy = join(folder, "store.db")
    await cp(file, copy)
    await cp(`${file}-wal`, `${copy}-wal`).catch(nothingThere)
    yield* readCopy(copy)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A store that was closed has no log beside it. */
function nothingThere(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error
}

/** A store that is damaged, or of a version that keeps other tables, is read as far as it goes. */
function* readCopy(copy: string): Iterable<ForeignRecord> {
  let database: DatabaseSync | null = null
  let line = 0
  try {
    database = new DatabaseSync(copy)
    const sessions = database.prepare("SELECT * FROM session ORDER BY time_created, id")
    const messages = database.prepare(
      "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
    )
    const parts = database.prepare("SELECT id, data FROM part WHERE message_id = ? ORDER BY id")
    for (const row of sessions.iterate()) {
      const session = sessionOf(objectOf(row))
      if (session === null || session.type !== "session") continue
      yield session
      const reader = openCodeMessages(session.session)
      for (const message of messages.iterate(session.session)) {
        line++
        const info = dataOf(message)
        if (info === null)
          yield skipped(session.session, line, "not-json", `message ${String(message["id"])}`)
        else yield* reader.message(info, parts.all(String(message["id"])).flatMap(partOf), line)
      }
    }
  } catch (error) {
    // SQLite refuses what is no database or is damaged; what was read before stands.
    yield skipped(null, line + 1, "wrong-shape", error instanceof Error ? error.message : "not readable")
  } finally {
    database?.close()
  }
}

const partOf = (row: Record<string, unknown>): readonly JsonFields[] => {
  const part = dataOf(row)
  return part === null ? [] : [{ id: String(row["id"]), ...part }]
}

function dataOf(row: Record<string, unknown>): JsonFields | null {
  try {
    const data: unknown = JSON.parse(String(row["data"]))
    return isObject(data) ? { id: String(row["id"]), ...data } : null
  } catch {
    // Only a syntax error throws here.
    return null
  }
}
