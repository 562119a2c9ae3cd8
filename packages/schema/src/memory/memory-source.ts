/** Where a statement about a project comes from (MM1). */
import { Schema } from "effect"
import { MessageId, Seq, SessionId } from "../id.ts"

/** Who said it, and where it can be read. */
export const MemorySource = Schema.Struct({
  by: Schema.Literals(["person", "agent", "historian", "dreamer"]),
  session: Schema.NullOr(SessionId),
  messages: Schema.Array(MessageId),
  /** The stretch of the Session that it was learned from, where it is known no closer. */
  fromSeq: Schema.optionalKey(Seq),
  toSeq: Schema.optionalKey(Seq),
})
export type MemorySource = typeof MemorySource.Type
