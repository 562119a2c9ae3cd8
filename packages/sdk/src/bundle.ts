/** Bundles made of logs that no store holds: what an import of other agents' sessions hands over (ST4, IM1). */
export { type BundleRecord, type BundleSource, recordOf, writeBundle } from "@holdfast/core/bundle/write"
