/** Where a memory came from: its changes in the log of the project, and the places of Sessions that they name (MM1). */
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { memoryIdAt, type ProjectEvent } from "@holdfast/schema/memory/fold"
import { isMemoryFact } from "@holdfast/schema/memory/fold"
import type { MemoryCategory, MemoryFact, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import type { MemoryEvent, MemoryPlace } from "@holdfast/schema/memory/told"
import type { Store } from "@holdfast/store/port"

type Reads = Pick<Store, "memoryLog" | "session" | "message">

const pageLength = 1_000
/** Changes of one memory that are told; the oldest and the newest. */
const eventsMax = 200

export const historyOfMemory = Effect.fnUntraced(function* (
  store: Reads,
  root: string,
  id: MemoryId,
): Effect.fn.Return<readonly MemoryEvent[], StoreFailure> {
  const own: OwnEvent[] = []
  const parted = new Set<number>()
  for (let after = Number(id.slice(1)) - 1; ;) {
    const page = yield* store.memoryLog(root, after, pageLength)
    for (const { seq, time, fact } of page) {
      if (isMemoryFact(fact) && concerns(fact, seq, id)) own.push({ seq, time, fact })
      // What a parting changes stands before its end, written at the same moment.
      if (fact.type === "sharing.ended") for (const one of own) if (one.time === time) parted.add(one.seq)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageLength) break
    after = last.seq
  }
  const abouts = aboutEach(own, id, parted)
  const described = own.flatMap((event, at) => {
    // What is brought back ends what contradicts it in a second record, which is told with the first.
    if (endsAlone(event, id) && own[at - 1]?.fact.type === "memory.restored") return []
    const next = own[at + 1]
    const ends = event.fact.type === "memory.restored" && next !== undefined && endsAlone(next, id)
    return [{ event, about: { ...(abouts[at] as About), ends: ends ? replaced(next.fact) : [] } }]
  })
  const told =
    described.length > eventsMax ? [...described.slice(0, 1), ...described.slice(1 - eventsMax)] : described
  return yield* Effect.forEach(told, ({ event, about }) => describe(store, event, id, about))
})

type OwnEvent = ProjectEvent<MemoryFact>

/** What a memory says; a value that nobody can tell is left out. */
interface Says {
  readonly text?: string
  readonly category?: MemoryCategory
  readonly expiresAt?: number | null
}

interface About {
  /** What it ended when it was brought back. */
  readonly ends?: readonly MemoryId[]
  readonly before: Says
  /** Why it was changed, as far as the log says. */
  readonly why: string | null
}

const partedText = "A directory that shared this memory has parted from it."
const takenBackText = "It says again what it said before the dreamer changed it."

function aboutEach(own: readonly OwnEvent[], id: MemoryId, parted: ReadonlySet<number>): readonly About[] {
  let says: Says = {}
  let beforeDream: Says | null = null
  return own.map((event): About => {
    const before = says
    says = saidBehind(before, event, id)
    const isOfDreamer = event.fact.source.by === "dreamer"
    const isTakenBack =
      isUpdate(event, id) && !isOfDreamer && beforeDream !== null && isDeepStrictEqual(says, beforeDream)
    if (isUpdate(event, id)) beforeDream = isOfDreamer ? before : null
    return { before, why: parted.has(event.seq) ? partedText : isTakenBack ? takenBackText : null }
  })
}

const endsAlone = ({ fact }: OwnEvent, id: MemoryId): boolean =>
  fact.type === "memory.updated" &&
  fact.memory === id &&
  fact.text === undefined &&
  fact.category === undefined &&
  fact.expiresAt === undefined

const isUpdate = ({ fact }: OwnEvent, id: MemoryId): boolean =>
  fact.type === "memory.updated" && fact.memory === id

function saidBehind(was: Says, { seq, fact }: OwnEvent, id: MemoryId): Says {
  if (fact.type === "memory.written" && memoryIdAt(seq) === id)
    return { text: fact.text, category: fact.category, expiresAt: fact.expiresAt }
  if (fact.type === "memory.merged" && memoryIdAt(seq) === id)
    return { text: fact.text, category: fact.category }
  if (fact.type !== "memory.updated" || fact.memory !== id) return was
  const { text, category, expiresAt } = fact
  return {
    ...was,
    ...(text !== undefined && { text }),
    ...(category !== undefined && { category }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

const concerns = (fact: MemoryFact, seq: number, id: MemoryId): boolean =>
  ("memory" in fact ? fact.memory : memoryIdAt(seq)) === id || replaced(fact).includes(id)

const replaced = (fact: MemoryFact): readonly MemoryId[] => {
  if (fact.type === "memory.written") return fact.supersedes
  if (fact.type === "memory.merged") return fact.from
  return fact.type === "memory.updated" ? (fact.supersedes ?? []) : []
}

const describe = Effect.fnUntraced(function* (
  store: Reads,
  { seq, time, fact }: ProjectEvent<MemoryFact>,
  id: MemoryId,
  { before, why, ends = [] }: About,
): Effect.fn.Return<MemoryEvent, StoreFailure> {
  const place = yield* sourcePlace(store, fact.source)
  const base = { seq, time, by: fact.source.by, place, reason: null, text: null, category: null, others: [] }
  switch (fact.type) {
    case "memory.written":
    case "memory.merged": {
      const made = memoryIdAt(seq)
      if (made !== id) return { ...base, change: "superseded", others: [made] }
      const change = fact.type === "memory.written" ? "written" : "merged"
      const { text, category } = fact
      const isLimited = fact.type === "memory.written" && fact.expiresAt !== null
      return {
        ...base,
        change,
        text,
        category,
        ...(isLimited && { expiresAt: fact.expiresAt }),
        others: replaced(fact),
      }
    }
    case "memory.updated":
      if (fact.memory !== id) return { ...base, change: "superseded", others: [fact.memory] }
      return {
        ...base,
        change: "updated",
        text: fact.text === before.text ? null : (fact.text ?? null),
        category: fact.category === before.category ? null : (fact.category ?? null),
        ...(fact.expiresAt !== undefined &&
          fact.expiresAt !== before.expiresAt && { expiresAt: fact.expiresAt }),
        reason: why,
        others: replaced(fact),
      }
    case "memory.archived":
      return { ...base, change: "archived", reason: fact.reason }
    case "memory.seen":
      return { ...base, change: "seen" }
    case "memory.restored":
      return { ...base, change: "restored", reason: why, others: ends }
  }
})

/** The Session that is named, with the sequences that a person opens it at. */
export const sourcePlace = Effect.fnUntraced(function* (
  store: Pick<Store, "session" | "message">,
  { session, messages, fromSeq }: MemorySource,
): Effect.fn.Return<MemoryPlace | null, StoreFailure> {
  if (session === null) return null
  const row = yield* store.session(session)
  if (row === null) return { session, title: null, exists: false, messages: [] }
  const found = yield* Effect.forEach(messages, (message) => store.message(session, message))
  const seqs = found.flatMap((message) => (message === null ? [] : [message.seq]))
  const known = seqs.length === 0 && fromSeq !== undefined ? [fromSeq] : seqs
  return { session, title: row.title, exists: true, messages: known }
})
