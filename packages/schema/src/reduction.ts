/**
 * Reductions: what the size gate decided not to render any more (TU6).
 *
 * A reduction is applied once, durably, and later requests replay it unchanged. It changes what
 * is rendered, never what is stored.
 */
import { Schema } from "effect"
import { CallId, Seq } from "./id.ts"
import { ModelRef } from "./model.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Reduction = Schema.Struct({
  reason: Schema.Literals(["ceiling", "overflow", "images"]),
  /** Messages below this sequence are not rendered, system messages of the Epoch excepted. */
  keepFrom: Seq,
  /** Messages below `keepFrom` that stay all the same: the newest input when it was cut. */
  kept: Schema.Array(Seq),
  messagesCut: count,
  /** Calls above the cut whose output is replaced by a fixed line. */
  outputsCut: Schema.Array(CallId),
  /** Images of messages below this sequence are named, not shown (LL7). */
  imagesBefore: Schema.optionalKey(Seq),
  /** What a model's refusal told about its window (TU5). */
  learned: Schema.optionalKey(Schema.Struct({ model: ModelRef, contextTokens: count })),
  tokensBefore: count,
  tokensAfter: count,
})
export type Reduction = typeof Reduction.Type
