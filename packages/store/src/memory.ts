/** What the store is asked about projects and their memory, and what it answers (MM1). */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { MemoryProblem, ProjectEvent } from "@holdfast/schema/memory/fold"
import type { Memory, MemoryChange, MemoryId } from "@holdfast/schema/memory/memory"

/** A project by where it is; worktrees of one repository share theirs. */
export interface ProjectPlace {
  /** Canonical, and the same for all worktrees. */
  readonly root: string
  /** Its first commit; null where there is no repository, or nothing was committed. */
  readonly origin: string | null
}

export interface ProjectRow extends ProjectPlace {
  /** Last place of its log. */
  readonly seq: number
  /** Place of the last edit from outside; 0 if there was none. */
  readonly epoch: number
}

/** All of the changes or none; the project begins with the first of them. */
export interface ChangeMemory {
  readonly kind: "change-memory"
  readonly project: ProjectPlace
  readonly time: number
  readonly changes: readonly MemoryChange[]
}

export type ChangeMemoryOutcome =
  | {
      readonly kind: "changed"
      readonly seq: number
      readonly epoch: number
      /** One for each change: the memory that it made or changed, and whether it was already so. */
      readonly results: readonly {
        readonly memory: Memory
        readonly made: "written" | "seen" | "changed" | "same"
      }[]
    }
  | { readonly kind: "refused"; readonly problem: MemoryProblem; readonly ids: readonly MemoryId[] }

/** The directory of a project is another now. */
export interface MoveProject {
  readonly kind: "move-project"
  readonly from: string
  readonly to: string
}

export interface MemoryList {
  readonly status?: Memory["status"]
  /** Ids behind this one. */
  readonly after?: number
  readonly limit: number
}

export interface ProjectMemory {
  /** Null where nothing was ever written. */
  readonly project: ProjectRow | null
  /** By id. */
  readonly memories: readonly Memory[]
}

export interface MemoryReads {
  /** The one at a root, or all that began with a commit; for null one of those whose first commit is known. */
  readonly projects: (
    question: { readonly root: string } | { readonly origin: string | null },
  ) => Effect.Effect<readonly ProjectRow[], StoreFailure>
  readonly memories: (root: string, list: MemoryList) => Effect.Effect<ProjectMemory, StoreFailure>
  readonly memory: (root: string, id: MemoryId) => Effect.Effect<Memory | null, StoreFailure>
  /** The log of a project, above a place. */
  readonly memoryLog: (
    root: string,
    after: number,
    limit: number,
  ) => Effect.Effect<readonly ProjectEvent[], StoreFailure>
}
