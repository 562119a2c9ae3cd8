/**
 * A run of the dreamer taken back (DM1): what it changed is as it was, save what others have changed since.
 *
 * The log of the project says it all: what the dreamer changed between the start of a run and the next one is that
 * run's. It is undone from the last to the first, so that each change finds what it left behind. Of single changes all
 * goes back that hangs together with them: a statement that was merged, and then rewritten, stands apart again. Key
 * files and the profile are what they were before the run, unless they were chosen or written anew since; a note waits
 * again, unless somebody was told of it.
 */
import type { DreamId } from "@holdfast/schema/memory/dream"
import { foldMemory, isMemoryFact, memoryIdAt, type ProjectEvent } from "@holdfast/schema/memory/fold"
import { memoryContent } from "@holdfast/schema/memory/contradiction"
import type { DreamFact } from "@holdfast/schema/memory/dream"
import type { SmartNoteChange } from "@holdfast/schema/memory/note"
import type { Memory, MemoryChange, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"

export interface RevertPlan {
  readonly changes: readonly MemoryChange[]
  /** Key files and the profile as they were before; they are on record as one choice each. */
  readonly facts: readonly DreamFact[]
  readonly notes: readonly SmartNoteChange[]
  /** Documents as they are to be again; null takes one away. `after` is what has to stand there now. */
  readonly documents: readonly {
    readonly path: string
    readonly before: string | null
    readonly after: string
  }[]
  /** What stays, and why. */
  readonly kept: readonly { readonly of: string; readonly reason: string }[]
  /** What is as it was before the run already. */
  readonly already: readonly string[]
}

const dreamSeq = (run: DreamId): number => Number(run.slice(1))
export const dreamIdAt = (seq: number): DreamId => `d${seq}` as DreamId

/** Facts of the run among the log of its project; null where there is no such run. */
export function eventsOfRun(log: readonly ProjectEvent[], run: DreamId): readonly ProjectEvent[] | null {
  const start = dreamSeq(run)
  if (log.find(({ seq }) => seq === start)?.fact.type !== "dream.started") return null
  const next = log.find(({ seq, fact }) => seq > start && fact.type === "dream.started")?.seq ?? Infinity
  return log.filter(
    ({ seq, fact }) => seq > start && seq < next && "source" in fact && fact.source.by === "dreamer",
  )
}

/** `log` is all of it; of `only` are memories and documents, none of them means the whole run. */
export function planRevert(
  log: readonly ProjectEvent[],
  run: DreamId,
  source: MemorySource,
  only: readonly string[] = [],
): RevertPlan | null {
  const all = eventsOfRun(log, run)
  if (all === null) return null
  const own = only.length === 0 ? all : eventsAbout(all, only)
  const seqs = new Set(own.map(({ seq }) => seq))
  const { now, before, left, first } = statesOf(log, seqs)
  const changes: MemoryChange[] = []
  const touched = new Set(own.flatMap(touchedIn))
  const kept = new Map<string, string>(
    only.filter((name) => !touched.has(name)).map((name) => [name, "The run did not change it."]),
  )
  const already = new Set<string>()
  const keep: Keep = (of, reason) => void (reason === null ? already.add(of) : kept.set(of, reason))
  const made = new Set<MemoryId>()
  const isBack = (id: MemoryId): boolean => {
    const [memory, was] = [now.get(id), first.get(id)]
    if (memory === undefined) return false
    return was === undefined ? memory.reason === revertedReason(run) : stands(memory, was)
  }
  const isOurs = (id: MemoryId): boolean => {
    const memory = now.get(id)
    if (memory !== undefined && stands(memory, left.get(id))) return true
    // What the run made itself comes back to nobody.
    if (!isBack(id)) keep(id, "It was changed since.")
    else if (first.has(id)) keep(id, null)
    return false
  }
  const restore = (id: MemoryId): void => {
    if (!isOurs(id)) return
    const standing = sameContent(now, now.get(id), made)
    if (standing === null) changes.push({ change: "restore", memory: id, source })
    else kept.set(id, `${standing} says the same.`)
  }
  for (const { seq, fact } of own.toReversed()) {
    if (fact.type === "memory.archived") restore(fact.memory)
    if (fact.type === "memory.merged" || fact.type === "memory.written") {
      const id = memoryIdAt(seq)
      const older = fact.type === "memory.merged" ? fact.from : fact.supersedes
      if (!isOurs(id)) {
        for (const one of older) if (isBack(one)) keep(one, null)
        continue
      }
      made.add(id)
      changes.push({ change: "archive", memory: id, reason: revertedReason(run), source })
      for (const one of older) restore(one)
    }
    const was = before.get(seq)
    if (fact.type === "memory.updated" && was !== undefined && isOurs(fact.memory)) {
      const { text, category, expiresAt } = was
      const says = { ...source, wordsOf: was.source.wordsOf ?? was.source.by }
      changes.push({ change: "update", memory: fact.memory, text, category, expiresAt, source: says })
    }
  }
  return {
    changes,
    facts: chosenBefore(log, own, source, keep),
    notes: notesBefore(log, own, source, keep),
    documents: documentsOf(own),
    kept: [...kept].map(([of, reason]) => ({ of, reason })),
    already: [...already],
  }
}

const revertedReason = (run: DreamId): string => `${run} was reverted.`

/** Those that touch what is named, or what one of them touches. */
function eventsAbout(own: readonly ProjectEvent[], names: readonly string[]): readonly ProjectEvent[] {
  const about = new Set(names)
  for (let before = -1; before < about.size;) {
    before = about.size
    for (const touched of own.map(touchedIn))
      if (touched.some((name) => about.has(name))) for (const name of touched) about.add(name)
  }
  return own.filter((event) => touchedIn(event).some((name) => about.has(name)))
}

/** Names of what a change of the run made, ended or rewrote. */
function touchedIn({ seq, fact }: ProjectEvent): readonly string[] {
  if (fact.type === "memory.merged") return [memoryIdAt(seq), ...fact.from]
  if (fact.type === "memory.written") return [memoryIdAt(seq), ...fact.supersedes]
  if (fact.type === "memory.updated" || fact.type === "memory.archived") return [fact.memory]
  if (fact.type === "keyfiles.chosen") return [nameOf[fact.type], ...fact.files.map(({ path }) => path)]
  if (fact.type === "profile.written") return [nameOf[fact.type]]
  if (fact.type === "smart-note.ready") return [fact.note]
  return isDocument(fact) ? [fact.path] : []
}

/** By which a change is named that has no id. */
const nameOf = { "keyfiles.chosen": "key-files", "profile.written": "profile" } as const

/** Null where there is nothing left to do about it. */
type Keep = (of: string, reason: string | null) => void

/** The newest choice counts, so that the one before the run is made once more. */
function chosenBefore(
  log: readonly ProjectEvent[],
  own: readonly ProjectEvent[],
  source: MemorySource,
  keep: Keep,
): readonly DreamFact[] {
  return (["keyfiles.chosen", "profile.written"] as const).flatMap((type): readonly DreamFact[] => {
    const first = own.find(({ fact }) => fact.type === type)
    if (first === undefined) return []
    const before = log.findLast(({ seq, fact }) => seq < first.seq && fact.type === type)?.fact
    const again: DreamFact =
      type === "keyfiles.chosen"
        ? { type, source, files: before?.type === type ? before.files : [] }
        : { type, source, lines: before?.type === type ? before.lines : [] }
    const last = log.findLast(({ fact }) => fact.type === type)
    if (own.some(({ seq }) => seq === last?.seq)) return [again]
    keep(nameOf[type], isSame(last?.fact, again) ? null : "It was changed since.")
    return []
  })
}

const isSame = (one: ProjectEvent["fact"] | undefined, other: ProjectEvent["fact"]): boolean =>
  JSON.stringify({ ...one, source: null }) === JSON.stringify({ ...other, source: null })

/** A note that was shown was shown. */
function notesBefore(
  log: readonly ProjectEvent[],
  own: readonly ProjectEvent[],
  source: MemorySource,
  keep: Keep,
): readonly SmartNoteChange[] {
  return own.flatMap(({ seq, fact }): readonly SmartNoteChange[] => {
    if (fact.type !== "smart-note.ready") return []
    const { note } = fact
    const last = log.findLast((event) => "note" in event.fact && event.fact.note === note)
    if (last?.seq === seq) return [{ change: "wait", note, source }]
    const shown = last?.fact.type === "smart-note.surfaced"
    if (last?.fact.type === "smart-note.waiting") keep(note, null)
    else keep(note, shown ? "It was shown since." : "It was changed since.")
    return []
  })
}

/** As the run left it: what came after it, such as a later run, was taken back. */
const stands = (memory: Memory, left: Memory | undefined): boolean =>
  left !== undefined && standing.every((field) => memory[field] === left[field])

const standing = ["status", "text", "category", "expiresAt", "supersededBy", "reason"] as const

/** Memories as they are, as the run found them and as it left them, and what an update of it found: by the place of the update. */
function statesOf(log: readonly ProjectEvent[], seqs: ReadonlySet<number>) {
  const now = new Map<MemoryId, Memory>()
  const before = new Map<number, Memory>()
  const left = new Map<MemoryId, Memory>()
  const first = new Map<MemoryId, Memory>()
  for (const event of log) {
    const { seq, fact } = event
    const was = fact.type === "memory.updated" ? now.get(fact.memory) : undefined
    if (was !== undefined && seqs.has(seq)) before.set(seq, was)
    if (!isMemoryFact(fact)) continue
    for (const memory of foldMemory({ ...event, fact }, (id) => now.get(id) ?? null) ?? []) {
      const found = now.get(memory.id)
      if (seqs.has(seq) && found !== undefined && !left.has(memory.id)) first.set(memory.id, found)
      now.set(memory.id, memory)
      if (seqs.has(seq)) left.set(memory.id, memory)
    }
  }
  return { now, before, left, first }
}

/** Another active memory that says it, and is not one of those that the run made. */
function sameContent(
  now: ReadonlyMap<MemoryId, Memory>,
  memory: Memory | undefined,
  made: ReadonlySet<MemoryId>,
): MemoryId | null {
  if (memory === undefined) return null
  const content = memoryContent(memory.text)
  for (const other of now.values())
    if (
      other.id !== memory.id &&
      other.status === "active" &&
      !made.has(other.id) &&
      memoryContent(other.text) === content
    )
      return other.id
  return null
}

/** Of a document that was written twice, what stood there first and what stands there last. */
function documentsOf(own: readonly ProjectEvent[]): RevertPlan["documents"] {
  const found = new Map<string, { path: string; before: string | null; after: string }>()
  for (const { fact } of own) {
    if (!isDocument(fact)) continue
    const { path, after } = fact
    const first = found.get(path)
    found.set(path, { path, before: first === undefined ? fact.before : first.before, after })
  }
  return [...found.values()]
}

const isDocument = (fact: ProjectEvent["fact"]): fact is Extract<DreamFact, { type: "document.written" }> =>
  fact.type === "document.written"
