/** Bundles made of logs that no store holds: what an import of other agents' sessions hands over (ST4, IM1). */
import type { BundleRecord } from "@holdfast/core/bundle/write"
import type { Fact } from "@holdfast/schema/event"
import { factVersions } from "@holdfast/schema/fact/version"

export { type BundleRecord, type BundleSource, writeBundle } from "@holdfast/core/bundle/write"

/** A fact as a record of today's version. */
export function factRecord(seq: number, time: number, fact: Fact): BundleRecord {
  const { type, ...fields } = fact
  return { seq, version: factVersions[type], time, fact, data: JSON.stringify(fields) }
}
