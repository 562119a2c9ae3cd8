/**
 * Project memory: small typed statements that hold for every Session of a project (MM1).
 *
 * A project has a log of its own; a memory is a fold of it. Its id is the place in that log at which it
 * was written, so that ids are short enough for a window and say nothing outside their project (MM2).
 */
import { Schema } from "effect"
import { memoryCategories, memoryTextMax } from "./categories.ts"
import { Seq } from "../id.ts"
import { count } from "../fact/fact.ts"
import { MemorySource } from "./memory-source.ts"
import { type DreamFact, dreamShapes } from "./dream.ts"
import { type NoteFact, noteShapes } from "./note.ts"
import { type SharingFact, sharingShapes } from "./sharing-fact.ts"
import { type WorkspaceFact, workspaceShapes } from "./workspace-fact.ts"

export const MemoryCategory = Schema.Literals(memoryCategories)
export type MemoryCategory = typeof MemoryCategory.Type

export const MemoryId = Schema.String.check(
  Schema.isPattern(/^m[1-9][0-9]{0,8}$/, { expected: "the id of a memory, such as m12" }),
).pipe(Schema.brand("MemoryId"))
export type MemoryId = typeof MemoryId.Type

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(memoryTextMax))

export { MemorySource }

export const Memory = Schema.Struct({
  id: MemoryId,
  category: MemoryCategory,
  text: Schema.String,
  status: Schema.Literals(["active", "archived", "superseded"]),
  /** Of the statement as it stands now. */
  source: MemorySource,
  /** How often the same was said. */
  seen: count,
  createdAt: count,
  updatedAt: count,
  /** It is not shown from then on; null where it holds for good. */
  expiresAt: Schema.NullOr(count),
  /** What took its place. */
  supersededBy: Schema.NullOr(MemoryId),
  /** What it took the place of. */
  supersedes: Schema.Array(MemoryId),
  /** Why it was archived. */
  reason: Schema.NullOr(Schema.String),
  /** Place in the log of its project of what changed it last; being seen again changes nothing. */
  changedSeq: Seq,
})
export type Memory = typeof Memory.Type

/** A memory and how often a search told a model of it. */
export const UsedMemory = Schema.Struct({ ...Memory.fields, uses: count, usedAt: Schema.NullOr(count) })
export type UsedMemory = typeof UsedMemory.Type

const fact = <K extends string, F extends Schema.Struct.Fields>(type: K, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), source: MemorySource, ...fields })

const ExpiresAt = Schema.NullOr(count)

const shapes = [
  fact("memory.written", {
    category: MemoryCategory,
    text: Text,
    expiresAt: ExpiresAt,
    supersedes: Schema.Array(MemoryId),
  }),
  /** The same was said again. */
  fact("memory.seen", { memory: MemoryId }),
  fact("memory.updated", {
    memory: MemoryId,
    category: Schema.optionalKey(MemoryCategory),
    text: Schema.optionalKey(Text),
    expiresAt: Schema.optionalKey(ExpiresAt),
    /** What it contradicts from here on. */
    supersedes: Schema.optionalKey(Schema.Array(MemoryId)),
  }),
  fact("memory.archived", { memory: MemoryId, reason: Schema.NullOr(Schema.String) }),
  fact("memory.restored", { memory: MemoryId }),
  fact("memory.merged", { from: Schema.Array(MemoryId), category: MemoryCategory, text: Text }),
] as const

export type MemoryFact = (typeof shapes)[number]["Type"]

/** The facts of a project's log. */
export type ProjectFact = MemoryFact | NoteFact | DreamFact | WorkspaceFact | SharingFact

/** The shapes by their type, for whoever has to look at them one by one. */
export const projectFactShapes = new Map(
  [...shapes, ...noteShapes, ...dreamShapes, ...workspaceShapes, ...sharingShapes].map(
    (shape) => [shape.fields.type.literal, shape] as const,
  ),
)

/** What somebody asks for; the store decides inside its transaction which facts it makes. */
export const MemoryChange = Schema.Union([
  Schema.Struct({
    change: Schema.Literal("write"),
    /** Null for that of what it takes the place of, else PROJECT_RULES. */
    category: Schema.NullOr(MemoryCategory),
    text: Text,
    source: MemorySource,
    expiresAt: ExpiresAt,
    supersedes: Schema.Array(MemoryId),
    /** When, where it was not just now: what was said since counts more. */
    saidAt: Schema.optionalKey(count),
  }),
  Schema.Struct({
    change: Schema.Literal("update"),
    memory: MemoryId,
    category: Schema.optionalKey(MemoryCategory),
    text: Schema.optionalKey(Text),
    expiresAt: Schema.optionalKey(ExpiresAt),
    source: MemorySource,
    /** As of what is brought back. */
    beside: Schema.optionalKey(Schema.Literal(true)),
  }),
  Schema.Struct({
    change: Schema.Literal("archive"),
    memory: MemoryId,
    reason: Schema.NullOr(Schema.String),
    source: MemorySource,
  }),
  Schema.Struct({
    change: Schema.Literal("restore"),
    memory: MemoryId,
    source: MemorySource,
    /** Things are to be as they once were: it ends nothing that contradicts it, since that stood beside it then. */
    beside: Schema.optionalKey(Schema.Literal(true)),
  }),
  Schema.Struct({
    change: Schema.Literal("merge"),
    from: Schema.Array(MemoryId).check(Schema.isMinLength(2)),
    /** Null where all of them are of one. */
    category: Schema.NullOr(MemoryCategory),
    text: Text,
    source: MemorySource,
  }),
])
export type MemoryChange = typeof MemoryChange.Type

export const isMemoryChange = Schema.is(MemoryChange)
