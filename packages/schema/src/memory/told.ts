/** Memory as people are told of it: where each statement came from, and how to open that place (MM1, NT1). */
import { Schema } from "effect"
import { count } from "../fact/fact.ts"
import { SessionId } from "../id.ts"
import { MemoryCategory, MemoryId, MemorySource, UsedMemory } from "./memory.ts"

/** A Session that something was learned from. */
export const MemoryPlace = Schema.Struct({
  session: SessionId,
  title: Schema.NullOr(Schema.String),
  /** False where the Session was deleted since. */
  exists: Schema.Boolean,
  /** Sequences of the messages, as `holdfast show --around` takes them. */
  messages: Schema.Array(count),
})
export type MemoryPlace = typeof MemoryPlace.Type

/** One change of a memory, from the log of its project. */
export const MemoryEvent = Schema.Struct({
  seq: count,
  time: count,
  change: Schema.Literals(["written", "seen", "updated", "archived", "restored", "merged", "superseded"]),
  by: MemorySource.fields.by,
  place: Schema.NullOr(MemoryPlace),
  /** What it said from then on; null where that did not change. */
  text: Schema.NullOr(Schema.String),
  category: Schema.NullOr(MemoryCategory),
  /** Until when it holds from then on, null for good; absent where that did not change. */
  expiresAt: Schema.optionalKey(Schema.NullOr(count)),
  /** Of an archived one; of one that was changed or restored where the log says why. */
  reason: Schema.NullOr(Schema.String),
  /** What it took the place of; of a superseded one, what took its place. */
  others: Schema.Array(MemoryId),
})
export type MemoryEvent = typeof MemoryEvent.Type

export const MemoryDetail = Schema.Struct({
  memory: UsedMemory,
  /** Oldest first. */
  history: Schema.Array(MemoryEvent),
  /** The root of the project that shares it, where that is another one; its ids are of that project. */
  project: Schema.optionalKey(Schema.String),
})
export type MemoryDetail = typeof MemoryDetail.Type

/** Whose memory a directory has. */
export const ProjectInfo = Schema.Struct({
  /** The directory that its memory is kept for; all worktrees of a repository have the same. */
  root: Schema.String,
  /** The root of another directory whose memory it shares. */
  shares: Schema.NullOr(Schema.String),
  /** Projects that this one may be a copy of; somebody has to say whether it shares their memory. */
  copyOf: Schema.Array(Schema.String),
  /** Memories that hold. */
  active: count,
  /** It has just parted from the project at `from`: memories that it took along, and those of them that are archived there. */
  parted: Schema.optionalKey(Schema.Struct({ from: Schema.String, taken: count, archived: count })),
})
export type ProjectInfo = typeof ProjectInfo.Type

export const Note = Schema.Struct({
  /** As `n12` of a Session, `s12` of a project. */
  id: Schema.String,
  text: Schema.String,
  condition: Schema.NullOr(Schema.String),
  status: Schema.Literals(["open", "waiting", "ready", "surfaced", "dismissed"]),
  /** The Session that it belongs to; null for one of the project. */
  session: Schema.NullOr(SessionId),
  by: MemorySource.fields.by,
  /** Where it was written. */
  place: Schema.NullOr(MemoryPlace),
  /** Null for a note of a Session. */
  createdAt: Schema.NullOr(count),
  /** Why its condition was found to be true. */
  reason: Schema.NullOr(Schema.String),
  surfacedIn: Schema.NullOr(SessionId),
})
export type Note = typeof Note.Type
