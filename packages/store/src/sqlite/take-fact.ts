/**
 * A fact as the writer takes it from the log: lifted to the version of today, but not checked, since
 * the writer loads no schema. Whoever reads for others does check (event-decode.ts).
 */
import type { FactOf, FactType } from "@holdfast/schema/event"
import { liftFields } from "@holdfast/schema/fact/version"
import type { SessionId } from "@holdfast/schema/id"
import { StoreRefused } from "../failure.ts"
import type { Reading } from "./event-decode.ts"
import { checksumOf, type EventColumns } from "./event-row.ts"

export interface StoredFact {
  readonly version: number
  readonly data: string
}

export function takeFact<T extends FactType>(type: T, { version, data }: StoredFact): FactOf<T> {
  const fields = liftFields(type, version, JSON.parse(data))
  if (fields === null) throw new StoreRefused("newer", `it holds a ${type} of version ${version}`)
  return { type, ...fields } as unknown as FactOf<T>
}

/** The same of a whole row, whose checksum says that it is what was written. */
export function takeEvent(session: SessionId, columns: EventColumns): Reading {
  const { seq, type, version, time } = columns
  if (checksumOf(session, columns) !== columns.checksum)
    return { kind: "damaged", problem: "the checksum does not match" }
  return { kind: "sound", event: { session, seq, version, time, fact: takeFact(type as FactType, columns) } }
}
