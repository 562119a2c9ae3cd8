/** Where a memory came from: its changes in the log of the project, and the places of Sessions that they name (MM1). */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { memoryIdAt, type ProjectEvent } from "@holdfast/schema/memory/fold"
import { isMemoryFact } from "@holdfast/schema/memory/fold"
import type { MemoryFact, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
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
  const own: ProjectEvent<MemoryFact>[] = []
  for (let after = Number(id.slice(1)) - 1; ;) {
    const page = yield* store.memoryLog(root, after, pageLength)
    for (const { seq, time, fact } of page)
      if (isMemoryFact(fact) && concerns(fact, seq, id)) own.push({ seq, time, fact })
    const last = page.at(-1)
    if (last === undefined || page.length < pageLength) break
    after = last.seq
  }
  const told = own.length > eventsMax ? [...own.slice(0, 1), ...own.slice(1 - eventsMax)] : own
  return yield* Effect.forEach(told, (event) => describe(store, event, id))
})

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
        text: fact.text ?? null,
        category: fact.category ?? null,
        ...(fact.expiresAt !== undefined && { expiresAt: fact.expiresAt }),
        others: replaced(fact),
      }
    case "memory.archived":
      return { ...base, change: "archived", reason: fact.reason }
    case "memory.seen":
      return { ...base, change: "seen" }
    case "memory.restored":
      return { ...base, change: "restored" }
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
