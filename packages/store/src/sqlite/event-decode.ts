/**
 * Rows of the log read back as events, by their schema.
 *
 * A row that cannot be read is a value, not a failure: what is sound still loads (ST3).
 */
import { Exit, Schema } from "effect"
import * as events from "@holdfast/schema/event"
import type { Event, Fact, FactType } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { checksumOf } from "./event-row.ts"
import type { EventColumns } from "./event-row.ts"

export type Reading =
  | { readonly kind: "sound"; readonly event: Event }
  | { readonly kind: "damaged"; readonly problem: string }

export function decodeEvent(session: SessionId, columns: EventColumns): Reading {
  if (checksumOf(session, columns) !== columns.checksum) return damaged("the checksum does not match")
  if (columns.version !== events.eventVersion) return damaged(`unknown event version ${columns.version}`)
  const decode = decoders[columns.type as FactType]
  if (decode === undefined) return damaged(`unknown event type ${columns.type}`)
  const exit = decode({ type: columns.type, ...parse(columns.data) })
  if (Exit.isFailure(exit)) return damaged(`the record of a ${columns.type} has an unknown shape`)
  return {
    kind: "sound",
    event: { session, seq: columns.seq, version: events.eventVersion, time: columns.time, fact: exit.value },
  }
}

/** What a reader would find wrong with the fact, or null. */
export function findShapeFault(fact: Fact): string | null {
  const decode: Decode | undefined = decoders[fact.type]
  if (decode === undefined) return `unknown event type ${fact.type}`
  return Exit.isFailure(decode(fact)) ? `a ${fact.type} of this shape could not be read again` : null
}

const damaged = (problem: string): Reading => ({ kind: "damaged", problem })

/** The checksum has passed, so this is what was written; only a writer's bug makes it unreadable. */
function parse(data: string): object {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

type Decode = (input: unknown) => Exit.Exit<Fact, unknown>

/** One decoder a type: the type is known from its column, so no union has to be searched. */
const decoders: Record<FactType, Decode> = {
  "session.created": Schema.decodeUnknownExit(events.SessionCreated),
  "session.updated": Schema.decodeUnknownExit(events.SessionUpdated),
  "session.moved": Schema.decodeUnknownExit(events.SessionMoved),
  "session.deleted": Schema.decodeUnknownExit(events.SessionDeleted),
  "session.interrupted": Schema.decodeUnknownExit(events.SessionInterrupted),
  "prompt.admitted": Schema.decodeUnknownExit(events.PromptAdmitted),
  "prompt.edited": Schema.decodeUnknownExit(events.PromptEdited),
  "prompt.cancelled": Schema.decodeUnknownExit(events.PromptCancelled),
  "prompt.promoted": Schema.decodeUnknownExit(events.PromptPromoted),
  "epoch.started": Schema.decodeUnknownExit(events.EpochStarted),
  "context.updated": Schema.decodeUnknownExit(events.ContextUpdated),
  "turn.started": Schema.decodeUnknownExit(events.TurnStarted),
  "part.recorded": Schema.decodeUnknownExit(events.PartRecorded),
  "call.started": Schema.decodeUnknownExit(events.CallStarted),
  "call.settled": Schema.decodeUnknownExit(events.CallSettled),
  "turn.settled": Schema.decodeUnknownExit(events.TurnSettled),
  "message.quarantined": Schema.decodeUnknownExit(events.MessageQuarantined),
  "reduction.applied": Schema.decodeUnknownExit(events.ReductionApplied),
}
