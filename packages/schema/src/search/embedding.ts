/** How far the vectors of what was said are, by which search goes by meaning (SE3). */
import { Schema } from "effect"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const EmbeddingState = Schema.Struct({
  /** The embedding model; null where embedding is switched off. */
  model: Schema.NullOr(Schema.String),
  /** Sessions that were asked for. */
  sessions: Count,
  /** Texts of the store that have a vector of the model, and those that still wait for theirs. */
  done: Count,
  due: Count,
  /** Why the worker gets no further; null where nothing is wrong. */
  trouble: Schema.NullOr(Schema.String),
})
export type EmbeddingState = typeof EmbeddingState.Type
