/**
 * Terminals (PT1): what is known of one, and what a reader of its output gets.
 *
 * A cursor counts the bytes that the terminal has put out since its start. It is absolute: it means
 * the same to every reader, and whoever has read up to one goes on from there.
 */
import { Schema } from "effect"
import { PtyId } from "./id.ts"

export const columnsMax = 1_000
export const rowsMax = 500

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

/** The screen as it was at the cursor: written to a blank terminal of this size, it looks the same. */
const ScreenItem = Schema.Struct({
  type: Schema.Literal("screen"),
  cursor: count,
  columns: Schema.Int,
  rows: Schema.Int,
  data: Schema.Uint8ArrayFromBase64,
})

/** Bytes of the program; the cursor stands behind them. A character may be cut in two. */
const OutputItem = Schema.Struct({
  type: Schema.Literal("output"),
  cursor: count,
  data: Schema.Uint8ArrayFromBase64,
})

const ResizedItem = Schema.Struct({
  type: Schema.Literal("resized"),
  columns: Schema.Int,
  rows: Schema.Int,
})

/** The last item: the program has ended, and all of its output came before. */
const ExitItem = Schema.Struct({ type: Schema.Literal("exit"), cursor: count, ...PtyExit.fields })

/** The last item of a reader that fell behind the buffer. */
const CutOffItem = Schema.Struct({
  type: Schema.Literal("cut-off"),
  cursor: count,
  reason: Schema.Struct({ code: Schema.String, message: Schema.String }),
})

export const PtyItem = Schema.Union([ScreenItem, OutputItem, ResizedItem, ExitItem, CutOffItem])
export type PtyItem = typeof PtyItem.Type

/** Lets one WebSocket in, once (PT1). */
export const PtyTicket = Schema.Struct({
  ticket: Schema.String,
  /** How long it is good, from now on. */
  expiresMs: count,
})
export type PtyTicket = typeof PtyTicket.Type
