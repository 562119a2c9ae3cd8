/**
 * What the dreamer puts on record in the log of a project, beside the memories that it changes (DM1).
 *
 * A run begins with `dream.started`, whose place in the log is its id. One dreamer works at a time, so what it
 * changes from there on is this run's, also where its process dies before it says how the run ended.
 */
import { Schema } from "effect"
import { count } from "../fact/fact.ts"
import { Usage } from "../model.ts"
import { dreamTasks } from "./categories.ts"
import { MemorySource } from "./memory-source.ts"

export const DreamTask = Schema.Literals(dreamTasks)
export type DreamTask = typeof DreamTask.Type

export const DreamId = Schema.String.check(
  Schema.isPattern(/^d[1-9][0-9]{0,8}$/, { expected: "the id of a run of the dreamer, such as d12" }),
).pipe(Schema.brand("DreamId"))
export type DreamId = typeof DreamId.Type

export const DreamedTask = Schema.Struct({
  task: DreamTask,
  outcome: Schema.Literals(["done", "failed", "skipped"]),
  /** Why it failed or was skipped, or left out some of what a model wanted; null for what a run may not do, or can no longer. */
  reason: Schema.NullOr(Schema.String),
  /** What it changed, and what it wanted to change beyond what a run may. */
  changes: count,
  refused: count,
})
export type DreamedTask = typeof DreamedTask.Type

export const DreamBy = Schema.Literals(["timer", "person"])

export const DreamOutcome = Schema.Literals(["done", "failed", "interrupted"])

/** A file as it was when it was chosen: what is shown is these bytes. */
export const KeyFile = Schema.Struct({
  path: Schema.NonEmptyString,
  text: Schema.String,
  reason: Schema.String,
})
export type KeyFile = typeof KeyFile.Type

const fact = <K extends string, F extends Schema.Struct.Fields>(type: K, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), source: MemorySource, ...fields })

/** The facts of a project's log that only the dreamer, or who watches for it, makes. */
export const dreamShapes = [
  fact("dream.started", { by: DreamBy }),
  fact("dream.settled", {
    run: DreamId,
    outcome: DreamOutcome,
    tasks: Schema.Array(DreamedTask),
    usage: Usage,
    /** Dollars; null where the price of a call is not known. */
    cost: Schema.NullOr(Schema.Finite),
  }),
  /** A document of the project; `before` is null where there was none. */
  fact("document.written", {
    path: Schema.NonEmptyString,
    before: Schema.NullOr(Schema.String),
    after: Schema.String,
  }),
  fact("keyfiles.chosen", { files: Schema.Array(KeyFile) }),
  /** Something that was noticed about the user, where the profile is enabled (UP1). */
  fact("profile.observed", { text: Schema.NonEmptyString }),
  /** The profile as it is from here on; observations before it were looked at. */
  fact("profile.written", { lines: Schema.Array(Schema.NonEmptyString) }),
] as const
export type DreamFact = (typeof dreamShapes)[number]["Type"]

export const isDreamShape = Schema.is(Schema.Union(dreamShapes))
