/**
 * Server-sent events of the contract. Durable and live streams have separate types (EV4):
 *
 *   durable  id: the sequence   event: durable   data: an Event        `: …` comments as heartbeats
 *   live                        event: live      data: a LiveStreamEvent
 *   pty                         event: pty       data: a PtyItem         `: …` comments as heartbeats
 *
 * A durable stream is resumed by `after`, or by the header `Last-Event-ID`, which wins: whoever
 * reconnects sends it with the address it first asked for.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { DurableStreamEvent, LiveStreamEvent, PtyItem } from "./records.ts"

export const DurableEvents = HttpApiSchema.StreamSse({
  events: Schema.Struct({
    /** Absent on `session.deleted` alone, which ends the stream. */
    id: Schema.optionalKey(Schema.String),
    event: Schema.Literal("durable"),
    data: Schema.fromJsonString(DurableStreamEvent),
  }),
})

export const LiveEvents = HttpApiSchema.StreamSse({
  events: Schema.Struct({
    event: Schema.Literal("live"),
    data: Schema.fromJsonString(LiveStreamEvent),
  }),
})

export const PtyEvents = HttpApiSchema.StreamSse({
  events: Schema.Struct({
    event: Schema.Literal("pty"),
    data: Schema.fromJsonString(PtyItem),
  }),
})
