/** What the dreamer wants to change of a memory, and why: the same shape from rules and from a model (DM1). */
import type { DreamTask } from "@holdfast/schema/memory/dream"
import type { Memory, MemoryCategory, MemoryId } from "@holdfast/schema/memory/memory"

export type DreamChange =
  | { readonly kind: "archive"; readonly id: MemoryId; readonly reason: string }
  | { readonly kind: "update"; readonly id: MemoryId; readonly text: string; readonly reason: string }
  | {
      readonly kind: "merge"
      readonly ids: readonly MemoryId[]
      readonly text: string
      readonly reason: string
    }
  /** One statement becomes several. */
  | {
      readonly kind: "split"
      readonly id: MemoryId
      readonly texts: readonly string[]
      readonly category: MemoryCategory
      readonly reason: string
    }

/** Something that a person or a model should look at: nothing is changed. */
export interface Flag {
  readonly id: MemoryId
  readonly reason: string
}

export interface Proposal {
  readonly changes: readonly DreamChange[]
  readonly flags: readonly Flag[]
}

/** Memories that a change ends or rewrites. */
export const touchedBy = (change: DreamChange): readonly MemoryId[] =>
  change.kind === "merge" ? change.ids : [change.id]

/** How many of what holds it ends or rewrites: a merge ends all but one, as one of the rules does. */
const costOf = (change: DreamChange): number => (change.kind === "merge" ? change.ids.length - 1 : 1)

/** The share of a project's memories that one run may end or rewrite, by rules and by a model together. */
const changedShareMax = 0.2

/** At least one, or a small memory would never be tended. */
export const changedMax = (memories: number): number => Math.max(1, Math.floor(memories * changedShareMax))

/**
 * What of a proposal is done: nothing of what is gone, nothing that a person said, nothing twice, and no more than
 * the run has left. What is over comes again with a later run.
 */
export function bound(
  proposed: readonly DreamChange[],
  memories: readonly Memory[],
  left: number,
): {
  readonly taken: readonly DreamChange[]
  readonly refused: number
  /** Those of them that are about what a person said. */
  readonly persons: number
  readonly used: number
} {
  const known = new Map(memories.map((memory) => [memory.id, memory]))
  const touched = new Set<MemoryId>()
  const taken: DreamChange[] = []
  let used = 0
  let persons = 0
  for (const change of proposed) {
    const ids = touchedBy(change)
    if (ids.some((id) => known.get(id)?.source.by === "person")) {
      persons++
      continue
    }
    const free = ids.every((id) => known.has(id) && !touched.has(id))
    if (!free || used + costOf(change) > left) continue
    used += costOf(change)
    for (const id of ids) touched.add(id)
    taken.push(change)
  }
  return { taken, refused: proposed.length - taken.length, persons, used }
}

export interface TaskChanges {
  readonly task: DreamTask
  readonly changes: readonly DreamChange[]
}
