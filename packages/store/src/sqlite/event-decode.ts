/**
 * Rows of the log read back as events, by their schema.
 *
 * A row that cannot be read is a value, not a failure: what is sound still loads (ST3). A type or
 * version that this program does not know is no damage: the store is newer, and nothing of it may
 * be taken for the whole (ST1).
 */
import { readFact, type Event } from "@holdfast/schema/event"
import type { JsonObject } from "@holdfast/schema/json"
import type { SessionId } from "@holdfast/schema/id"
import { StoreRefused } from "../failure.ts"
import { checksumOf } from "./event-row.ts"
import type { EventColumns } from "./event-row.ts"

export type Reading =
  | { readonly kind: "sound"; readonly event: Event }
  | { readonly kind: "damaged"; readonly problem: string }

export function decodeEvent(session: SessionId, columns: EventColumns): Reading {
  const { seq, type, version, time } = columns
  if (checksumOf(session, columns) !== columns.checksum) return damaged("the checksum does not match")
  const reading = readFact(type, version, storedFields(columns.data))
  switch (reading.kind) {
    case "read":
      return { kind: "sound", event: { session, seq, version, time, fact: reading.fact } }
    case "newer":
      throw new StoreRefused("newer", `event ${seq} of ${session} is a ${type} of version ${version}`)
    case "unreadable":
      return damaged(`the record of a ${type} has an unknown shape`)
  }
}

const damaged = (problem: string): Reading => ({ kind: "damaged", problem })

/** The checksum has passed, so this is what was written; only a writer's bug makes it unreadable. */
export function storedFields(data: string): JsonObject {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === "object" && value !== null ? (value as JsonObject) : {}
  } catch {
    return {}
  }
}
