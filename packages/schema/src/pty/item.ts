/**
 * What a reader of a terminal gets (PT1), and what lets it in.
 *
 * A cursor counts the bytes that the terminal has put out since its start. It is absolute: it means
 * the same to every reader, and whoever has read up to one goes on from there.
 */
import { Schema } from "effect"
import { PtyExit } from "./pty.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

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
