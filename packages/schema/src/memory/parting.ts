/**
 * A directory that shared the memory of a project parts from it (MM1): what it takes along, and what it leaves behind.
 *
 *   it takes    what held before it shared, and what was said from there, as it left it: what the others alone ended, rewrote
 *               or archived stands as before
 *   it leaves   a memory as if it had never shared it: what was said from there alone is archived, what that had ended,
 *               rewritten or archived stands as the others left it
 *   both have   what was said from both sides; whoever says what took the place of something has ended that too
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
  /** As the directory left it, which takes it along; null where it was never said from there. */
  readonly ours: Memory | null
}

type Side = "theirs" | "ours"
type Sayer = Side | "nobody"

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
  const own = all.flatMap(({ ours }) => ours ?? [])
  const taken = own.filter(holds)
  const standing = new Set(taken.map(({ text }) => memoryContent(text)))
  const notes = notesFrom(log, said)
  return {
    taken,
    left: [
      ...all.flatMap((trace) => goes(trace, reason, source)),
      ...all.flatMap((trace) => comesBack(trace, source)),
      ...all.flatMap(rewritten),
    ],
    ended: new Set(
      own
        .filter(({ status, changedSeq }) => status !== "active" && changedSeq > began.seq)
        .map(({ text }) => memoryContent(text))
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
    const sayer: Sayer = fact.source.by === "dreamer" ? "nobody" : said.has(seq) ? "ours" : "theirs"
    const made = "memory" in fact ? null : memoryIdAt(seq)
    for (const memory of foldMemory({ seq, time, fact }, (id) => traces.get(id)?.memory ?? null) ?? []) {
      const before = traces.get(memory.id)
      const from = fromOf(memory, traces, dreamt?.seq === seq - 1 ? dreamt.trace : null)
      const trace: Trace =
        seq <= since
          ? { memory, theirs: memory, ours: memory } // What held before they shared it is of both.
          : before === undefined
            ? begun(memory, sayer, from)
            : continued(before, memory, sayer, fact)
      traces.set(memory.id, trace)
      if (memory.id === made && fact.source.by === "dreamer") dreamt = { seq, trace }
    }
    if (sayer !== "nobody" && seq > since) endOf(sayer, traces, replacedBy(fact, traces))
  }
  return traces
}

/** What a statement was made of; of a statement that the dreamer split, the parts follow each other. */
function fromOf(memory: Memory, traces: ReadonlyMap<MemoryId, Trace>, split: Trace | null): readonly Trace[] {
  const older = memory.supersedes.flatMap((id) => traces.get(id) ?? [])
  return older.length > 0 || split === null || memory.source.by !== "dreamer" ? older : [split]
}

function begun(memory: Memory, sayer: Sayer, from: readonly Trace[]): Trace {
  if (sayer !== "nobody") return { memory, theirs: null, ours: null, [sayer]: memory }
  const of = (side: Side): boolean =>
    from.some((trace) => trace[side] !== null && isAlike(trace[side], trace.memory))
  return {
    memory,
    theirs: from.length === 0 || of("theirs") ? memory : null,
    ours: of("ours") ? memory : null,
  }
}

function continued(trace: Trace, memory: Memory, sayer: Sayer, fact: MemoryFact): Trace {
  const next = (side: Side): Memory | null => {
    const own = trace[side]
    if (sayer === "nobody") return own !== null && isAlike(own, trace.memory) ? memory : own
    if (sayer !== side) return own
    // Whoever ends a statement has not said it.
    const speaks = "memory" in fact && fact.memory === memory.id && fact.type !== "memory.archived"
    if (own === null && !speaks) return null
    // To say it again revives nothing, and what the other side did to it is not theirs.
    return fact.type === "memory.seen" ? { ...memory, status: own?.status ?? "active" } : memory
  }
  return { memory, theirs: next("theirs"), ours: next("ours") }
}

const isAlike = (one: Memory, other: Memory): boolean =>
  one.status === other.status && one.text === other.text

/** What a side ends by what it says; who says again what took the place of something means that as well. */
function replacedBy(fact: MemoryFact, traces: ReadonlyMap<MemoryId, Trace>): readonly MemoryId[] {
  if (fact.type === "memory.written") return fact.supersedes
  if (fact.type === "memory.merged") return fact.from
  if (fact.type === "memory.archived") return [fact.memory]
  const older = traces.get(fact.memory)?.memory.supersedes ?? []
  return older.filter((id) => traces.get(id)?.memory.status !== "active")
}

/** Where a side ends what the other had put in the place of its own, its own is ended as well. */
function endOf(side: Side, traces: Map<MemoryId, Trace>, ids: readonly MemoryId[]): void {
  for (const id of ids) {
    const trace = traces.get(id)
    if (trace === undefined) continue
    const own = trace[side]
    if (own === null) endOf(side, traces, trace.memory.supersedes)
    else if (own.status === "active")
      traces.set(id, {
        ...trace,
        [side]: { ...own, status: "superseded", changedSeq: trace.memory.changedSeq },
      })
  }
}

const goes = ({ memory, theirs }: Trace, reason: string, source: MemorySource): readonly MemoryChange[] =>
  memory.status === "active" && theirs?.status !== "active"
    ? [{ change: "archive", memory: memory.id, reason: theirs?.reason ?? reason, source }]
    : []

const comesBack = ({ memory, theirs }: Trace, source: MemorySource): readonly MemoryChange[] =>
  memory.status !== "active" && theirs?.status === "active"
    ? [{ change: "restore", memory: memory.id, source, beside: true }]
    : []

const rewritten = ({ memory, theirs }: Trace): readonly MemoryChange[] => {
  if (theirs?.status !== "active") return []
  const { text, category, expiresAt, source } = theirs
  const isSame = text === memory.text && category === memory.category && expiresAt === memory.expiresAt
  return isSame
    ? []
    : [{ change: "update", memory: memory.id, text, category, expiresAt, source, beside: true }]
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
