/**
 * One SQLite connection with prepared statements kept by their text.
 *
 * Row types are trusted here: a statement and the type of its rows stand side by side at each
 * call, and the shape of the tables is checked when the store opens (ST6).
 *
 * Durability is `synchronous=FULL` in WAL mode (PR1). Automatic checkpoints are off: they would
 * run inside a commit and make it ten times slower; the driver runs them between commits.
 */
import { pathToFileURL } from "node:url"
import { DatabaseSync } from "node:sqlite"
import type { StatementSync } from "node:sqlite"
import { keepPrivate } from "../data-file.ts"
import { sqliteCode } from "../failure.ts"

export type Value = null | number | string | Uint8Array

export interface Connection {
  readonly db: DatabaseSync
  readonly get: <Row>(sql: string, ...values: Value[]) => Row | undefined
  readonly all: <Row>(sql: string, ...values: Value[]) => Row[]
  /** Returns how many rows changed. */
  readonly run: (sql: string, ...values: Value[]) => number
  readonly exec: (sql: string) => void
  readonly close: () => void
}

export interface Patience {
  /** How long a lock of another connection is waited for. */
  readonly busyMs: number
}

export const busyMsDefault = 30_000
const readerBusyMs = 5_000

/** What a connection keeps of the file in memory: search reads here and there in all of it. */
const cacheKib = 8_192

export function connectionTo(db: DatabaseSync): Connection {
  db.exec(`PRAGMA cache_size = -${cacheKib}`)
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return {
    db,
    get: <Row>(sql: string, ...values: Value[]) => prepare(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: Value[]) => prepare(sql).all(...values) as Row[],
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    exec: (sql) => void prepare(sql).run(),
    close: () => {
      statements.clear()
      if (db.isOpen) db.close()
    },
  }
}

/** A connection that may write. Creates the file if there is none. */
export function openWriter(file: string, patience: Patience): Connection {
  const db = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true })
  try {
    keepPrivate(file) // before anything is stored, and before what inherits the mode is made
    waitWhileBusy(patience, () => {
      // Possible only in an empty file, and in any other it would ask for the write lock.
      if (db.prepare("PRAGMA page_count").get()?.["page_count"] === 0) {
        db.exec("PRAGMA auto_vacuum = INCREMENTAL")
      }
      db.exec("PRAGMA journal_mode = WAL")
    })
    db.exec("PRAGMA synchronous = FULL")
    db.exec("PRAGMA fullfsync = ON") // without it a sync on macOS stops at the drive's cache
    db.exec("PRAGMA wal_autocheckpoint = 0")
    return connectionTo(db)
  } catch (cause) {
    db.close()
    throw cause
  }
}

/**
 * A connection that only reads. Where the shared index cannot be made, it reads as of now on a disk
 * that cannot be written; on a full one it does without the index, and has the file to itself.
 */
export function openReader(file: string): Connection {
  try {
    return tryReader(file)
  } catch (cause) {
    const code = sqliteCode(cause)
    if (code === sharedIndexTooLarge) return openAlone(file)
    const primary = code === null ? 0 : code & 0xff
    if (primary !== 8 && primary !== 14) throw cause
    const url = pathToFileURL(file)
    url.searchParams.set("immutable", "1")
    return tryReader(url)
  }
}

/** SQLITE_IOERR_SHMSIZE: there is no space for the shared index. */
const sharedIndexTooLarge = 4874

/** Sees what the log beside the database holds, as `immutable` would not. */
function openAlone(file: string): Connection {
  const db = new DatabaseSync(file, { timeout: readerBusyMs })
  try {
    db.exec("PRAGMA query_only = ON")
    db.exec("PRAGMA locking_mode = EXCLUSIVE")
    db.prepare("SELECT count(*) FROM sqlite_schema").get()
    return connectionTo(db)
  } catch (cause) {
    db.close()
    throw cause
  }
}

function tryReader(file: string | URL): Connection {
  const db = new DatabaseSync(file, { readOnly: true, timeout: readerBusyMs })
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get()
    return connectionTo(db)
  } catch (cause) {
    db.close()
    throw cause
  }
}

/** Runs `work` in one immediate transaction; waits for the lock, rolls back if `work` throws. */
export function inTransaction<A>(connection: Connection, patience: Patience, work: () => A): A {
  waitWhileBusy(patience, () => connection.exec("BEGIN IMMEDIATE"))
  try {
    const result = work()
    connection.exec("COMMIT")
    return result
  } catch (cause) {
    rollback(connection)
    throw cause
  }
}

/** SQLite may have rolled back by itself, as after a full disk. */
export function rollback(connection: Connection): void {
  if (connection.db.isTransaction) connection.exec("ROLLBACK")
}

/** All reads of `work` see one state of the store. */
export function inSnapshot<A>(connection: Connection, work: () => A): A {
  connection.exec("BEGIN")
  try {
    return work()
  } finally {
    rollback(connection)
  }
}

/** Busy is a delay: repeats `attempt` with growing pauses until the deadline. */
export function waitWhileBusy(patience: Patience, attempt: () => void): void {
  let deadline = 0
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return attempt()
    } catch (cause) {
      const code = sqliteCode(cause)
      if (code === null || ((code & 0xff) !== 5 && (code & 0xff) !== 6)) throw cause
      const now = performance.now()
      deadline ||= now + patience.busyMs
      if (now >= deadline) throw cause
      Atomics.wait(sleeper, 0, 0, pauseMs)
    }
  }
}

const pauseMsMax = 50
const sleeper = new Int32Array(new SharedArrayBuffer(4))
