/** Ids of memories of other projects of a workspace, as `m12@3`: memory m12 of the project with the key 3 (WS1). */
import type { MemoryId } from "./memory.ts"

export const partnerId = (memory: string, project: number): string => `${memory}@${project}`

/** Its project is null where it is the own one. */
export function placeOfMemory(id: string): { readonly memory: MemoryId; readonly project: number | null } {
  const [memory = "", project] = id.split("@")
  return { memory: memory as MemoryId, project: project === undefined ? null : Number(project) }
}

/** What a workspace shares unless somebody says otherwise. */
export const sharedCategoriesDefault = ["CONSTRAINTS"] as const

/** Projects of one workspace. */
export const workspaceMembersMax = 50
