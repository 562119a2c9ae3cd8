/** What a search answers with: places of Sessions, each with the piece of text that was found (SE1). */
import { Schema } from "effect"
import { SessionId } from "../id.ts"

/** Whose words they are; `summary` is a compartment that a historian wrote. */
const FoundAuthor = Schema.Literals(["user", "assistant", "call", "output", "summary"])

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const FoundPlace = Schema.Struct({
  session: SessionId,
  title: Schema.NullOr(Schema.String),
  /** The root of the project that the Session belongs to, where all were searched. */
  project: Schema.optionalKey(Schema.String),
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

/** What is found beside the words of Sessions: a memory of the project, or a commit. */
export const FoundOther = Schema.Struct({
  kind: Schema.Literals(["memory", "commit"]),
  /** Of the memory, as `m12`, or `m12@3` of another project of the workspace; or the hash of the commit. */
  id: Schema.String,
  /** The root of the project that it comes from, where that is another one or all were searched. */
  project: Schema.optionalKey(Schema.String),
  /** How many of the places stand before it. */
  place: Count,
  time: Schema.Int,
  exact: Schema.Boolean,
  text: Schema.String,
  marks: Schema.Array(Schema.Tuple([Count, Count])),
})
export type FoundOther = typeof FoundOther.Type

export const SearchResult = Schema.Struct({
  /** Best first. */
  found: Schema.Array(FoundPlace),
  /** Memories and commits, best first. */
  also: Schema.optionalKey(Schema.Array(FoundOther)),
  /** Events of an older store that cannot be found yet. */
  unindexed: Count,
})
export type SearchResult = typeof SearchResult.Type
