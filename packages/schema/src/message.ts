/**
 * Messages and their parts, as they stand in Session History.
 *
 * An assistant message is one Provider Turn; its parts keep the provider's stream order in
 * `index`. A call and its result are one part with a state, so neither can exist without the
 * other (TU2):
 *
 *   pending ──start──▶ running ──settle──▶ done | failed | interrupted | declined
 *
 * System messages are durable and hidden by ordinary surfaces (EP11); notices come from the
 * runtime. Neither is ever the user's words (PR7).
 */
import { Schema } from "effect"
import { SourceText } from "./context.ts"
import { NoticeSource } from "./fact/input.ts"
import { SyntheticPart } from "./fact/fact.ts"
import { CallId, MessageId, NoticeId, PromptId, Seq, TurnId } from "./id.ts"
import { Json } from "./json.ts"
import { Media } from "./media.ts"
import { AdmittedCalls } from "./prompt.ts"

/** Continuation data of a provider, replayed only to the tag it came from (LL4). */
export const Native = Schema.Struct({
  provider: Schema.String,
  model: Schema.String,
  endpoint: Schema.String,
  opaque: Json,
})
export type Native = typeof Native.Type

export const CallState = Schema.Literals(["pending", "running", "done", "failed", "interrupted", "declined"])
export type CallState = typeof CallState.Type

const SettledState = Schema.Literals(["done", "failed", "interrupted", "declined"])

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What bounding left out of an output (TO2). */
export const Truncation = Schema.Struct({
  linesTotal: count,
  bytesTotal: count,
  linesKept: count,
  bytesKept: count,
})
export type Truncation = typeof Truncation.Type

/** A Managed Tool Output File: the text that did not fit; complete unless something of it was left out before (TO8). */
export const OutputFileRef = Schema.Struct({
  path: Schema.String,
  bytes: count,
  complete: Schema.Boolean,
})
export type OutputFileRef = typeof OutputFileRef.Type

/** The outcome of a call, recorded once. `output` is what the model reads. */
export const CallOutcome = Schema.Struct({
  state: SettledState,
  output: Schema.String,
  truncated: Schema.NullOr(Truncation),
  errorCode: Schema.NullOr(Schema.String),
  /** Where the text is that did not fit; it expires (TO3, TO7). */
  outputFile: Schema.optionalKey(OutputFileRef),
  /** It could not be stored, so that what is left out is lost (TO4). */
  lossy: Schema.optionalKey(Schema.Literal(true)),
  structured: Schema.optionalKey(Json),
  /** Images that the tool showed, beside its words (LL7). */
  images: Schema.optionalKey(Schema.Array(Media)),
  /** The call looked at a job that goes on: to look again is no loop (DR8). */
  stillRunning: Schema.optionalKey(Schema.Literal(true)),
})
export type CallOutcome = typeof CallOutcome.Type

export const TextPart = Schema.Struct({
  type: Schema.Literal("text"),
  text: Schema.String,
  /** The stream ended before the part did (TU3). */
  interrupted: Schema.Boolean,
  /** Absent unless the provider wants something back with the text (LL4). */
  native: Schema.optionalKey(Native),
})

export const ReasoningPart = Schema.Struct({
  type: Schema.Literal("reasoning"),
  text: Schema.String,
  native: Schema.NullOr(Native),
  interrupted: Schema.Boolean,
})

/** What a tool of the provider's own did: it stays as the provider said it (LL8, LL9). */
export const HostedPart = Schema.Struct({
  type: Schema.Literal("hosted"),
  name: Schema.String,
  native: Native,
})

/** A call as the model asked for it. `nativeId` is the provider's own id, kept for audit. */
export const CallRequest = Schema.Struct({
  type: Schema.Literal("call"),
  call: CallId,
  nativeId: Schema.String,
  name: Schema.String,
  input: Json,
  native: Schema.optionalKey(Native),
})
export type CallRequest = typeof CallRequest.Type

/** What one `part.recorded` event holds. */
export const RecordedPart = Schema.Union([TextPart, ReasoningPart, HostedPart, CallRequest])
export type RecordedPart = typeof RecordedPart.Type

export const CallPart = Schema.Struct({
  ...CallRequest.fields,
  /** Sequence of the record that asked for it: the number of its tag (TG1). */
  seq: Schema.optionalKey(Seq),
  /** Of what it was asked with and what it put out, counted when each was recorded (TG6). */
  tokens: Schema.optionalKey(count),
  state: CallState,
  outcome: Schema.NullOr(CallOutcome),
  /** Reminders of the runtime behind the output; absent where there are none (ND1). */
  added: Schema.optionalKey(Schema.Array(SyntheticPart)),
})
export type CallPart = typeof CallPart.Type

export const Part = Schema.Union([TextPart, ReasoningPart, HostedPart, CallPart])
export type Part = typeof Part.Type

/** `tokens`: of the part as it was recorded; of a call, what it was asked with (TG6). */
export const IndexedPart = Schema.Struct({ index: count, part: Part, tokens: Schema.optionalKey(count) })
export type IndexedPart = typeof IndexedPart.Type

const base = { id: MessageId, seq: Seq }

/** Size of its words, its images and what stands beside them, counted when it was recorded (TG6). */
const tokens = Schema.optionalKey(count)

/** Sequence of the event that took the message out of what the model reads; absent if none did (LL7). */
const quarantined = Schema.optionalKey(Seq)

export const UserMessage = Schema.Struct({
  ...base,
  kind: Schema.Literal("user"),
  prompt: PromptId,
  text: Schema.String,
  images: Schema.optionalKey(Schema.Array(Media)),
  /** Made before a model read the words; absent where there are none. */
  calls: Schema.optionalKey(AdmittedCalls),
  /** What the runtime put beside the words; absent where there is nothing (PR7). */
  added: Schema.optionalKey(Schema.Array(SyntheticPart)),
  tokens,
  quarantined,
})
export type UserMessage = typeof UserMessage.Type

export const AssistantMessage = Schema.Struct({
  ...base,
  kind: Schema.Literal("assistant"),
  turn: TurnId,
  parts: Schema.Array(IndexedPart),
  quarantined,
})
export type AssistantMessage = typeof AssistantMessage.Type

export const SystemMessage = Schema.Struct({
  ...base,
  kind: Schema.Literal("system"),
  text: Schema.String,
  keys: Schema.Array(Schema.String),
  /** Each key's own words, in order (EP12). */
  texts: Schema.Array(SourceText),
  tokens,
})
export type SystemMessage = typeof SystemMessage.Type

/** An admitted input that is nobody's words: the end of a command, the result of a child (PR7). */
export const NoticeMessage = Schema.Struct({
  ...base,
  kind: Schema.Literal("notice"),
  notice: NoticeId,
  source: NoticeSource,
  text: Schema.String,
  added: UserMessage.fields.added,
  tokens,
  quarantined,
})
export type NoticeMessage = typeof NoticeMessage.Type

export const Message = Schema.Union([UserMessage, AssistantMessage, SystemMessage, NoticeMessage])
export type Message = typeof Message.Type
