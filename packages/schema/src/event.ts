/**
 * Durable events: the log of a Session, and the whole truth about it.
 *
 * Names are `noun.past`; a version is a field. Projections (messages, inbox, epoch, turns) are
 * written in the same transaction and can be rebuilt from these rows alone. Text is stored once,
 * in the event that introduced it; projections point at it by sequence.
 */
import { Schema } from "effect"
import { ContextSnapshot, SnapshotChanges } from "./context.ts"
import { CallId, MessageId, PromptId, Seq, SessionId, TurnId } from "./id.ts"
import { Location } from "./location.ts"
import { Media } from "./media.ts"
import { CallOutcome, RecordedPart } from "./message.ts"
import { ModelRef } from "./model.ts"
import { Delivery } from "./prompt.ts"
import { Reduction } from "./reduction.ts"
import { RestartPolicy } from "./session.ts"
import { LedgerRow, PassKind, Reason, RequestRecord, TurnStatus } from "./turn.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const fact = <T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

export const SessionCreated = fact("session.created", {
  location: Location,
  title: Schema.NullOr(Schema.String),
  model: Schema.NullOr(ModelRef),
  policy: RestartPolicy,
  harness: Schema.String,
})

/** Only the fields that change are present. `blocked` and `waiting` say why nothing moves. */
export const SessionUpdated = fact("session.updated", {
  title: Schema.optionalKey(Schema.NullOr(Schema.String)),
  model: Schema.optionalKey(ModelRef),
  policy: Schema.optionalKey(RestartPolicy),
  blocked: Schema.optionalKey(Schema.NullOr(Reason)),
  waiting: Schema.optionalKey(Schema.NullOr(Schema.Struct({ until: count, reason: Reason }))),
  /** Another model takes over, for as long as the failed one rests (CA3). */
  fallback: Schema.optionalKey(Schema.Struct({ from: ModelRef, to: ModelRef, until: count, reason: Reason })),
})

export const SessionMoved = fact("session.moved", { location: Location })
/** The last event a reader can see; it is sent, not stored, since its log is gone. */
export const SessionDeleted = fact("session.deleted", {})
/** DR3: from this commit no call starts and no request is sent until the next input or resume. */
export const SessionInterrupted = fact("session.interrupted", {})

const body = { text: Schema.String, images: Schema.optionalKey(Schema.Array(Media)) }

export const PromptAdmitted = fact("prompt.admitted", {
  prompt: PromptId,
  ...body,
  delivery: Delivery,
})
export const PromptEdited = fact("prompt.edited", { prompt: PromptId, ...body })
export const PromptCancelled = fact("prompt.cancelled", { prompt: PromptId })
/** PR4: consumes the inbox entry and appends the user message, whose text stands in `bodySeq`. */
export const PromptPromoted = fact("prompt.promoted", { prompt: PromptId, message: MessageId, bodySeq: Seq })

export const EpochStarted = fact("epoch.started", {
  baseline: Schema.String,
  snapshot: ContextSnapshot,
  cause: Schema.Literals(["first", "incompatible", "compaction", "moved"]),
})
export const ContextUpdated = fact("context.updated", {
  message: MessageId,
  text: Schema.String,
  keys: Schema.Array(Schema.String),
  changes: SnapshotChanges,
})

export const TurnStarted = fact("turn.started", {
  turn: TurnId,
  message: MessageId,
  model: ModelRef,
  endpoint: Schema.String,
  /** Hash of the tool definitions offered; their bytes are kept as a blob (TU1). */
  tools: Schema.String,
  /** Hash of the Model Request Options and limits, kept as a blob (TU1). */
  options: Schema.String,
  pass: PassKind,
  request: RequestRecord,
  /** Turns since the newest promoted input, this one included (DR7). */
  allowanceUsed: count,
})
export const PartRecorded = fact("part.recorded", {
  turn: TurnId,
  message: MessageId,
  index: count,
  part: RecordedPart,
})
export const CallStarted = fact("call.started", { turn: TurnId, message: MessageId, call: CallId })
export const CallSettled = fact("call.settled", {
  turn: TurnId,
  message: MessageId,
  call: CallId,
  outcome: CallOutcome,
})
export const TurnSettled = fact("turn.settled", {
  turn: TurnId,
  status: TurnStatus,
  reason: Schema.NullOr(Reason),
  ledger: LedgerRow,
})
/** LL7: one record that a provider refuses for ever is not shown to a model any more; it stays stored. */
export const MessageQuarantined = fact("message.quarantined", { message: MessageId })
export const ReductionApplied = fact("reduction.applied", { reduction: Reduction })

export const Fact = Schema.Union([
  SessionCreated,
  SessionUpdated,
  SessionMoved,
  SessionDeleted,
  SessionInterrupted,
  PromptAdmitted,
  PromptEdited,
  PromptCancelled,
  PromptPromoted,
  EpochStarted,
  ContextUpdated,
  TurnStarted,
  PartRecorded,
  CallStarted,
  CallSettled,
  TurnSettled,
  MessageQuarantined,
  ReductionApplied,
])
export type Fact = typeof Fact.Type
export type FactType = Fact["type"]
export type FactOf<T extends FactType> = Extract<Fact, { type: T }>

export const eventVersion = 1

export const Event = Schema.Struct({
  session: SessionId,
  seq: Seq,
  version: Schema.Literal(eventVersion),
  /** When it was written, by the writer's clock. For people; it orders nothing (PR6). */
  time: count,
  fact: Fact,
})
export type Event = typeof Event.Type
