/**
 * A fact as the writer takes it from the log: lifted to the version of today, but not checked, since
 * the writer loads no schema. Whoever reads for others does check (event-decode.ts).
 */
import type { FactOf, FactType } from "@holdfast/schema/event"
import { liftFields } from "@holdfast/schema/fact/version"
import { StoreRefused } from "../failure.ts"

export interface StoredFact {
  readonly version: number
  readonly data: string
}

export function takeFact<T extends FactType>(type: T, { version, data }: StoredFact): FactOf<T> {
  const fields = liftFields(type, version, JSON.parse(data))
  if (fields === null) throw new StoreRefused("newer", `it holds a ${type} of version ${version}`)
  return { type, ...fields } as unknown as FactOf<T>
}
