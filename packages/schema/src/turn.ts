/**
 * Provider Turns and their ledger.
 *
 * A turn opens in the boundary commit, with the hash of the request it is about to send, and
 * settles once:
 *
 *   started ──▶ done         the answer is complete and asks for nothing more
 *           ├─▶ continue     every call of the answer has settled; the model is due again
 *           ├─▶ asking       calls wait for an answer of somebody; nothing waits in memory (PE3)
 *           ├─▶ failed       a typed reason; nothing more happens by itself
 *           └─▶ interrupted  by the user, by a crash, or by a stream that broke after output
 */
import { Schema } from "effect"
import { Accuracy, Usage } from "./model.ts"

/** A stable code and a sentence for a person that says what to do. */
export const Reason = Schema.Struct({ code: Schema.String, message: Schema.String })
export type Reason = typeof Reason.Type

export const TurnStatus = Schema.Literals(["done", "continue", "asking", "failed", "interrupted"])
export type TurnStatus = typeof TurnStatus.Type

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Identity of a request: enough to prove that a rebuilt one is the same (TU1). */
export const RequestRecord = Schema.Struct({
  hash: Schema.String,
  prefixHash: Schema.String,
  encoder: Schema.String,
  blocks: count,
  bytes: count,
  tokensEstimated: count,
  /** Blocks that carry a cache marker, and how long what is marked lives. */
  markers: Schema.Array(Schema.Struct({ block: count, lifetime: Schema.String })),
  /** Hash of the settings outside the blocks. */
  params: Schema.String,
})
export type RequestRecord = typeof RequestRecord.Type

export const PassKind = Schema.Literals(["hold", "refresh", "fold"])
export type PassKind = typeof PassKind.Type

export const SegmentName = Schema.Literals([
  "params",
  "tools",
  "system",
  "agent",
  "history-baseline",
  "history-delta",
  "tail",
])
export type SegmentName = typeof SegmentName.Type

/** Where a request stops repeating the previous one, and why. */
export const Break = Schema.Struct({
  block: count,
  segment: SegmentName,
  reason: Schema.String,
})
export type Break = typeof Break.Type

export const Attempt = Schema.Struct({
  /** Null for the attempt that was answered. */
  failure: Schema.NullOr(Reason),
  waitMs: count,
  /** Absent where nothing was used: the request did not leave, or was refused. */
  usage: Schema.optionalKey(Usage),
  /** Of these counts; exact unless said. */
  accuracy: Schema.optionalKey(Accuracy),
})
export type Attempt = typeof Attempt.Type

/** An extra that a turn went without, and why (FA2). */
export const LeftOut = Schema.Struct({ extra: Schema.String, problem: Schema.String })
export type LeftOut = typeof LeftOut.Type

/** TU7: one row for every turn; what its boundary knew (break, expected cache) stands in `turn.started`. */
export const LedgerRow = Schema.Struct({
  /** Of all attempts together. */
  usage: Usage,
  /** Of usage and cost; exact unless said. */
  accuracy: Schema.optionalKey(Accuracy),
  /** Dollars; null where the price or what was used is not known. */
  cost: Schema.NullOr(Schema.Finite),
  /** Dollars that are known of, where the cost is not; absent where there are none. */
  costKnown: Schema.optionalKey(Schema.Finite),
  attempts: Schema.Array(Attempt),
  durationMs: count,
  /** The process was killed: attempts and duration are what is on record, and the least they can be. */
  atLeast: Schema.optionalKey(Schema.Literal(true)),
  finish: Schema.NullOr(Schema.String),
})
export type LedgerRow = typeof LedgerRow.Type

/** Nothing was sent: the request was refused here. Of a turn that was killed nobody knows. */
export const isUnsent = ({ attempts, accuracy }: Pick<LedgerRow, "attempts" | "accuracy">): boolean =>
  attempts.length === 0 && accuracy === undefined
