/** A terminal (PT1), as far as it is known to those who use it. */
import { Schema } from "effect"
import { PtyId } from "../id.ts"

const columnsMax = 1_000
const rowsMax = 500

/** Narrower ones cannot be emulated. */
const columnsMin = 2

export const Columns = Schema.Int.check(Schema.isBetween({ minimum: columnsMin, maximum: columnsMax }))
export const Rows = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: rowsMax }))

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** One of the two is null; both are where the process that held the terminal died. */
export const PtyExit = Schema.Struct({
  code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
})
export type PtyExit = typeof PtyExit.Type

export const Pty = Schema.Struct({
  id: PtyId,
  /** Given when it was made, else what its program calls itself. */
  title: Schema.String,
  argv: Schema.Array(Schema.String),
  /** Canonical; where the program was started. */
  directory: Schema.String,
  columns: Schema.Int,
  rows: Schema.Int,
  /** Bytes put out so far. */
  cursor: count,
  /** Null while the program runs. */
  exit: Schema.NullOr(PtyExit),
})
export type Pty = typeof Pty.Type
