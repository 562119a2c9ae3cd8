/** Facts about what the model is told of its surroundings: Epochs and their updates. */
import { Schema } from "effect"
import { ContextSnapshot, SnapshotChanges, SourceText } from "../context.ts"
import { MessageId } from "../id.ts"
import { count, fact } from "./fact.ts"

export const EpochCause = Schema.Literals(["first", "incompatible", "compaction", "moved", "reverted"])
export type EpochCause = typeof EpochCause.Type

export const EpochStarted = fact("epoch.started", {
  baseline: Schema.String,
  snapshot: ContextSnapshot,
  cause: EpochCause,
})

/** EP5: the message and the snapshot advance together. */
export const ContextUpdated = fact("context.updated", {
  message: MessageId,
  /** The combined text, as it was sent. */
  text: Schema.String,
  /** Each key's own text: what stays visible when the message leaves the tail (EP12). */
  texts: Schema.Array(SourceText),
  changes: SnapshotChanges,
  tokens: count,
})
