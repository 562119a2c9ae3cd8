/** Workspaces as people make and change them (WS1). */
import { Clock, Effect } from "effect"
import { type StoreFailure, WorkspaceNotFound, WorkspaceRefused } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { MemoryCategory } from "@holdfast/schema/memory/memory"
import { sharedCategoriesDefault, workspaceMembersMax } from "@holdfast/schema/memory/partner"
import type { Workspace } from "@holdfast/schema/memory/workspace"
import type { ChangeWorkspace, WorkspaceProblem } from "@holdfast/store/workspace"
import type { RuntimePorts } from "../session/ports.ts"
import { projectOf } from "./known.ts"

export type GivenWorkspaceChange =
  | { readonly to: "create"; readonly categories?: readonly MemoryCategory[] }
  | { readonly to: "share"; readonly categories: readonly MemoryCategory[] }
  | { readonly to: "add"; readonly location: Location }
  | { readonly to: "remove"; readonly location: Location }
  | { readonly to: "delete" }

export interface WorkspaceCalls {
  readonly workspaces: () => Effect.Effect<readonly Workspace[], StoreFailure>
  /** By a person; as it is behind the change, or was before it was deleted. */
  readonly changeWorkspace: (
    name: string,
    change: GivenWorkspaceChange,
  ) => Effect.Effect<Workspace, WorkspaceNotFound | WorkspaceRefused | StoreFailure>
}

export const makeWorkspaceCalls = (ports: RuntimePorts): WorkspaceCalls => ({
  workspaces: () => ports.store.workspaces(),
  changeWorkspace: Effect.fnUntraced(function* (name, given) {
    const change = yield* placed(ports, given)
    const time = yield* Clock.currentTimeMillis
    const outcome = yield* ports.store.commit({ kind: "change-workspace", name, time, change })
    if (outcome.kind === "changed") return outcome.workspace
    const { problem, other } = outcome
    const message = problemText(problem, name, other)
    return yield* problem === "unknown"
      ? new WorkspaceNotFound({ workspace: name, message })
      : new WorkspaceRefused({ code: problem, workspace: other ?? name, message })
  }),
})

const placed = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  given: GivenWorkspaceChange,
): Effect.fn.Return<ChangeWorkspace["change"], StoreFailure> {
  switch (given.to) {
    case "create":
      return { to: "create", categories: given.categories ?? sharedCategoriesDefault }
    case "add":
      return { to: "add", project: yield* projectOf(ports, given.location, "write") }
    case "remove":
      return { to: "remove", project: yield* projectOf(ports, given.location) }
    default:
      return given
  }
})

function problemText(problem: WorkspaceProblem, name: string, other: string | null): string {
  switch (problem) {
    case "unknown":
      return `There is no workspace ${name}. holdfast workspace list shows them.`
    case "taken":
      return `There is a workspace ${name} already. Nothing was changed.`
    case "elsewhere":
      return `The project is in the workspace ${other ?? ""}, and a project is in one at most. Remove it there first.`
    case "no-member":
      return `The project is not in the workspace ${name}. Nothing was changed.`
    case "too-many":
      return `The workspace ${name} has ${workspaceMembersMax} projects, and no room for more.`
  }
}
