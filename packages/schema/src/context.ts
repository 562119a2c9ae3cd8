/**
 * Context Snapshot: the hidden values against which Context Sources are compared (EP14).
 *
 * One document per Session, keyed by source key. `removal` is the text to say when the source
 * leaves the composition; it is stored when the source is admitted, because by then the source
 * that could render it is gone (SC9).
 */
import { Schema } from "effect"
import { Json } from "./json.ts"

/** `area/name`, both lower-case words with dashes (SC1). */
export const SourceKey = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9._-]*$/))
export type SourceKey = typeof SourceKey.Type

export const SnapshotEntry = Schema.Struct({
  value: Json,
  removal: Schema.optionalKey(Schema.String),
})
export type SnapshotEntry = typeof SnapshotEntry.Type

export const ContextSnapshot = Schema.Record(SourceKey, SnapshotEntry)
export type ContextSnapshot = typeof ContextSnapshot.Type

/** What a `context.updated` changes in the snapshot: a new entry, or null where a source left. */
export const SnapshotChanges = Schema.Record(SourceKey, Schema.NullOr(SnapshotEntry))
export type SnapshotChanges = typeof SnapshotChanges.Type

/** The words of one source in a combined message. */
export const SourceText = Schema.Struct({ key: SourceKey, text: Schema.String })
export type SourceText = typeof SourceText.Type
