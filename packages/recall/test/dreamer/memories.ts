/** Memories and logs of a project for tests of the dreamer. */
import { foldMemory, isMemoryFact, judgeChange, type ProjectEvent } from "@holdfast/schema/memory/fold"
import { memoryContent } from "@holdfast/schema/memory/contradiction"
import type { DreamFact } from "@holdfast/schema/memory/dream"
import type { NoteFact } from "@holdfast/schema/memory/note"
import type { Memory, MemoryChange, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"

export const m = (number: number): MemoryId => `m${number}` as MemoryId
export const agent: MemorySource = { by: "agent", session: null, messages: [] }
export const person: MemorySource = { by: "person", session: null, messages: [] }
export const dreamer: MemorySource = { by: "dreamer", session: null, messages: [] }

export const memory = (number: number, text: string, more: Partial<Memory> = {}): Memory => ({
  id: m(number),
  category: "PROJECT_RULES",
  text,
  status: "active",
  source: agent,
  seen: 1,
  createdAt: number,
  updatedAt: number,
  expiresAt: null,
  supersededBy: null,
  supersedes: [],
  reason: null,
  changedSeq: number as Memory["changedSeq"],
  ...more,
})

/** A project's log as the store would write it. */
export function makeLog() {
  const log: ProjectEvent[] = []
  const now = new Map<MemoryId, Memory>()
  const append = (fact: ProjectEvent["fact"]) => {
    const event = { seq: log.length + 1, time: log.length + 1, fact }
    log.push(event)
    if (!isMemoryFact(fact)) return
    for (const one of foldMemory({ ...event, fact }, (id) => now.get(id) ?? null) ?? []) now.set(one.id, one)
  }
  const byContent = (content: string) =>
    [...now.values()].find((one) => one.status === "active" && memoryContent(one.text) === content) ?? null
  const change = (asked: MemoryChange) => {
    const judged = judgeChange(
      asked,
      { byId: (id) => now.get(id) ?? null, byContent, bySubject: () => [] },
      log.length,
    )
    if (judged.kind === "refused") throw new Error(`${judged.problem} ${judged.ids.join()}`)
    if (judged.kind === "facts") for (const fact of judged.facts) append(fact)
  }
  return {
    log,
    append: (fact: DreamFact | NoteFact) => append(fact),
    change,
    active: () =>
      [...now.values()].filter(({ status }) => status === "active").map(({ id, text }) => `${id} ${text}`),
  }
}
