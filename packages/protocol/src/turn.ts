/** A turn as a surface shows it: the two facts that the log holds about it. */
import { Schema } from "effect"
import { TurnSettled, TurnStarted } from "@holdfast/schema/event"
import { Seq } from "@holdfast/schema/id"

export const TurnRecord = Schema.Struct({
  startedSeq: Seq,
  startedAt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  started: TurnStarted,
  /** Null while the turn runs, and after a crash until somebody settles it. */
  settled: Schema.NullOr(TurnSettled),
})
export type TurnRecord = typeof TurnRecord.Type
