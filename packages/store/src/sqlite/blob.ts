/**
 * Blobs: bytes by their hash, counted by the Sessions that use them.
 *
 * Up to 1 MiB they are rows of the committing transaction. Larger ones are files beside the
 * database: written under another name, synced, renamed, the directory synced, and only then
 * named by a row. Files are made and removed only while the write lock is held, so that nobody
 * removes a file that another process is about to name. A crash can leave a file without a row,
 * never a row without its file; `sweepFiles` removes the former.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { makePrivateDirectory, privateFileMode } from "../data-file.ts"
import type { BlobWrite } from "../port.ts"
import { CommandRefused } from "../failure.ts"
import type { Connection } from "./connection.ts"

const blobRowBytesMax = 1_048_576

export const blobDirectory = (file: string): string => `${file}.blobs`

/** Inside the committing transaction. Writing the same blob again is free, and mends a file that was lost. */
export function putBlob(connection: Connection, directory: string, session: number, blob: BlobWrite): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(blob.hash)) throw new CommandRefused("not a blob hash")
  const asRow = blob.bytes.byteLength <= blobRowBytesMax
  const known = connection.get("SELECT 1 FROM blob WHERE hash = ?", blob.hash) !== undefined
  const isThere = known && (asRow || fileSize(directory, blob.hash) === blob.bytes.byteLength)
  if (!isThere && !asRow) writeFile(directory, blob)
  if (!known) {
    const bytes = asRow ? blob.bytes : null
    connection.run("INSERT INTO blob VALUES (?, ?, ?)", blob.hash, blob.bytes.byteLength, bytes)
  }
  connection.run("INSERT OR IGNORE INTO blob_ref VALUES (?, ?)", session, blob.hash)
}

/** Null also where its file is gone or cut: what is sound still loads (ST3). */
export function readBlob(connection: Connection, directory: string, hash: string): Uint8Array | null {
  const row = connection.get<{ size: number; bytes: Uint8Array | null }>(
    "SELECT size, bytes FROM blob WHERE hash = ?",
    hash,
  )
  if (row === undefined || row.bytes !== null) return row?.bytes ?? null
  if (fileSize(directory, hash) !== row.size) return null
  return new Uint8Array(readFileSync(join(directory, hash)))
}

const fileSize = (directory: string, hash: string): number | null =>
  statSync(join(directory, hash), { throwIfNoEntry: false })?.size ?? null

/** Inside the deleting transaction: rows that no other Session uses. */
export function dropBlobsOf(connection: Connection, session: number): void {
  const used = connection.all<{ hash: string }>(
    `SELECT hash FROM blob_ref AS mine WHERE session = ?
     AND NOT EXISTS (SELECT 1 FROM blob_ref AS other WHERE other.hash = mine.hash AND other.session <> mine.session)`,
    session,
  )
  connection.run("DELETE FROM blob_ref WHERE session = ?", session)
  for (const { hash } of used) connection.run("DELETE FROM blob WHERE hash = ?", hash)
}

/** Removes files that no row names. The caller holds the write lock. */
export function sweepFiles(connection: Connection, directory: string): void {
  if (!existsSync(directory)) return
  for (const name of readdirSync(directory)) {
    if (connection.get("SELECT 1 FROM blob WHERE hash = ? AND bytes IS NULL", name) !== undefined) continue
    rmSync(join(directory, name), { force: true })
  }
}

function writeFile(directory: string, blob: BlobWrite): void {
  makePrivateDirectory(directory)
  const target = join(directory, blob.hash)
  const temporary = `${target}.part`
  const handle = openSync(temporary, "w", privateFileMode)
  try {
    fchmodSync(handle, privateFileMode) // the mode above is less what the umask takes
    for (let at = 0; at < blob.bytes.byteLength;) at += writeSync(handle, blob.bytes, at)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, target)
  syncDirectory(directory)
}

function syncDirectory(directory: string): void {
  if (process.platform === "win32") return // a directory cannot be opened there
  const handle = openSync(directory, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
