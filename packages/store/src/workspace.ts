/** What the store is asked about workspaces, and what it answers (WS1). */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Memory, MemoryCategory } from "@holdfast/schema/memory/memory"
import type { Workspace } from "@holdfast/schema/memory/workspace"
import type { ProjectPlace } from "./memory.ts"

export interface ChangeWorkspace {
  readonly kind: "change-workspace"
  readonly name: string
  readonly time: number
  readonly change:
    | { readonly to: "create"; readonly categories: readonly MemoryCategory[] }
    | { readonly to: "share"; readonly categories: readonly MemoryCategory[] }
    | { readonly to: "add"; readonly project: ProjectPlace }
    | { readonly to: "remove"; readonly project: ProjectPlace }
    | { readonly to: "delete" }
}

export type WorkspaceProblem =
  /** There is none of this name. */
  | "unknown"
  /** There is one of this name already. */
  | "taken"
  /** The project is in another workspace. */
  | "elsewhere"
  /** The project is not in it. */
  | "no-member"
  | "too-many"

export type ChangeWorkspaceOutcome =
  /** As it is now; as it was where it was deleted. */
  | { readonly kind: "changed"; readonly workspace: Workspace }
  | { readonly kind: "refused"; readonly problem: WorkspaceProblem; readonly other: string | null }

/** Another project of the same workspace, and what it shares. */
export interface Partner {
  readonly key: number
  readonly root: string
  readonly seq: number
  readonly epoch: number
  /** Active ones of the shared categories, by id. */
  readonly memories: readonly Memory[]
}

export interface SharedMemory {
  readonly categories: readonly MemoryCategory[]
  /** By key, without the project itself. */
  readonly partners: readonly Partner[]
}

export interface WorkspaceReads {
  /** By name. */
  readonly workspaces: () => Effect.Effect<readonly Workspace[], StoreFailure>
}
