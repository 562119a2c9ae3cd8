/**
 * What a change of a project's memory makes, and what its log makes of it (MM1).
 *
 * Both are pure and need no effect: the writer of the store decides with them inside its transaction, so
 * that two processes cannot write the same twice, and a rebuild folds the same log to the same rows.
 *
 *   an exact duplicate is only counted, whatever its category · an archived one is not revived by being said again, an expired one is
 *   what contradicts another takes its place, with a link, also where it was the older one once
 *   a rule of a person is turned round by a person alone: an agent is refused, what others say against it is left out
 *   all of a change or none of it
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
import { memoryCategories } from "./categories.ts"
import { contradicts, memoryContent, subjectOf, turnsRound } from "./contradiction.ts"
import type { DreamFact } from "./dream.ts"
import type { SharingFact } from "./sharing-fact.ts"
import type { WorkspaceFact } from "./workspace-fact.ts"

export interface KnownMemories {
  readonly byId: (id: MemoryId) => Memory | null
  /** With this content, of whatever category, and whatever became of it: the active one, else the newest. */
  readonly byContent: (content: string) => Memory | null
  /** Active ones that say what the subject is. */
  readonly bySubject: (subject: string) => readonly Memory[]
}

export type MemoryProblem = "unknown" | "inactive" | "duplicate" | "categories" | "unshared" | "person"

export type JudgedChange =
  | { readonly kind: "facts"; readonly facts: readonly MemoryFact[] }
  /** Nothing is to be done: it stands like this already. */
  | { readonly kind: "same"; readonly memory: Memory }
  | RefusedChange

export interface RefusedChange {
  readonly kind: "refused"
  readonly problem: MemoryProblem
  readonly ids: readonly MemoryId[]
  /** Of a rule of a person what it says, for whoever wanted to turn it round. */
  readonly says?: string
}

export const memoryIdAt = (seq: number): MemoryId => `m${seq}` as MemoryId

/** `now` decides what has expired. */
export function judgeChange(change: MemoryChange, known: KnownMemories, now: number): JudgedChange {
  switch (change.change) {
    case "write":
      return judgeWrite(change, known, now)
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
      const standing = known.byContent(memoryContent(found.text))
      if (standing?.status === "active") return refused("duplicate", standing.id)
      return judgeRestore(change, found, known)
    }
    case "merge":
      return judgeMerge(change, known)
  }
}

type ChangeOf<K extends MemoryChange["change"]> = Extract<MemoryChange, { change: K }>

function judgeWrite(change: ChangeOf<"write">, known: KnownMemories, now: number): JudgedChange {
  const { text, source, expiresAt, saidAt = now } = change
  const category = change.category ?? categoryOfReplaced(change, known)
  const problem = firstProblem(change.supersedes, known)
  if (problem !== null) return problem
  const same = known.byContent(memoryContent(text))
  if (same?.status === "active") {
    // To be said again ends nothing: what was to end would hold on beside it, and nobody would know.
    if (change.supersedes.some((id) => id !== same.id)) return refused("duplicate", same.id)
    return saidAgain(same, change, saidAt)
  }
  const older = contradicted(category, text, known)
  const theirs = turnedRound(text, source, [...named(change.supersedes, known), ...older])
  if (theirs !== null) return theirs
  // What history tells late was outdated by what was said meanwhile.
  const later = older.find(({ updatedAt }) => change.saidAt !== undefined && updatedAt > change.saidAt)
  if (later !== undefined) return { kind: "same", memory: later }
  // The dreamer ends what it names, and nothing by the way.
  const unnamed = source.by === "dreamer" ? older.filter(({ id }) => !change.supersedes.includes(id)) : []
  if (unnamed.length > 0) return refused("duplicate", ...unnamed.map(({ id }) => id))
  const replaces = [...new Set([...change.supersedes, ...older.map(({ id }) => id)])]
  if (same !== null && source.by !== "person" && replaces.length === 0 && !endedByTime(same, saidAt))
    return made({ type: "memory.seen", memory: same.id, source })
  return made({ type: "memory.written", category, text, source, expiresAt, supersedes: replaces })
}

const categoryDefault: MemoryCategory = "PROJECT_RULES"

/** Whoever names no category goes on with that of what is replaced. */
function categoryOfReplaced(
  { text, supersedes: [first] }: ChangeOf<"write">,
  known: KnownMemories,
): MemoryCategory {
  if (first !== undefined) return known.byId(first)?.category ?? categoryDefault
  const isReplaced = (category: MemoryCategory): boolean =>
    contradicted(category, text, known).some((older) => older.category === category)
  return memoryCategories.find(isReplaced) ?? categoryDefault
}

/** It is counted; where it had expired, or a time is named now, it holds for as long as is said now. */
function saidAgain(same: Memory, { source, expiresAt }: ChangeOf<"write">, saidAt: number): JudgedChange {
  const seen: MemoryFact = { type: "memory.seen", memory: same.id, source }
  const isOver = same.expiresAt !== null && same.expiresAt <= saidAt
  if (!isOver && (expiresAt === null || expiresAt === same.expiresAt)) return made(seen)
  return made({ type: "memory.updated", memory: same.id, expiresAt, source: sameWords(same, source) }, seen)
}

/** Archived because its time was over: nobody decided against it. */
const endedByTime = ({ status, expiresAt, updatedAt }: Memory, now: number): boolean =>
  status === "archived" && expiresAt !== null && expiresAt <= updatedAt && expiresAt <= now

/** Active ones that cannot hold beside the statement. */
function contradicted(category: MemoryCategory, text: string, known: KnownMemories): readonly Memory[] {
  const subject = subjectOf(category, text)
  if (subject === null) return []
  return known.bySubject(subject).filter((other) => contradicts({ category, text }, other))
}

/** A value is whatever was said last; a rule of a person is turned round by a person alone. */
function turnedRound(text: string, { by }: MemorySource, ended: readonly Memory[]): JudgedChange | null {
  if (by === "person") return null
  const rule = ended.find((one) => turnsRound(one, text) && sayerOf(one) === "person")
  if (rule === undefined) return null
  // Nobody reads what a historian would be told.
  if (by === "historian") return { kind: "same", memory: rule }
  return { ...refused("person", rule.id), says: rule.text }
}

const sayerOf = ({ source }: Memory): MemorySource["by"] => source.wordsOf ?? source.by

/** The words of a person stay theirs, whoever gives them another category or another end. */
const sameWords = (memory: Memory, source: MemorySource): MemorySource =>
  source.by !== "person" && sayerOf(memory) === "person" ? { ...source, wordsOf: "person" } : source

const named = (ids: readonly MemoryId[], { byId }: KnownMemories): readonly Memory[] =>
  ids.map(byId).filter((one) => one !== null)

function judgeUpdate(change: ChangeOf<"update">, known: KnownMemories): JudgedChange {
  const found = known.byId(change.memory)
  if (found === null) return refused("unknown", change.memory)
  if (found.status !== "active") return refused("inactive", change.memory)
  const { text = found.text, category = found.category, expiresAt = found.expiresAt } = change
  if (text === found.text && category === found.category && expiresAt === found.expiresAt)
    return { kind: "same", memory: found }
  const content = memoryContent(text)
  const standing = content === memoryContent(found.text) ? null : known.byContent(content)
  if (standing !== null && standing.id !== found.id && standing.status === "active")
    return refused("duplicate", standing.id)
  const { change: _, beside = false, source: by, ...fields } = change
  const source = text === found.text ? sameWords(found, by) : by
  const others = beside ? [] : contradicted(category, text, known)
  const theirs = beside ? null : turnedRound(text, source, [found, ...others])
  if (theirs !== null) return theirs
  // A run of the dreamer ends no more than what it names.
  const older = source.by === "dreamer" ? [] : others
  const supersedes = older.map(({ id }) => id).filter((id) => id !== found.id)
  return made({ type: "memory.updated", ...fields, source, ...(supersedes.length > 0 && { supersedes }) })
}

function judgeMerge(change: ChangeOf<"merge">, known: KnownMemories): JudgedChange {
  const from = [...new Set(change.from)]
  const problem = firstProblem(from, known)
  if (problem !== null) return problem
  const categories = new Set(from.map((id) => known.byId(id)?.category))
  const category = change.category ?? (categories.size === 1 ? [...categories][0] : undefined)
  if (category === undefined || from.length < 2) return { kind: "refused", problem: "categories", ids: from }
  const standing = known.byContent(memoryContent(change.text))
  if (standing?.status === "active" && !from.includes(standing.id)) return refused("duplicate", standing.id)
  const others = contradicted(category, change.text, known)
  const theirs = turnedRound(change.text, change.source, [...named(from, known), ...others])
  if (theirs !== null) return theirs
  // A run of the dreamer ends no more than what it names.
  const older = change.source.by === "dreamer" ? [] : others
  const all = [...new Set([...from, ...older.map(({ id }) => id)])]
  return made({ type: "memory.merged", from: all, category, text: change.text, source: change.source })
}

/** It is said again: what contradicts it gives way, as to any statement. */
function judgeRestore(
  { memory, source, beside }: ChangeOf<"restore">,
  { category, text }: Memory,
  known: KnownMemories,
): JudgedChange {
  const restored: MemoryFact = { type: "memory.restored", memory, source }
  const isAlone = beside === true || source.by === "dreamer"
  const older = isAlone ? [] : contradicted(category, text, known)
  const theirs = turnedRound(text, source, older)
  if (theirs !== null) return theirs
  const supersedes = older.map(({ id }) => id)
  if (supersedes.length === 0) return made(restored)
  return made(restored, { type: "memory.updated", memory, supersedes, source })
}

/** All or none: the first of them that cannot be changed. */
function firstProblem(ids: readonly MemoryId[], known: KnownMemories): JudgedChange | null {
  const unknown = ids.filter((id) => known.byId(id) === null)
  if (unknown.length > 0) return { kind: "refused", problem: "unknown", ids: unknown }
  const inactive = ids.filter((id) => known.byId(id)?.status !== "active")
  return inactive.length > 0 ? { kind: "refused", problem: "inactive", ids: inactive } : null
}

const made = (...facts: readonly MemoryFact[]): JudgedChange => ({ kind: "facts", facts })

const refused = (problem: MemoryProblem, ...ids: readonly MemoryId[]): RefusedChange => ({
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
    return [...older.map(endedBy(id, seq, time)), memory]
  }
  const before = byId(fact.memory)
  if (before === null) return null
  const ended = (fact.type === "memory.updated" ? (fact.supersedes ?? []) : []).map(byId)
  if (!ended.every((one) => one !== null)) return null
  return [...ended.map(endedBy(before.id, seq, time)), changed(before, seq, time, fact)]
}

const endedBy =
  (supersededBy: MemoryId, seq: number, time: number) =>
  (one: Memory): Memory => ({ ...one, status: "superseded", supersededBy, updatedAt: time, changedSeq: seq })

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
      const supersedes = [...new Set([...before.supersedes, ...(fact.supersedes ?? [])])]
      return { ...before, text, category, expiresAt, source, supersedes, ...now }
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
  !/^(?:memory|smart-note|workspace|sharing)\./.test(fact.type)

export const isMemoryFact = (fact: ProjectFact): fact is MemoryFact => fact.type.startsWith("memory.")

export const isSharingFact = (fact: ProjectFact): fact is SharingFact => fact.type.startsWith("sharing.")

export const isWorkspaceFact = (fact: ProjectFact): fact is WorkspaceFact =>
  fact.type.startsWith("workspace.")

const isExternal = ({ by }: MemorySource): boolean => by === "person"
