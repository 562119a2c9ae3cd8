/** Workspaces: which projects see which memories of each other. A project is in at most one (WS1). */
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { MemoryCategory } from "@holdfast/schema/memory/memory"
import type { MemorySource } from "@holdfast/schema/memory/memory-source"
import { workspaceMembersMax } from "@holdfast/schema/memory/partner"
import type { Workspace } from "@holdfast/schema/memory/workspace"
import type { ChangeWorkspace, Partner, SharedMemory, WorkspaceProblem } from "../../workspace.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import type { Applied } from "../input-commands.ts"
import { findProject, type KeyedProject, memoriesOf, openProject, tellProject } from "./rows.ts"

interface WorkspaceColumns {
  readonly key: number
  readonly name: string
  readonly categories: string
}

type Judged = WorkspaceProblem | { readonly elsewhere: string } | null

export function changeWorkspace(
  connection: Connection,
  { name, time, change }: ChangeWorkspace,
): Applied<ChangeWorkspace> {
  const before = named(connection, name)
  const refused = (problem: WorkspaceProblem, other: string | null = null): Applied<ChangeWorkspace> => ({
    outcome: { kind: "refused", problem, other },
    advanced: null,
  })
  if (change.to === "create") {
    if (before !== undefined) return refused("taken")
    const categories = JSON.stringify(inOrder(change.categories))
    connection.run("INSERT INTO workspace (name, categories, version) VALUES (?, ?, 1)", name, categories)
    return changed(workspaceOf(connection, named(connection, name) as WorkspaceColumns))
  }
  if (before === undefined) return refused("unknown")
  const was = workspaceOf(connection, before)
  const members = membersOf(connection, before.key)
  const tell: Tell = (project, said) =>
    void tellProject(connection, project, time, { source: people, workspace: name, ...said })
  if (change.to === "delete") {
    for (const member of members) tell(member, { type: "workspace.left" })
    connection.run("DELETE FROM workspace WHERE key = ?", before.key)
    return changed(was)
  }
  const problem =
    change.to === "share"
      ? share(connection, before.key, members, inOrder(change.categories), tell)
      : change.to === "add"
        ? addMember(connection, before, members, openProject(connection, change.project), tell)
        : removeMember(members, findProject(connection, change.project.root), tell)
  if (problem !== null)
    return typeof problem === "string" ? refused(problem) : refused("elsewhere", problem.elsewhere)
  connection.run("UPDATE workspace SET version = version + 1 WHERE key = ?", before.key)
  return changed(workspaceOf(connection, named(connection, name) as WorkspaceColumns))
}

/** What the log of a member is told; the rows of members follow from it. */
type Said =
  | { readonly type: "workspace.joined" | "workspace.shared"; readonly categories: readonly MemoryCategory[] }
  | { readonly type: "workspace.left" }
type Tell = (project: KeyedProject, said: Said) => void

/** Nobody else changes a workspace. */
const people: MemorySource = { by: "person", session: null, messages: [] }

const changed = (workspace: Workspace): Applied<ChangeWorkspace> => ({
  outcome: { kind: "changed", workspace },
  advanced: null,
})

function share(
  connection: Connection,
  key: number,
  members: readonly KeyedProject[],
  categories: readonly MemoryCategory[],
  tell: Tell,
): null {
  connection.run("UPDATE workspace SET categories = ? WHERE key = ?", JSON.stringify(categories), key)
  for (const member of members) tell(member, { type: "workspace.shared", categories })
  return null
}

function addMember(
  connection: Connection,
  workspace: WorkspaceColumns,
  members: readonly KeyedProject[],
  project: KeyedProject,
  tell: Tell,
): Judged {
  const other = workspaceWith(connection, project.key)
  if (other !== undefined) return other.key === workspace.key ? null : { elsewhere: other.name }
  if (members.length >= workspaceMembersMax) return "too-many"
  tell(project, { type: "workspace.joined", categories: categoriesOf(workspace) })
  return null
}

function removeMember(
  members: readonly KeyedProject[],
  project: KeyedProject | undefined,
  tell: Tell,
): Judged {
  const member = members.find(({ key }) => key === project?.key)
  if (member === undefined) return "no-member"
  tell(member, { type: "workspace.left" })
  return null
}

/** In the order of categories, each once: the same set is the same text. */
const inOrder = (categories: readonly MemoryCategory[]): readonly MemoryCategory[] =>
  memoryCategories.filter((category) => categories.includes(category))

const named = (connection: Connection, name: string): WorkspaceColumns | undefined =>
  connection.get<WorkspaceColumns>("SELECT key, name, categories FROM workspace WHERE name = ?", name)

const workspaceWith = (connection: Connection, project: number): WorkspaceColumns | undefined =>
  connection.get<WorkspaceColumns>(
    `SELECT key, name, categories FROM workspace
     WHERE key = (SELECT workspace FROM workspace_member WHERE project = ?)`,
    project,
  )

const membersOf = (connection: Connection, key: number): readonly KeyedProject[] =>
  connection.all<KeyedProject>(
    `SELECT key, root, origin, seq, epoch FROM project
     WHERE key IN (SELECT project FROM workspace_member WHERE workspace = ?) ORDER BY key`,
    key,
  )

const categoriesOf = ({ categories }: WorkspaceColumns): readonly MemoryCategory[] =>
  JSON.parse(categories) as readonly MemoryCategory[]

const workspaceOf = (connection: Connection, row: WorkspaceColumns): Workspace => ({
  name: row.name,
  categories: categoriesOf(row),
  members: membersOf(connection, row.key).map(({ root }) => root),
})

export const readWorkspaces = (connection: Connection): readonly Workspace[] =>
  inSnapshot(connection, () =>
    connection
      .all<WorkspaceColumns>("SELECT key, name, categories FROM workspace ORDER BY name")
      .map((row) => workspaceOf(connection, row)),
  )

/** What a project sees of the others; null where it is in no workspace. */
export function sharedMemory(connection: Connection, project: number, limit: number): SharedMemory | null {
  const workspace = workspaceWith(connection, project)
  if (workspace === undefined) return null
  const categories = categoriesOf(workspace)
  const partners = membersOf(connection, workspace.key)
    .filter(({ key }) => key !== project)
    .map(({ key, root, seq, epoch }): Partner => ({
      key,
      root,
      seq,
      epoch,
      memories: memoriesOf(
        connection,
        key,
        "status = 'active' AND category IN (SELECT value FROM json_each(?)) ORDER BY number DESC LIMIT ?",
        workspace.categories,
        limit,
      ).toReversed(),
    }))
  return { categories, partners }
}

/** The partner of a project, and the categories that they share; null where they are not of one workspace. */
export function partnerOf(
  connection: Connection,
  project: number,
  partner: number,
): { readonly project: KeyedProject; readonly categories: readonly MemoryCategory[] } | null {
  const workspace = project === partner ? undefined : workspaceWith(connection, project)
  if (workspace === undefined) return null
  const found = membersOf(connection, workspace.key).find(({ key }) => key === partner)
  return found === undefined ? null : { project: found, categories: categoriesOf(workspace) }
}
