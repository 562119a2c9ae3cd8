/**
 * Failures of the outside world as one typed value (ST3, FA1).
 *
 * SQLite and the file system report numbers and codes; callers see a StoreFailure whose message
 * says what to do. Here it is plain data, which survives a thread boundary; `reply.ts` makes the
 * class of it. Nothing below the writer thread imports effect: loading it there would cost 400 ms.
 */
import type { StoreFailureCode } from "@holdfast/schema/error"

export interface FailureFields {
  readonly code: StoreFailureCode
  readonly message: string
  readonly outcomeUnknown: boolean
  readonly detail: string
}

/** A command that does not fit the stored records: a broken promise of its caller. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused"
}

/** Refusals that this package decides itself, with their code. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused"
  readonly code: StoreFailureCode
  constructor(code: StoreFailureCode, detail: string) {
    super(detail)
    this.code = code
  }
}

/** The failure behind anything thrown by SQLite, the file system or this package. */
export function explain(cause: unknown, outcomeUnknown = false): FailureFields {
  const code = codeOf(cause)
  const detail = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  return { code, message: advice[code], outcomeUnknown, detail }
}

const advice: Record<StoreFailureCode, string> = {
  busy: "Another process kept the store locked. Try again; if it stays so, end the process that holds it.",
  full: "The disk is full. Free some space and try again; nothing that was acknowledged is lost.",
  read_only: "The store cannot be written. Check the permissions of the data directory and its disk.",
  corrupt: "The store holds bytes that cannot be read. Run `holdfast doctor`; do not delete the file.",
  newer: "The store was written by a newer version of Holdfast. Update Holdfast; the store was not touched.",
  mismatch:
    "What the store holds does not match what was expected. Run `holdfast doctor` before any other work.",
  closed: "The store is closed. Open it again.",
  unavailable: "The store could not be reached. Check the data directory and its disk, then try again.",
}

const primaryCodes: Readonly<Record<number, StoreFailureCode>> = {
  1: "mismatch", // SQLITE_ERROR: a table or column that is not there
  3: "read_only", // SQLITE_PERM
  5: "busy",
  6: "busy", // SQLITE_LOCKED
  8: "read_only",
  11: "corrupt",
  13: "full",
  17: "mismatch", // SQLITE_SCHEMA
  19: "mismatch", // SQLITE_CONSTRAINT
  26: "corrupt", // SQLITE_NOTADB
}

const ioShortRead = 522

const systemCodes: Readonly<Record<string, StoreFailureCode>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EROFS: "read_only",
  EACCES: "read_only",
  EPERM: "read_only",
}

function codeOf(cause: unknown): StoreFailureCode {
  if (cause instanceof StoreRefused) return cause.code
  if (cause instanceof CommandRefused) return "mismatch"
  if (cause instanceof SyntaxError) return "corrupt" // a projection column that is no JSON
  const number = sqliteCode(cause)
  if (number === ioShortRead) return "corrupt"
  if (number !== null) return primaryCodes[number & 0xff] ?? "unavailable"
  const code: unknown = cause instanceof Error && "code" in cause ? cause.code : null
  if (typeof code === "string") return systemCodes[code] ?? (isClosed(cause) ? "closed" : "unavailable")
  return "unavailable"
}

/** The extended result code of a SQLite error, or null. */
export function sqliteCode(cause: unknown): number | null {
  if (!(cause instanceof Error) || !("errcode" in cause)) return null
  return typeof cause.errcode === "number" ? cause.errcode : null
}

/** node:sqlite has one code for every misuse, so only its text tells that a database is closed. */
const isClosed = (cause: unknown): boolean =>
  cause instanceof Error && cause.message.includes("database is not open")
