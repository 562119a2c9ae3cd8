/**
 * What readers outside see of facts and messages (EV1): all of it but context snapshots and opaque
 * data of providers, which only serve to build requests again, and hashes that tell repeats. Apart from the stored shapes, so that
 * a record can change without breaking a reader; here fields are only ever added.
 */
import { Schema } from "effect"
import { Event, type Fact, factShapes, type FactOf, type FactType } from "../event.ts"
import { ContextUpdated, EpochStarted } from "./context.ts"
import { PromptAdmitted } from "./input.ts"
import { CommandStarted, PartRecorded } from "./turn.ts"
import { SessionId } from "../id.ts"
import {
  AssistantMessage,
  CallPart,
  CallRequest,
  HostedPart,
  IndexedPart,
  NoticeMessage,
  ReasoningPart,
  SystemMessage,
  TextPart,
  UserMessage,
} from "../message.ts"

function omit<F extends Schema.Struct.Fields, K extends keyof F>(fields: F, name: K): Omit<F, K> {
  const { [name]: _, ...rest } = fields
  return rest
}

const shown = [
  Schema.Struct(omit(TextPart.fields, "native")),
  Schema.Struct(omit(ReasoningPart.fields, "native")),
  Schema.Struct(omit(HostedPart.fields, "native")),
] as const

const PublicRecordedPart = Schema.Union([...shown, Schema.Struct(omit(CallRequest.fields, "native"))])
const PublicPart = Schema.Union([...shown, Schema.Struct(omit(CallPart.fields, "native"))])

export const PublicAssistantMessage = Schema.Struct({
  ...AssistantMessage.fields,
  parts: Schema.Array(Schema.Struct({ index: IndexedPart.fields.index, part: PublicPart })),
})

export const PublicMessage = Schema.Union([UserMessage, PublicAssistantMessage, SystemMessage, NoticeMessage])

const reshaped = {
  "prompt.admitted": Schema.Struct(omit(PromptAdmitted.fields, "given")),
  "epoch.started": Schema.Struct(omit(EpochStarted.fields, "snapshot")),
  "context.updated": Schema.Struct(omit(ContextUpdated.fields, "changes")),
  "command.started": Schema.Struct(omit(CommandStarted.fields, "runtime")),
  "part.recorded": Schema.Struct({ ...PartRecorded.fields, part: PublicRecordedPart }),
}
type Reshaped = typeof reshaped

/** The shapes by their type. */
export const publicFactShapes = new Map<FactType, Schema.Top>([...factShapes, ...entriesOf(reshaped)])

function entriesOf(shapes: Reshaped): readonly (readonly [FactType, Schema.Top])[] {
  return Object.entries(shapes) as unknown as readonly (readonly [FactType, Schema.Top])[]
}

export type PublicFact = Exclude<Fact, { readonly type: keyof Reshaped }> | Reshaped[keyof Reshaped]["Type"]

export const PublicFact = Schema.Union([...publicFactShapes.values()]) as unknown as Schema.Codec<
  PublicFact,
  PublicFact
>

/** Without the version of the stored record, which is nobody's business outside. */
export const PublicEvent = Schema.Struct({ ...omit(Event.fields, "version"), fact: PublicFact })
export type PublicEvent = typeof PublicEvent.Type

export const publicEvent = ({ session, seq, time, fact }: Event): PublicEvent => ({
  session,
  seq,
  time,
  fact: publicFact(fact),
})

function publicFact(fact: Fact): PublicFact {
  switch (fact.type) {
    case "prompt.admitted": {
      const { given: _, ...rest } = fact
      return rest
    }
    case "epoch.started": {
      const { snapshot: _, ...rest } = fact
      return rest
    }
    case "context.updated": {
      const { changes: _, ...rest } = fact
      return rest
    }
    case "command.started": {
      const { runtime: _, ...rest } = fact
      return rest
    }
    case "part.recorded":
      return { ...fact, part: publicPart(fact.part) }
    default:
      return fact
  }
}

type RecordedPart = FactOf<"part.recorded">["part"]

function publicPart(part: RecordedPart): typeof PublicRecordedPart.Type {
  const { native: _, ...rest } = part
  return rest as typeof PublicRecordedPart.Type
}

/**
 * The last item of a durable stream whose Session was deleted. It is sent, not stored, since its
 * log is gone, and so it has no sequence (EV1, EV4).
 */
export const SessionDeleted = Schema.Struct({
  session: SessionId,
  fact: Schema.Struct({ type: Schema.Literal("session.deleted") }),
})
export type SessionDeleted = typeof SessionDeleted.Type

/** Everything that a durable stream sends. */
export type DurableStreamEvent = PublicEvent | SessionDeleted

export const isDeletion = (event: DurableStreamEvent): event is SessionDeleted => !("seq" in event)
