/** A turn as a surface shows it: the two facts that the log holds about it, and their proof (TU1). */
import { Schema } from "effect"
import { CacheWarmed } from "./fact/recall.ts"
import { TurnSettled, TurnStarted } from "./fact/turn.ts"
import { Seq, TurnId } from "./id.ts"

const { model, inRow, usage, cost } = CacheWarmed.fields

/** A request that only kept the provider's cache, while nobody spoke. */
export const Warming = Schema.Struct({ seq: Seq, at: Schema.Int, model, inRow, usage, cost })
export type Warming = typeof Warming.Type

export const TurnRecord = Schema.Struct({
  startedSeq: Seq,
  startedAt: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  started: TurnStarted,
  /** Null while the turn runs, and after a crash until somebody settles it. */
  settled: Schema.NullOr(TurnSettled),
  /** Requests behind it that kept its cache; absent where there are none, or none were asked for. */
  warmed: Schema.optionalKey(Schema.Array(Warming)),
})
export type TurnRecord = typeof TurnRecord.Type

const verdict = <K extends string, F extends Schema.Struct.Fields>(kind: K, fields: F) =>
  Schema.Struct({ kind: Schema.Literal(kind), ...fields })

/** Whether the request of a turn, rebuilt from the log, is the one that was sent. */
export const Verdict = Schema.Union([
  verdict("same", {}),
  verdict("different", { expected: Schema.String, found: Schema.String }),
  verdict("other-encoder", { encoder: Schema.String }),
  /** The turn's selection or part of its history cannot be read. */
  verdict("unreadable", { problem: Schema.String }),
])
export type Verdict = typeof Verdict.Type

export const VerifiedTurn = Schema.Struct({ turn: TurnId, startedSeq: Seq, verdict: Verdict })
export type VerifiedTurn = typeof VerifiedTurn.Type

/** What a turn sent, rebuilt from the log; the verdict says whether these are the very bytes. */
export const SentRequest = Schema.Struct({
  turn: TurnId,
  verdict: Verdict,
  url: Schema.String,
  /** Names only: values hold the key. */
  headers: Schema.Array(Schema.String),
  /** Null if the request cannot be rebuilt at all. */
  body: Schema.NullOr(Schema.String),
})
export type SentRequest = typeof SentRequest.Type
