/**
 * What recall did to a window, as a surface shows it: the parts of the history that stand for messages, how far the next
 * break is, the receipt of each break, and what a rebuild changed (PG3, SU2, SU4).
 */
import { Schema } from "effect"
import { CompartmentSpan, SignalRaised } from "../fact/recall.ts"
import { PriceExpected } from "../fact/turn.ts"
import { MessageId, Seq, TurnId } from "../id.ts"
import { Break, PassKind, Reason } from "../turn.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const share = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const cost = Schema.NullOr(Schema.Finite)

/** A part of the history, and how much of it the window shows. */
export const ShownCompartment = Schema.Struct({
  ...CompartmentSpan.fields,
  /** From 1, the fullest, to 4; null where it is not shown. */
  tier: Schema.NullOr(count),
  /** It is an archive, in the place of parts that decay has passed (DK1); absent where it is not. */
  archived: Schema.optionalKey(Schema.Boolean),
  /** Of what is shown of it, about. */
  tokens: count,
  /** `delta` came in after the last Fold, `waiting` comes with the next break, `hidden` has no room; all can be expanded. */
  place: Schema.Literals(["baseline", "delta", "waiting", "hidden"]),
})
export type ShownCompartment = typeof ShownCompartment.Type

export const RecallStatus = Schema.Struct({
  /** What the request takes of what may be sent. */
  usage: share,
  /** The share at which old messages are summed up (PS5). */
  threshold: share,
  /** What may be added before that. */
  tokensLeft: count,
  /** Messages that are not shown as they were. */
  messagesHidden: count,
  /** Units with a tag in the window, and how many of these are dropped (TG1). */
  tags: count,
  tagsDropped: count,
  /** What rides on the next break. */
  waiting: Schema.Array(Schema.Struct({ kind: SignalRaised.fields.kind, count })),
})
export type RecallStatus = typeof RecallStatus.Type

/** A compartment that came into the window, and the messages that it covers. */
export const Summarised = Schema.Struct({
  ...CompartmentSpan.fields,
  tier: Schema.NullOr(count),
  /** It is an archive, in the place of parts that decay has passed (DK1); absent where it is not. */
  archived: Schema.optionalKey(Schema.Boolean),
  by: Schema.Literals(["model", "extractive", "rebuild"]),
  messages: count,
  /** Of these, those that had left the window before, in other compartments; absent where there are none. */
  messagesBefore: Schema.optionalKey(count),
  first: Schema.NullOr(MessageId),
  last: Schema.NullOr(MessageId),
})
export type Summarised = typeof Summarised.Type

/** A compartment that the history held before, and how full it was shown and is now; null where it is not shown. */
export const HeldCompartment = Schema.Struct({
  ...CompartmentSpan.fields,
  tierBefore: Schema.NullOr(count),
  tier: Schema.NullOr(count),
  /** It is an archive, since this break or since one before it; absent where it is none. */
  archived: Schema.optionalKey(Schema.Literals(["now", "before"])),
})
export type HeldCompartment = typeof HeldCompartment.Type

/** TU7, SU4: what one break did, from the records of its turn. */
export const BreakReceipt = Schema.Struct({
  turn: TurnId,
  /** The how manieth of the Session, from 1. */
  number: count,
  startedSeq: Seq,
  startedAt: count,
  pass: PassKind,
  /** Why the cache was lost; null where nothing had been sent before. */
  break: Schema.NullOr(Break),
  /** As it would have been sent, and as it was, as the provider counts; the same where nothing was taken out. */
  tokensBefore: count,
  tokensAfter: count,
  kept: Schema.Struct({
    /** Messages that are still shown as they were. */
    messages: count,
    /** Compartments that were there before and are shown. */
    compartments: count,
  }),
  /** All compartments that were there before and stand still, oldest first. */
  held: Schema.Array(HeldCompartment),
  summarised: Schema.Array(Summarised),
  /** Compartments that others took the place of, such as an archive. */
  left: Schema.Array(Schema.String),
  dropped: Schema.Struct({
    messages: count,
    calls: count,
    skeletons: count,
    strips: count,
    /** Images that went alone; absent where none did (TG1). */
    images: Schema.optionalKey(count),
    /** Answers that are told in fewer words than before; absent where none is (TG5). */
    shortened: Schema.optionalKey(count),
  }),
  /** Of the turn, in dollars. */
  cost,
  /** Of the historian's jobs since the break before, those of a rebuild and those that came to nothing too. */
  costHistorian: cost,
  priceExpected: Schema.NullOr(PriceExpected),
})
export type BreakReceipt = typeof BreakReceipt.Type

/** HI7: what a rebuild did; the window shows it with the next request. */
export const RebuildResult = Schema.Struct({
  /** Ranges whose compartments were made anew. */
  ranges: count,
  /** Ranges that had been rebuilt from the same messages before. */
  unchanged: count,
  /** Ranges that somebody else changed meanwhile. */
  overtaken: count,
  compartmentsBefore: count,
  compartmentsAfter: count,
  messages: count,
  /** Ranges that the historian's model wrote. */
  byModel: count,
  /** Ranges that it was asked for and did not write, by the reason; they were made without it. */
  withoutModel: Schema.Array(Schema.Struct({ ...Reason.fields, ranges: count })),
  /** Of what the model was asked; null where some of it is not known. */
  cost,
})
export type RebuildResult = typeof RebuildResult.Type
