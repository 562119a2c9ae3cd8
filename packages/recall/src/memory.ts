/**
 * Project memory in the two history slots (HB2): the Baseline holds what fitted its budget when it was made,
 * the Delta what was written or changed since. Of changes only those of ids in the Baseline are told,
 * each once and as it stands now. What a Baseline was made from is stored with it, so that nothing
 * changes a byte between two breaks: neither an expiry nor what another Session wrote (PS1).
 */
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { KeyFile } from "@holdfast/schema/memory/dream"
import type { Memory } from "@holdfast/schema/memory/memory"
import { tokensOf } from "./historian/words.ts"

/** The memory of a project at a boundary. */
export interface KnownMemory {
  /** Last place of the project's log, and that of the last edit from outside. */
  readonly seq: number
  readonly epoch: number
  /** Whose memory it is: another says that all of it is another. */
  readonly scope?: string
  /** Those that hold now, by id. */
  readonly memories: readonly Pick<Memory, "id" | "category" | "text" | "changedSeq">[]
  /** Absent where key files are not enabled (KF1). */
  readonly keyFiles?: readonly Pick<KeyFile, "path" | "text">[]
  /** Lines about the user; absent where the profile is not enabled (UP1). */
  readonly profile?: readonly string[]
}

export interface MemoryMarker {
  /** Place of the project's log that the Baseline was made at. */
  readonly seq: number
  readonly scope?: string
  /** Ids that stand in it. */
  readonly ids: readonly string[]
  /** What the Delta says of memory, and how many changes of the Baseline these are. */
  readonly delta: string
  readonly updates: number
}

const memoryTokensMax = 4_000
/** Of what all of the history may take. */
const memoryShareMax = 0.25
/** HB3: more changes than this are taken into a Baseline. */
export const memoryUpdatesMax = 40

export const memoryBudget = (historyTokens: number): number =>
  Math.max(0, Math.min(memoryTokensMax, Math.floor(historyTokens * memoryShareMax)))

/** What a Baseline says, newest first where not all fits; the order is that of categories and ids. */
export function memoryBaseline(
  known: KnownMemory | null | undefined,
  budgetTokens: number,
): { readonly text: string; readonly marker: MemoryMarker | null } {
  if (known === null || known === undefined || known.seq === 0) return { text: "", marker: null }
  let left = budgetTokens - tokensOf(head)
  const chosen = new Set<string>()
  for (const memory of known.memories.toReversed()) {
    const tokens = tokensOf(line(memory)) + 1
    if (tokens > left) continue
    left -= tokens
    chosen.add(memory.id)
  }
  const shown = ordered(known.memories.filter(({ id }) => chosen.has(id)))
  const text = shown.length === 0 ? "" : [head, ...grouped(shown)].join("\n")
  const scope = known.scope === undefined ? {} : { scope: known.scope }
  return { text, marker: { seq: known.seq, ...scope, ids: shown.map(({ id }) => id), delta: "", updates: 0 } }
}

/** What a historian reads of it: the newest that fit, a line each (HI10). */
export function knownLines(memories: KnownMemory["memories"]): readonly string[] {
  const lines = memories.map(({ category, text }) => `[${category}] ${text.replaceAll(/\s+/g, " ")}`)
  return fitting(lines.toReversed()).toReversed()
}

/** What has come since; the marker as it was where nothing has. */
export function memoryDelta(
  known: KnownMemory | null | undefined,
  before: MemoryMarker | null,
): MemoryMarker | null {
  if (known === null || known === undefined || known.seq === 0) return before
  const { seq, ids } = before ?? { seq: 0, ids: [] }
  const now = new Map(known.memories.map((memory) => [memory.id as string, memory]))
  const held = new Set(ids)
  const fresh = known.memories.filter(({ id, changedSeq }) => !held.has(id) && changedSeq > seq)
  const changed = ids.flatMap((id) => {
    const memory = now.get(id)
    if (memory === undefined) return [`${id} holds no more.`]
    return memory.changedSeq > seq ? [`${line(memory)} (changed)`] : []
  })
  const kept = fitting(grouped(ordered(fresh)))
  const delta = [
    ...(kept.length === 0 ? [] : [`${sinceHead}\n${kept.join("\n")}`]),
    ...(changed.length === 0 ? [] : [`${changesHead}\n${changed.join("\n")}`]),
  ].join("\n")
  if (delta === "" && before === null) return null
  const scope = before?.scope ?? known.scope
  return { seq, ...(scope !== undefined && { scope }), ids, delta, updates: changed.length }
}

/** HB3: whether somebody edited from outside what a slot may show, since its Baseline was made, or said that the memory is another's. */
export function isMemoryOutdated(
  known: KnownMemory | null | undefined,
  marker: MemoryMarker | null,
): boolean {
  if (marker === null || known === null || known === undefined) return false
  const moved = marker.scope !== undefined && marker.scope !== (known.scope ?? marker.scope)
  return moved || known.epoch > marker.seq
}

const head =
  "What is known of this project, kept by the runtime from earlier sessions and by its people; m… are ids."
const sinceHead = "Known of this project since:"
const changesHead = "Changes of what is known of this project:"

const line = ({ id, text }: Pick<Memory, "id" | "text">): string => `${id} ${text.replaceAll(/\s+/g, " ")}`

const place = (category: Memory["category"]): number => memoryCategories.indexOf(category)

type Shown = KnownMemory["memories"][number]

const ordered = (memories: readonly Shown[]): readonly Shown[] =>
  memories.toSorted((a, b) => place(a.category) - place(b.category))

/** The name of a category stands once, before the first of its lines. */
const grouped = (memories: readonly Shown[]): readonly string[] =>
  memories.map((memory, at) =>
    memories[at - 1]?.category === memory.category ? line(memory) : `[${memory.category}] ${line(memory)}`,
  )

function fitting(lines: readonly string[]): readonly string[] {
  let left = memoryTokensMax
  return lines.filter((text) => {
    const tokens = tokensOf(text) + 1
    if (tokens > left) return false
    left -= tokens
    return true
  })
}
