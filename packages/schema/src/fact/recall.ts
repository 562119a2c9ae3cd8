/**
 * Facts about what of a long history is rendered, and what was learned on the way.
 *
 * `pass.applied` is the one record that changes what is rendered (PS3): a Fold states all of it
 * anew, a Refresh adds to it. Ops are data and name units by message and call, never by number.
 */
import { Schema } from "effect"
import { CallId, MessageId, Seq, SessionId, SignalId } from "../id.ts"
import { Json } from "../json.ts"
import { Accuracy, ModelRef, Usage } from "../model.ts"
import { count, fact } from "./fact.ts"

/** One thing that can be dropped: a message's own content, one of its calls, or one of the images of either, from 1. */
const Unit = Schema.Struct({
  message: MessageId,
  call: Schema.NullOr(CallId),
  image: Schema.optionalKey(count),
})

const op = <K extends string, F extends Schema.Struct.Fields>(kind: K, fields: F) =>
  Schema.Struct({ op: Schema.Literal(kind), ...fields })

export const PassOp = Schema.Union([
  /** Not rendered any more; a skeleton keeps call and result paired (TG2). */
  op("drop", { unit: Unit, leaves: Schema.Literals(["nothing", "skeleton"]) }),
  op("strip", {
    message: MessageId,
    what: Schema.Literals(["reasoning", "noise", "images", "reduce-call", "shell"]),
  }),
  op("shorten", { message: MessageId, depth: count }),
  /** Messages below the sequence are not rendered, those kept excepted; `messages` counts all that ever went. */
  op("cut", { below: Seq, kept: Schema.Array(Seq), messages: count }),
  /** Images of messages below the sequence are named, not shown (LL7). */
  op("name-images", { below: Seq }),
  op("anchor-todo", { message: MessageId, todo: Json }),
])
export type PassOp = typeof PassOp.Type

/** The exact texts of the two history slots, and what they were made from (HB6). */
export const Slots = Schema.Struct({
  baseline: Schema.String,
  delta: Schema.String,
  /** Everything below this sequence stands in the slots, in compartments, or is archived. */
  boundary: count,
  markers: Json,
})
export type Slots = typeof Slots.Type

/** A waiting boundary move is applied, found applied already, or discarded with a reason. */
const MoveEnd = Schema.Struct({
  signal: SignalId,
  outcome: Schema.Literals(["applied", "already", "stale"]),
  reason: Schema.NullOr(Schema.String),
})

export const PassApplied = fact("pass.applied", {
  pass: Schema.Literals(["refresh", "fold"]),
  /** Why the prefix breaks: a stable code, the same as in the ledger. */
  reason: Schema.String,
  ops: Schema.Array(PassOp),
  slots: Schema.NullOr(Slots),
  /** Signals that end with it. */
  consumes: Schema.Array(SignalId),
  /** What became of boundary moves that waited; absent where none ended (MK2). */
  moves: Schema.optionalKey(Schema.Array(MoveEnd)),
  tokensBefore: count,
  tokensAfter: count,
})

/** Something that waits for the next break: it never forces one of its own (PS4), but for a `fold`, which a person asks for. */
export const SignalRaised = fact("signal.raised", {
  signal: SignalId,
  kind: Schema.Literals(["drop", "execute", "flush", "fold", "move", "memory", "expiry"]),
  detail: Json,
})
export type SignalRaised = typeof SignalRaised.Type

/** Which stretch of the log a compartment covers, and what it is called. */
export const CompartmentSpan = Schema.Struct({
  id: Schema.String,
  fromSeq: Seq,
  toSeq: Seq,
  title: Schema.String,
})

/** A summarised stretch of history with its four lengths (HI1). */
export const Compartment = Schema.Struct({
  ...CompartmentSpan.fields,
  /** From the fullest to the densest. */
  tiers: Schema.Tuple([Schema.String, Schema.String, Schema.String, Schema.String]),
  importance: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })),
  episode: Schema.String,
})
export type Compartment = typeof Compartment.Type

export const HistoryPublished = fact("history.published", {
  fromSeq: Seq,
  toSeq: Seq,
  /** Hash of the content of the range (HI4). */
  fingerprint: Schema.String,
  by: Schema.Literals(["model", "extractive", "rebuild"]),
  compartments: Schema.Array(Compartment),
  events: Schema.Array(Schema.Struct({ seq: Seq, text: Schema.String })),
  facts: Schema.Array(Schema.Struct({ category: Schema.String, text: Schema.String })),
  observations: Schema.Array(Schema.String),
  /** Compartments that these take the place of; else the range begins at the recorded end. */
  replaces: Schema.Array(Schema.String),
  job: Schema.NullOr(SessionId),
})

/** TU5: what a refusal told about a model's window. */
export const LimitLearned = fact("limit.learned", { model: ModelRef, contextTokens: count })

/** A request whose only purpose was to keep the provider's cache. */
export const CacheWarmed = fact("cache.warmed", {
  model: ModelRef,
  /** The how manieth since the last turn. */
  inRow: count,
  usage: Usage,
  cost: Schema.NullOr(Schema.Finite),
})

/** A request that only asked whether the provider takes it, without some messages; its answer was not awaited (LL7). */
export const RequestProbed = fact("request.probed", {
  model: ModelRef,
  without: Schema.Array(MessageId),
  taken: Schema.Boolean,
  usage: Usage,
  /** Of usage and cost; exact unless said. */
  accuracy: Schema.optionalKey(Accuracy),
  cost: Schema.NullOr(Schema.Finite),
})

/** LL7: one record that a provider refuses for ever is not shown to a model any more; it stays stored. */
export const MessageQuarantined = fact("message.quarantined", { message: MessageId })

/** NT1: a reminder for the Session, anchored to where it was written; with a condition it waits for it. */
export const NoteWritten = fact("note.written", {
  note: Schema.String,
  text: Schema.String,
  anchor: Schema.NullOr(MessageId),
  condition: Schema.NullOr(Schema.String),
})
export type NoteWritten = typeof NoteWritten.Type
export const NoteChanged = fact("note.changed", {
  note: Schema.String,
  text: Schema.optionalKey(Schema.String),
  state: Schema.optionalKey(Schema.Literals(["open", "ready", "dismissed"])),
})
export type NoteChanged = typeof NoteChanged.Type
