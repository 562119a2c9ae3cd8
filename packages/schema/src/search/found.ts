/** What a search answers with: places of Sessions, each with the piece of text that was found (SE1). */
import { Schema } from "effect"
import { SessionId } from "../id.ts"

/** Whose words they are; `summary` is a compartment that a historian wrote. */
const FoundAuthor = Schema.Literals(["user", "assistant", "call", "output", "summary"])

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const FoundPlace = Schema.Struct({
  session: SessionId,
  title: Schema.NullOr(Schema.String),
  author: FoundAuthor,
  /** The message, or the range of them, as `context_expand` and `holdfast show --around` open it. */
  part: Schema.String,
  fromSeq: Count,
  toSeq: Count,
  time: Schema.Int,
  /** It holds what was asked for word for word. */
  exact: Schema.Boolean,
  /** A piece of the text. */
  text: Schema.String,
  /** Where matching words stand in it: beginning and end, in characters. */
  marks: Schema.Array(Schema.Tuple([Count, Count])),
})
export type FoundPlace = typeof FoundPlace.Type

export const SearchResult = Schema.Struct({
  /** Best first. */
  found: Schema.Array(FoundPlace),
  /** Events of an older store that cannot be found yet. */
  unindexed: Count,
})
export type SearchResult = typeof SearchResult.Type
