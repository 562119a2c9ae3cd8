/** Runs of the dreamer as a surface shows them: what a run changed or would change, and what taking one back did (DM1, SU4). */
import { Schema } from "effect"
import { count } from "../fact/fact.ts"
import { DreamBy, DreamedTask, DreamId, DreamOutcome, DreamTask } from "../memory/dream.ts"
import { MemoryId } from "../memory/memory.ts"
import { Usage } from "../model.ts"

const Cost = Schema.NullOr(Schema.Finite)

/** One difference. */
export const DreamedChange = Schema.Struct({
  task: DreamTask,
  kind: Schema.Literals(["archive", "update", "merge", "split", "document", "key-files", "profile", "note"]),
  /** The memories that it ends or rewrites; the paths of files. */
  of: Schema.Array(Schema.String),
  before: Schema.Array(Schema.String),
  after: Schema.Array(Schema.String),
  reason: Schema.String,
})
export type DreamedChange = typeof DreamedChange.Type

/** One difference of a run that is over, as the log of its project has it. */
export const DreamDifference = Schema.Struct({
  /** By which it was made, of memories. */
  task: Schema.optionalKey(DreamTask),
  kind: DreamedChange.fields.kind,
  /** What `revert` takes it by: the memories, paths or notes that it ends, rewrites or writes. */
  of: Schema.Array(Schema.String),
  before: Schema.Array(Schema.String),
  after: Schema.Array(Schema.String),
  /** Memories that were made of them. */
  made: Schema.optionalKey(Schema.Array(MemoryId)),
  reason: Schema.String,
})
export type DreamDifference = typeof DreamDifference.Type

export const DreamReport = Schema.Struct({
  /** Null where nothing was done. */
  run: Schema.NullOr(DreamId),
  /** `planned` changed nothing; `elsewhere`: another process is at work. */
  outcome: Schema.Union([DreamOutcome, Schema.Literals(["planned", "elsewhere"])]),
  changes: Schema.Array(DreamedChange),
  /** Memories to look at. */
  flags: Schema.Array(Schema.Struct({ memory: MemoryId, text: Schema.String, reason: Schema.String })),
  tasks: Schema.Array(DreamedTask),
  memoriesBefore: count,
  memoriesAfter: count,
  usage: Usage,
  /** Dollars; null where the price of a call is not known. */
  cost: Cost,
})
export type DreamReport = typeof DreamReport.Type

export const DreamRun = Schema.Struct({
  run: DreamId,
  by: DreamBy,
  startedAt: count,
  /** Null while it runs. */
  settledAt: Schema.NullOr(count),
  outcome: Schema.NullOr(DreamOutcome),
  tasks: Schema.Array(DreamedTask),
  /** What it changed; also of a run that died. */
  changes: Schema.optionalKey(count),
  /** What it changed was taken back, and nothing of it is left to take back. */
  takenBack: Schema.optionalKey(Schema.Literal(true)),
  cost: Cost,
})
export type DreamRun = typeof DreamRun.Type

export const DreamDetail = Schema.Struct({ run: DreamRun, differences: Schema.Array(DreamDifference) })
export type DreamDetail = typeof DreamDetail.Type

export const RevertedDream = Schema.Struct({
  run: DreamId,
  /** Memories that are as they were. */
  reverted: Schema.Array(MemoryId),
  /** Of these, what was shown to no model before the run either, since its time is over. */
  expired: Schema.optionalKey(Schema.Array(MemoryId)),
  documents: Schema.Array(Schema.String),
  /** What else is as it was: `key-files`, `profile`, and notes, which wait again. */
  others: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What stays, and why. */
  kept: Schema.Array(Schema.Struct({ of: Schema.String, reason: Schema.String })),
  /** What is as it was before the run already. */
  already: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Where only some of it was asked for: what else of the run can be taken back, by names to take it by. */
  remaining: Schema.optionalKey(Schema.Array(Schema.String)),
})
export type RevertedDream = typeof RevertedDream.Type
