/**
 * Where the store lives inside the data directory, and that all of it is its user's alone.
 *
 * SQLite makes its files as open as the umask lets it, so the database is made here, and modes are
 * set after a file is made: the umask can take bits away. What SQLite makes beside the database
 * later has the mode of the database.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs"
import { dirname, join } from "node:path"

const directoryMode = 0o700
export const privateFileMode = 0o600

export const dataFile = (dataDirectory: string): string => join(dataDirectory, "holdfast.db")

/** Makes the directory of the store, and an empty file for it, if they are not there. */
export function prepareDataFile(file: string): void {
  makePrivateDirectory(dirname(file))
  // One that is there is never opened here: closing it would let go of the locks that SQLite holds
  // on it for other connections of this process.
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, "wx", privateFileMode))
    chmodSync(file, privateFileMode)
  } catch (cause) {
    if (!isCode(cause, "EEXIST")) throw cause // another process was quicker
  }
}

/**
 * Makes a directory and those above it that are missing, step by step: the recursive `mkdir` of
 * Node never ends below `/proc`, where a directory can neither be found nor made.
 */
export function makePrivateDirectory(path: string): void {
  const missing: string[] = []
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at)
  for (const each of missing) {
    try {
      mkdirSync(each, { mode: directoryMode })
      chmodSync(each, directoryMode)
    } catch (cause) {
      if (!isCode(cause, "EEXIST")) throw cause // another process was quicker
    }
  }
  if (!statSync(path).isDirectory()) mkdirSync(path) // tells what is in its place
}

/** Closes a database, and what SQLite keeps beside it, to everybody but its owner. */
export function keepPrivate(file: string): void {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    const stats = statSync(each, { throwIfNoEntry: false })
    if (stats === undefined || stats.uid !== process.getuid?.()) continue
    if ((stats.mode & 0o777) === privateFileMode) continue
    try {
      chmodSync(each, privateFileMode)
    } catch (cause) {
      // SQLite has removed it meanwhile, or the file system knows no modes: work goes on.
      if (!isCode(cause, "ENOENT", "EPERM", "ENOTSUP", "EROFS")) throw cause
    }
  }
}

const isCode = (cause: unknown, ...codes: readonly string[]): boolean =>
  cause instanceof Error && "code" in cause && codes.includes(String(cause.code))
