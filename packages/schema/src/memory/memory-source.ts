/** Where a statement about a project comes from (MM1). */
import { Schema } from "effect"
import { MessageId, Seq, SessionId } from "../id.ts"
import { dreamTasks } from "./categories.ts"

const By = Schema.Literals(["person", "agent", "historian", "dreamer"])

/** Who said it, and where it can be read. */
export const MemorySource = Schema.Struct({
  by: By,
  /** Whose words they are: a person brought them back by taking back a run, or others changed no word of a person's. */
  wordsOf: Schema.optionalKey(By),
  session: Schema.NullOr(SessionId),
  messages: Schema.Array(MessageId),
  /** The stretch of the Session that it was learned from, where it is known no closer. */
  fromSeq: Schema.optionalKey(Seq),
  toSeq: Schema.optionalKey(Seq),
  /** Of the dreamer: by which of its tasks, and why. */
  task: Schema.optionalKey(Schema.Literals(dreamTasks)),
  reason: Schema.optionalKey(Schema.String),
})
export type MemorySource = typeof MemorySource.Type
