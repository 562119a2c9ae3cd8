/**
 * A directory that shared the memory of a project parts from it (MM1): what it takes along, and what it leaves behind.
 *
 *   it takes    what held before it shared, and what was said from there, as far as that holds now
 *   it leaves   a memory as if it had never shared it: what was said from there alone is archived, what that had ended,
 *               rewritten or archived stands as the others left it; what was said from both sides stays with both
 *
 * The log of the project says it all. The dreamer speaks for neither side: what it made of statements belongs to those whose
 * they were.
 */
import { memoryContent } from "./contradiction.ts"
import { foldMemory, isMemoryFact, memoryIdAt, type ProjectEvent } from "./fold.ts"
import type { Memory, MemoryChange, MemoryFact, MemoryId, MemorySource } from "./memory.ts"
import { foldNote, smartNoteIdAt } from "./note-fold.ts"
import type { NoteFact, SmartNote, SmartNoteChange, SmartNoteId } from "./note.ts"

export interface Parting {
  /** Taken along, the oldest first. */
  readonly taken: readonly Memory[]
  /** What the memory that is left is changed by, each for itself. */
  readonly left: readonly MemoryChange[]
  /** Statements from there that hold no more: where the directory still has one from before, it goes. */
  readonly ended: ReadonlySet<string>
  readonly takenNotes: readonly SmartNote[]
  readonly leftNotes: readonly SmartNoteChange[]
}

interface Trace {
  readonly memory: Memory
  /** As the others left it; null where it was never theirs. */
  readonly theirs: Memory | null
  /** Whether the directory takes it along. */
  readonly ours: boolean
}

type Sayer = "us" | "others" | "nobody"

export interface PartingInput {
  /** All of it. */
  readonly log: readonly ProjectEvent[]
  readonly sharer: number
  readonly now: number
  /** Why what was said from the directory alone is archived. */
  readonly reason: string
  /** It takes along what was said from it, and nothing of what held before. */
  readonly bare: boolean
}

/** Null where the directory does not share, as far as the log knows. */
export function planParting({ log, sharer, now, reason, bare }: PartingInput): Parting | null {
  const began = log.findLast(({ fact }) => fact.type === "sharing.began" && fact.sharer === sharer)
  if (began === undefined) return null
  const said = saidFrom(log, sharer, began.seq)
  const traces = traced(log, bare ? 0 : began.seq, said)
  const all = [...traces.values()]
  const source: MemorySource = { by: "person", session: null, messages: [] }
  const holds = ({ status, expiresAt }: Memory): boolean =>
    status === "active" && (expiresAt === null || expiresAt > now)
  const taken = all.flatMap(({ ours, memory }) => (ours && holds(memory) ? [memory] : []))
  const standing = new Set(all.flatMap(({ memory }) => (holds(memory) ? [memoryContent(memory.text)] : [])))
  const notes = notesFrom(log, said)
  return {
    taken,
    left: [
      ...all.flatMap((trace) => goes(trace, reason, source)),
      ...all.flatMap((trace) => comesBack(trace, source)),
      ...all.flatMap(rewritten),
    ],
    ended: new Set(
      all
        .filter(({ memory: { status, changedSeq } }) => status !== "active" && changedSeq > began.seq)
        .map(({ memory }) => memoryContent(memory.text))
        .filter((content) => !standing.has(content)),
    ),
    takenNotes: notes,
    leftNotes: notes.map(({ id }) => ({ change: "dismiss", note: id, source })),
  }
}

/** Places of the log that were said from the directory since it shares. */
function saidFrom(log: readonly ProjectEvent[], sharer: number, since: number): ReadonlySet<number> {
  const said = new Set<number>()
  for (const { seq, fact } of log)
    if (fact.type === "sharing.said" && fact.sharer === sharer && seq > since)
      for (let at = seq - fact.events; at < seq; at++) said.add(at)
  return said
}

function traced(
  log: readonly ProjectEvent[],
  since: number,
  said: ReadonlySet<number>,
): ReadonlyMap<MemoryId, Trace> {
  const traces = new Map<MemoryId, Trace>()
  let dreamt: { readonly seq: number; readonly trace: Trace } | null = null
  for (const { seq, time, fact } of log) {
    if (!isMemoryFact(fact)) continue
    const sayer: Sayer = said.has(seq) ? "us" : fact.source.by === "dreamer" ? "nobody" : "others"
    const made = "memory" in fact ? null : memoryIdAt(seq)
    for (const memory of foldMemory({ seq, time, fact }, (id) => traces.get(id)?.memory ?? null) ?? []) {
      const before = traces.get(memory.id)
      const trace: Trace =
        before === undefined
          ? begun(
              memory,
              sayer,
              seq <= since,
              fromOf(memory, traces, dreamt?.seq === seq - 1 ? dreamt.trace : null),
            )
          : continued(before, memory, sayer, fact)
      traces.set(memory.id, trace)
      if (memory.id === made && fact.source.by === "dreamer") dreamt = { seq, trace }
    }
    if (sayer === "others") endTheirs(traces, replacedBy(fact))
  }
  return traces
}

/** What a statement was made of; of a statement that the dreamer split, the parts follow each other. */
function fromOf(memory: Memory, traces: ReadonlyMap<MemoryId, Trace>, split: Trace | null): readonly Trace[] {
  const older = memory.supersedes.flatMap((id) => traces.get(id) ?? [])
  return older.length > 0 || split === null || memory.source.by !== "dreamer" ? older : [split]
}

function begun(memory: Memory, sayer: Sayer, isFromBefore: boolean, from: readonly Trace[]): Trace {
  const isTheirs =
    sayer === "others" ||
    (sayer === "nobody" && (from.length === 0 || from.some(({ theirs }) => theirs !== null)))
  return {
    memory,
    theirs: isTheirs ? memory : null,
    ours: isFromBefore || sayer === "us" || from.some(({ ours }) => ours),
  }
}

function continued({ theirs, ours }: Trace, memory: Memory, sayer: Sayer, fact: MemoryFact): Trace {
  // Whoever ends a statement has not said it.
  const speaks = "memory" in fact && fact.memory === memory.id && fact.type !== "memory.archived"
  if (sayer === "us") return { memory, theirs, ours: ours || speaks }
  return { memory, theirs: theirs !== null || (sayer === "others" && speaks) ? memory : null, ours }
}

const replacedBy = (fact: MemoryFact): readonly MemoryId[] => {
  if (fact.type === "memory.written") return fact.supersedes
  if (fact.type === "memory.merged") return fact.from
  if (fact.type === "memory.archived") return [fact.memory]
  return fact.type === "memory.updated" ? (fact.supersedes ?? []) : []
}

/** Where the others end what the directory had put in the place of theirs, theirs is ended as well. */
function endTheirs(traces: Map<MemoryId, Trace>, ids: readonly MemoryId[]): void {
  for (const id of ids) {
    const trace = traces.get(id)
    if (trace === undefined) continue
    if (trace.theirs === null) endTheirs(traces, trace.memory.supersedes)
    else traces.set(id, { ...trace, theirs: { ...trace.theirs, status: "superseded" } })
  }
}

const goes = ({ memory, theirs }: Trace, reason: string, source: MemorySource): readonly MemoryChange[] =>
  memory.status === "active" && theirs?.status !== "active"
    ? [{ change: "archive", memory: memory.id, reason: theirs?.reason ?? reason, source }]
    : []

const comesBack = ({ memory, theirs }: Trace, source: MemorySource): readonly MemoryChange[] =>
  memory.status !== "active" && theirs?.status === "active"
    ? [{ change: "restore", memory: memory.id, source }]
    : []

const rewritten = ({ memory, theirs }: Trace): readonly MemoryChange[] => {
  if (theirs?.status !== "active") return []
  const { text, category, expiresAt, source } = theirs
  const isSame = text === memory.text && category === memory.category && expiresAt === memory.expiresAt
  return isSame ? [] : [{ change: "update", memory: memory.id, text, category, expiresAt, source }]
}

/** Those that were written from there and of which nobody was told yet. */
function notesFrom(log: readonly ProjectEvent[], said: ReadonlySet<number>): readonly SmartNote[] {
  const notes = new Map<SmartNoteId, SmartNote>()
  for (const { seq, time, fact } of log) {
    if (!fact.type.startsWith("smart-note.")) continue
    const note = foldNote({ seq, time, fact: fact as NoteFact }, (id) => notes.get(id) ?? null)
    if (note !== null && (notes.has(note.id) || (said.has(seq) && note.id === smartNoteIdAt(seq))))
      notes.set(note.id, note)
  }
  return [...notes.values()].filter(({ status }) => status === "waiting" || status === "ready")
}
