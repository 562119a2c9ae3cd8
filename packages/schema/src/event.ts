/**
 * Durable events: the log of a Session, and the whole truth about it.
 *
 * Names are `noun.past`; each type has a version of its own (fact/version.ts), and readers lift
 * older ones. Projections (messages, inbox, epoch, turns) are written in the same transaction and
 * can be rebuilt from these rows alone. Text is stored once, in the event that introduced it;
 * projections point at it by sequence.
 */
import { Exit, Schema } from "effect"
import { AskAnswered, AskRaised, AskWithdrawn } from "./fact/ask.ts"
import { ContextUpdated, EpochStarted } from "./fact/context.ts"
import { count } from "./fact/fact.ts"
import {
  NoticeAdmitted,
  NoticePromoted,
  PromptAdmitted,
  PromptCancelled,
  PromptEdited,
  PromptPromoted,
} from "./fact/input.ts"
import {
  CacheWarmed,
  HistoryPublished,
  LimitLearned,
  MessageQuarantined,
  NoteChanged,
  NoteWritten,
  PassApplied,
  RequestProbed,
  SignalRaised,
} from "./fact/recall.ts"
import {
  JobSettled,
  SessionCreated,
  SessionInterrupted,
  SessionMoved,
  SessionUpdated,
} from "./fact/session.ts"
import {
  CallPlanned,
  CallSettled,
  CallStarted,
  CommandEnded,
  CommandStarted,
  PartRecorded,
  RevertApplied,
  RevertStaged,
  RevertUndone,
  TurnSettled,
  TurnStarted,
} from "./fact/turn.ts"
import { liftFields, type Lifts } from "./fact/version.ts"
import { guardFor } from "./fact/guard.ts"
import { Seq, SessionId } from "./id.ts"
import type { JsonObject } from "./json.ts"

/** The shape of each type, in the order in which a Session meets them. */
const shapes = [
  SessionCreated,
  SessionUpdated,
  SessionMoved,
  SessionInterrupted,
  PromptAdmitted,
  PromptEdited,
  PromptCancelled,
  PromptPromoted,
  NoticeAdmitted,
  NoticePromoted,
  AskRaised,
  AskAnswered,
  AskWithdrawn,
  EpochStarted,
  ContextUpdated,
  TurnStarted,
  TurnSettled,
  PartRecorded,
  CallStarted,
  CallPlanned,
  CallSettled,
  PassApplied,
  SignalRaised,
  HistoryPublished,
  LimitLearned,
  CacheWarmed,
  RequestProbed,
  MessageQuarantined,
  RevertStaged,
  RevertApplied,
  RevertUndone,
  CommandStarted,
  CommandEnded,
  JobSettled,
  NoteWritten,
  NoteChanged,
] as const

export const Fact = Schema.Union(shapes)
export type Fact = typeof Fact.Type
export type FactType = Fact["type"]
export type FactOf<T extends FactType> = Extract<Fact, { type: T }>

/** The shapes by their type, for whoever has to look at them one by one. */
export const factShapes = new Map(shapes.map((shape) => [shape.fields.type.literal, shape]))

export const Event = Schema.Struct({
  session: SessionId,
  seq: Seq,
  /** Version of the fact's type, as it was written. */
  version: Schema.Int.check(Schema.isGreaterThan(0)),
  /** When it was written, by the writer's clock. For people; it orders nothing (PR6). */
  time: count,
  fact: Fact,
})
export type Event = typeof Event.Type

export type FactReading =
  | { readonly kind: "read"; readonly fact: Fact }
  /** A type or version that this program does not know: the store is newer, not damaged. */
  | { readonly kind: "newer" }
  | { readonly kind: "unreadable" }

/** A stored fact, from the version it was written with. `fields` is everything but its type. */
export function readFact(type: string, version: number, fields: JsonObject, lifts?: Lifts): FactReading {
  const decode = decoderOf(type as FactType)
  const lifted = decode && liftFields(type as FactType, version, fields, lifts)
  if (decode === undefined || lifted == null) return { kind: "newer" }
  const exit = decode({ type, ...lifted })
  return Exit.isFailure(exit) ? { kind: "unreadable" } : { kind: "read", fact: exit.value }
}

/** Whether a fact could be read back as it is, in the version that is written today. */
export const isReadable = (fact: Fact): boolean => checkOf(fact.type)?.(fact) ?? false

const checkOf = eachOnce((shape) => guardFor(shape))

/** One decoder a type: the type is known from its column, so no union has to be searched. */
const decoderOf = eachOnce((shape) => Schema.decodeUnknownExit(shape))

/** Made at the first fact of its type: a program starts with all types and meets a few. */
function eachOnce<Made>(make: (shape: typeof Fact) => Made): (type: FactType) => Made | undefined {
  const made = new Map<FactType, Made>()
  return (type) => {
    const shape = factShapes.get(type)
    if (shape === undefined) return undefined
    const found = made.get(type) ?? make(shape as unknown as typeof Fact)
    made.set(type, found)
    return found
  }
}
