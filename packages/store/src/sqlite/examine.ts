/**
 * Examination: what can be said about a store without writing a byte of it.
 *
 * The store itself refuses a damaged or unknown file; this looks all the same. Every question is
 * asked apart, so that damage which ends one answer leaves the others (ST3). A file that nobody has
 * open is read as it lies: an ordinary reader would make the shared index beside it. If somebody
 * opens it meanwhile, it is looked at once more, as one reader among others.
 */
import { hash as digest } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { DatabaseSync } from "node:sqlite"
import type { SessionId } from "@holdfast/schema/id"
import { isOpen as isUnsettled } from "@holdfast/schema/state/summary"
import { explain, type FailureFields } from "../failure.ts"
import type { FailedDreams } from "../memory.ts"
import type { HistorianJob } from "../job.ts"
import type { Lease, LeaseOwner, SessionRow } from "../port.ts"
import { blobDirectory } from "./blob.ts"
import { connectionTo, type Connection } from "./connection.ts"
import { isSession } from "./fork/copy-row.ts"
import { failedHistorianJobs } from "./rows/failed-jobs.ts"
import { readFailedDreams } from "./memory/failed-dreams.ts"
import { checkVersion, schemaVersion } from "./migrate.ts"
import { readFrom } from "./reader.ts"
import { compareWithRebuild } from "./rebuild.ts"
import { decodeSession, findSession } from "./session-row.ts"

/** A record that cannot be read or is not there; `session` or `seq` is null where nobody can tell. */
export interface DamagedRecord {
  readonly session: SessionId | null
  readonly seq: number | null
  readonly problem: string
}

export interface StoreExamination {
  readonly file: string
  readonly state: "absent" | "looked-at" | "unreadable"
  /** What kept it from being opened, or makes the program refuse it. */
  readonly failure: FailureFields | null
  readonly schemaVersion: number | null
  /** The version that this program writes. */
  readonly schemaVersionKnown: number
  readonly bytes: number
  readonly sessions: number
  readonly events: number
  /** What SQLite itself finds wrong with the file. */
  readonly integrity: readonly string[]
  /** What it finds wrong with the indexes of words, which are made anew by themselves. */
  readonly index: readonly string[]
  readonly damage: readonly DamagedRecord[]
  /** Projections that differ from the log. */
  readonly stale: readonly { readonly session: SessionId; readonly table: string }[]
  readonly leases: readonly Lease[]
  /** Sessions with a debt, pending input, an open turn, or a reason to stand still. */
  readonly unfinished: readonly SessionRow[]
  /** Projects whose last run of the dreamer failed. */
  readonly failedDreams: readonly FailedDreams[]
  /** Jobs of the historian since the last one that was done, the newest first. */
  readonly failedHistorian: readonly HistorianJob[]
}

const busyMs = 1_000
/** Lines that SQLite may fill with one broken page. */
const integrityLinesMax = 20

export function examineStore(file: string): StoreExamination {
  const first = examineOnce(file, !isOpen(file))
  return first.opened === "as-it-lies" && isOpen(file)
    ? examineOnce(file, false).examination
    : first.examination
}

/** A reader or writer in WAL mode keeps this file beside the store as long as it is open. */
const isOpen = (file: string): boolean => existsSync(`${file}-wal`)

interface Look {
  readonly opened: "as-it-lies" | "as-a-reader"
  readonly examination: StoreExamination
}

function examineOnce(file: string, asItLies: boolean): Look {
  const opened = asItLies ? "as-it-lies" : "as-a-reader"
  const nothing: StoreExamination = {
    file,
    state: "absent",
    failure: null,
    schemaVersion: null,
    schemaVersionKnown: schemaVersion,
    bytes: 0,
    sessions: 0,
    events: 0,
    integrity: [],
    index: [],
    damage: [],
    stale: [],
    leases: [],
    unfinished: [],
    failedDreams: [],
    failedHistorian: [],
  }
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return { opened, examination: nothing }
    const connection = openLooking(file, asItLies)
    try {
      const examination = examine({ ...nothing, state: "looked-at", bytes: found.size }, connection)
      return { opened, examination }
    } finally {
      connection.close()
    }
  } catch (cause) {
    return { opened, examination: { ...nothing, state: "unreadable", failure: explain(cause) } }
  }
}

function openLooking(file: string, asItLies: boolean): Connection {
  const url = pathToFileURL(file)
  if (asItLies) url.searchParams.set("immutable", "1")
  const db = new DatabaseSync(url, { readOnly: true, timeout: busyMs })
  try {
    db.prepare("SELECT count(*) FROM sqlite_schema").get()
    return connectionTo(db)
  } catch (cause) {
    db.close()
    throw cause
  }
}

function examine(nothing: StoreExamination, connection: Connection): StoreExamination {
  const damage: DamagedRecord[] = []
  let newer: FailureFields | null = null
  /** Runs one question; what it throws becomes a record of the damage, and the answer is the fallback. */
  const ask = <A>(session: SessionId | null, what: string, fallback: A, question: () => A): A => {
    try {
      return question()
    } catch (cause) {
      const failure = explain(cause)
      // A record of a newer version is sound, and nothing of it is lost (ST1).
      if (failure.code === "newer") newer ??= failure
      else damage.push({ session, seq: null, problem: `${what} cannot be read (${failure.detail})` })
      return fallback
    }
  }
  const version = ask(null, "the version", null, () => rawVersion(connection))
  const refusal = versionRefusal(connection)
  const wrong = ask(null, "the file", [], () => checkIntegrity(connection))
  const index = wrong.filter((line) => ofIndex.test(line))
  const integrity = wrong.filter((line) => !ofIndex.test(line))
  // The tables of another version have other columns; nothing below would fit them.
  if (refusal !== null || version !== schemaVersion) {
    return { ...nothing, schemaVersion: version, failure: refusal, integrity, index, damage }
  }
  const ids = ask(null, "the list of Sessions", [], () =>
    connection
      .all<{ id: SessionId }>(`SELECT id FROM session WHERE ${isSession} ORDER BY key`)
      .map(({ id }) => id),
  )
  const stale = ids.flatMap((session) =>
    ask(session, "its log", [], () => examineSession(connection, session, damage)),
  )
  damage.push(...ask(null, "the blobs", [], () => examineBlobs(connection, nothing.file)))
  return {
    ...nothing,
    failure: newer,
    schemaVersion: version,
    sessions: ids.length,
    events: ask(null, "the log", 0, () => countOf(connection, "event")),
    integrity,
    index,
    stale,
    leases: ask(null, "the leases", [], () => heldLeases(connection)),
    unfinished: ids.flatMap((session) =>
      ask(session, "its row", [], () => unfinishedSession(connection, session)),
    ),
    failedDreams: ask(null, "the runs of the dreamer", [], () => readFailedDreams(connection)),
    failedHistorian: ask(null, "the jobs of the historian", [], () => failedHistorianJobs(connection)),
    damage,
  }
}

/** SQLite names the module that finds it. */
const ofIndex = /\bfts5\b/i

const rawVersion = (connection: Connection): number =>
  connection.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0

/** Why the program would refuse this store, or null. */
function versionRefusal(connection: Connection): FailureFields | null {
  try {
    checkVersion(connection)
    return null
  } catch (cause) {
    return explain(cause)
  }
}

/** The lines of `PRAGMA integrity_check`, and rows that belong to nothing; none if all is sound. */
function checkIntegrity(connection: Connection): readonly string[] {
  const lines = connection
    .all<{ integrity_check: string }>(`PRAGMA integrity_check(${integrityLinesMax})`)
    .map((row) => row.integrity_check)
    .filter((line) => line !== "ok")
  const orphans = connection.all<{ table: string; parent: string }>("PRAGMA foreign_key_check")
  const tables = new Map<string, number>()
  for (const { table, parent } of orphans) {
    const name = `${table} without its ${parent}`
    tables.set(name, (tables.get(name) ?? 0) + 1)
  }
  return [...lines, ...[...tables].map(([name, rows]) => `${rows} rows of ${name}`)]
}

function examineSession(connection: Connection, session: SessionId, damage: DamagedRecord[]) {
  const stale = readFrom(connection, session, (source, row) => {
    const tables = compareWithRebuild(source, row)
    damage.push(...source.damage)
    return tables
  })
  return (stale ?? []).map((table) => ({ session, table }))
}

/** Bytes are stored in the row or, when they are many, in a file of that name. One after another: they may be large. */
function examineBlobs(connection: Connection, file: string): readonly DamagedRecord[] {
  const rows = connection.all<{ hash: string; size: number; session: SessionId | null }>(
    `SELECT hash, size, (
       SELECT id FROM blob_ref JOIN session ON session.key = blob_ref.session
       WHERE blob_ref.hash = blob.hash LIMIT 1
     ) AS session FROM blob`,
  )
  return rows.flatMap(({ hash, size, session }) => {
    const problem = problemOfBlob(bytesOfBlob(connection, file, hash), hash, size)
    return problem === null ? [] : [{ session, seq: null, problem: `the blob ${hash}: ${problem}` }]
  })
}

function bytesOfBlob(connection: Connection, file: string, hash: string): Uint8Array | null {
  const row = connection.get<{ bytes: Uint8Array | null }>("SELECT bytes FROM blob WHERE hash = ?", hash)
  const path = join(blobDirectory(file), hash)
  return row?.bytes ?? (existsSync(path) ? readFileSync(path) : null)
}

function problemOfBlob(bytes: Uint8Array | null, hash: string, size: number): string | null {
  if (bytes === null) return "its file is missing"
  if (bytes.length !== size) return `it has ${bytes.length} bytes in place of ${size}`
  return digest("sha256", bytes) === hash ? null : "its bytes are not those that were stored"
}

const countOf = (connection: Connection, table: "event"): number =>
  connection.get<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`)?.rows ?? 0

function heldLeases(connection: Connection): readonly Lease[] {
  return connection
    .all<{ session: SessionId; owner: string; token: number; beat: number }>(
      `SELECT session.id AS session, owner, token, beat FROM lease JOIN session ON session.key = lease.session
       WHERE owner IS NOT NULL ORDER BY session.key`,
    )
    .map((row) => ({ ...row, owner: JSON.parse(row.owner) as LeaseOwner }))
}

function unfinishedSession(connection: Connection, session: SessionId): readonly SessionRow[] {
  const row = findSession(connection, session)
  if (row === undefined) return []
  const { owing, pending, quiet, asks, blocked, waiting } = row.summary
  const stands = owing || pending > quiet || asks > 0 || blocked !== null || waiting !== null
  return stands || isUnsettled(row.summary) ? [decodeSession(row)] : []
}
