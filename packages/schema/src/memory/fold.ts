/**
 * What a change of a project's memory makes, and what its log makes of it (MM1).
 *
 * Both are pure and need no effect: the writer of the store decides with them inside its transaction, so
 * that two processes cannot write the same twice, and a rebuild folds the same log to the same rows.
 *
 *   an exact duplicate is only counted · an archived one is not revived by being said again
 *   a value of a setting takes the place of the older one, with a link · all of a change or none of it
 */
import type {
  Memory,
  MemoryCategory,
  MemoryChange,
  MemoryFact,
  MemoryId,
  MemorySource,
  ProjectFact,
} from "./memory.ts"
import type { DreamFact } from "./dream.ts"

export interface KnownMemories {
  readonly byId: (id: MemoryId) => Memory | null
  /** With this content, whatever became of it: the active one, else the newest. */
  readonly byContent: (category: MemoryCategory, content: string) => Memory | null
  /** Active ones that say what the subject is. */
  readonly bySubject: (subject: string) => readonly Memory[]
}

export type MemoryProblem = "unknown" | "inactive" | "duplicate" | "categories" | "unshared"

export type JudgedChange =
  | { readonly kind: "facts"; readonly facts: readonly MemoryFact[] }
  /** Nothing is to be done: it stands like this already. */
  | { readonly kind: "same"; readonly memory: Memory }
  | { readonly kind: "refused"; readonly problem: MemoryProblem; readonly ids: readonly MemoryId[] }

export const memoryIdAt = (seq: number): MemoryId => `m${seq}` as MemoryId

/** What two statements are compared by: case, spaces and the full stop at the end make no difference. */
export const memoryContent = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(/[.!]+$/, "")

/** Of a setting with one value: what it is the value of; null where the text says something else. */
export function subjectOf(category: MemoryCategory, text: string): string | null {
  if (category !== "CONFIG_VALUES") return null
  const found = /^(.{2,120}?)(?:\s*[=:]\s*|\s+is\s+)(?:set to\s+)?(\S+)$/.exec(memoryContent(text))
  return found === null ? null : (found[1] as string)
}

export function judgeChange(change: MemoryChange, known: KnownMemories): JudgedChange {
  switch (change.change) {
    case "write":
      return judgeWrite(change, known)
    case "update":
      return judgeUpdate(change, known)
    case "archive": {
      const found = known.byId(change.memory)
      if (found === null) return refused("unknown", change.memory)
      if (found.status === "archived") return { kind: "same", memory: found }
      if (found.status !== "active") return refused("inactive", change.memory)
      const { memory, reason, source } = change
      return made({ type: "memory.archived", memory, reason, source })
    }
    case "restore": {
      const found = known.byId(change.memory)
      if (found === null) return refused("unknown", change.memory)
      if (found.status === "active") return { kind: "same", memory: found }
      const standing = known.byContent(found.category, memoryContent(found.text))
      if (standing?.status === "active") return refused("duplicate", standing.id)
      return made({ type: "memory.restored", memory: found.id, source: change.source })
    }
    case "merge":
      return judgeMerge(change, known)
  }
}

type ChangeOf<K extends MemoryChange["change"]> = Extract<MemoryChange, { change: K }>

function judgeWrite(change: ChangeOf<"write">, known: KnownMemories): JudgedChange {
  const { category, text, source, expiresAt } = change
  const same = known.byContent(category, memoryContent(text))
  // A person may say again what was archived; nobody else revives it.
  if (same !== null && (same.status === "active" || source.by !== "person"))
    return made({ type: "memory.seen", memory: same.id, source })
  const problem = firstProblem(change.supersedes, known)
  if (problem !== null) return problem
  const subject = subjectOf(category, text)
  const older = subject === null ? [] : known.bySubject(subject).map(({ id }) => id)
  // The dreamer ends what it names, and nothing by the way.
  const unnamed = source.by === "dreamer" ? older.filter((id) => !change.supersedes.includes(id)) : []
  if (unnamed.length > 0) return refused("duplicate", ...unnamed)
  const supersedes = [...new Set([...change.supersedes, ...older])]
  return made({ type: "memory.written", category, text, source, expiresAt, supersedes })
}

function judgeUpdate(change: ChangeOf<"update">, known: KnownMemories): JudgedChange {
  const found = known.byId(change.memory)
  if (found === null) return refused("unknown", change.memory)
  if (found.status !== "active") return refused("inactive", change.memory)
  const { text = found.text, category = found.category, expiresAt = found.expiresAt } = change
  if (text === found.text && category === found.category && expiresAt === found.expiresAt)
    return { kind: "same", memory: found }
  const standing = known.byContent(category, memoryContent(text))
  if (standing !== null && standing.id !== found.id && standing.status === "active")
    return refused("duplicate", standing.id)
  const { change: _, ...fields } = change
  return made({ type: "memory.updated", ...fields })
}

function judgeMerge(change: ChangeOf<"merge">, known: KnownMemories): JudgedChange {
  const from = [...new Set(change.from)]
  const problem = firstProblem(from, known)
  if (problem !== null) return problem
  const categories = new Set(from.map((id) => known.byId(id)?.category))
  const category = change.category ?? (categories.size === 1 ? [...categories][0] : undefined)
  if (category === undefined || from.length < 2) return { kind: "refused", problem: "categories", ids: from }
  const standing = known.byContent(category, memoryContent(change.text))
  if (standing?.status === "active" && !from.includes(standing.id)) return refused("duplicate", standing.id)
  return made({ type: "memory.merged", from, category, text: change.text, source: change.source })
}

/** All or none: the first of them that cannot be changed. */
function firstProblem(ids: readonly MemoryId[], known: KnownMemories): JudgedChange | null {
  const unknown = ids.filter((id) => known.byId(id) === null)
  if (unknown.length > 0) return { kind: "refused", problem: "unknown", ids: unknown }
  const inactive = ids.filter((id) => known.byId(id)?.status !== "active")
  return inactive.length > 0 ? { kind: "refused", problem: "inactive", ids: inactive } : null
}

const made = (...facts: readonly MemoryFact[]): JudgedChange => ({ kind: "facts", facts })

const refused = (problem: MemoryProblem, ...ids: readonly MemoryId[]): JudgedChange => ({
  kind: "refused",
  problem,
  ids,
})

export interface ProjectEvent<F extends ProjectFact = ProjectFact> {
  readonly seq: number
  readonly time: number
  readonly fact: F
}

/** The memories that an event changes, as they are behind it; null where it does not fit. */
export function foldMemory(
  { seq, time, fact }: ProjectEvent<MemoryFact>,
  byId: KnownMemories["byId"],
): readonly Memory[] | null {
  if (fact.type === "memory.written" || fact.type === "memory.merged") {
    const written = fact.type === "memory.written"
    const supersedes = written ? fact.supersedes : fact.from
    const older = supersedes.map(byId)
    if (!older.every((one) => one !== null)) return null
    const id = memoryIdAt(seq)
    const seen = written ? 1 : older.reduce((sum, one) => sum + one.seen, 0)
    const memory: Memory = {
      id,
      category: fact.category,
      text: fact.text,
      status: "active",
      source: fact.source,
      seen,
      createdAt: time,
      updatedAt: time,
      expiresAt: written ? fact.expiresAt : latestExpiry(older),
      supersededBy: null,
      supersedes,
      reason: null,
      changedSeq: seq,
    }
    const ended = older.map((one) => ({
      ...one,
      status: "superseded" as const,
      supersededBy: id,
      updatedAt: time,
      changedSeq: seq,
    }))
    return [...ended, memory]
  }
  const before = byId(fact.memory)
  return before === null ? null : [changed(before, seq, time, fact)]
}

function changed(
  before: Memory,
  seq: number,
  time: number,
  fact: Exclude<MemoryFact, { type: "memory.written" | "memory.merged" }>,
): Memory {
  const now = { updatedAt: time, changedSeq: seq }
  switch (fact.type) {
    case "memory.seen":
      return { ...before, seen: before.seen + 1 }
    case "memory.updated": {
      const { text = before.text, category = before.category, expiresAt = before.expiresAt, source } = fact
      return { ...before, text, category, expiresAt, source, ...now }
    }
    case "memory.archived":
      return { ...before, status: "archived", reason: fact.reason, ...now }
    case "memory.restored":
      return { ...before, status: "active", reason: null, supersededBy: null, ...now }
  }
}

/** Null, which is for good, wins. */
function latestExpiry(memories: readonly Memory[]): number | null {
  const times = memories.map(({ expiresAt }) => expiresAt)
  return times.includes(null) ? null : Math.max(...(times as number[]))
}

/** Whether Sessions that show the memory have to be told at once: a person changed what they may show (HB3). */
export const bumpsEpoch = (fact: ProjectFact): boolean => {
  if (!isMemoryFact(fact) || !isExternal(fact.source)) return false
  // What is only added waits for the next break; what takes the place of something does not.
  return fact.type === "memory.written" ? fact.supersedes.length > 0 : fact.type !== "memory.seen"
}

/** What the dreamer did beside changing memories: nothing is projected from it. */
export const isDreamFact = (fact: ProjectFact): fact is DreamFact =>
  !isMemoryFact(fact) && !fact.type.startsWith("smart-note.")

export const isMemoryFact = (fact: ProjectFact): fact is MemoryFact => fact.type.startsWith("memory.")

const isExternal = ({ by }: MemorySource): boolean => by === "person"
