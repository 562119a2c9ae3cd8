/** A project whose changes are judged and folded, for tests of what they make. */
import { memoryContent, subjectOf } from "../src/memory/contradiction.ts"
import { foldMemory, judgeChange } from "../src/memory/fold.ts"
import type { Memory, MemoryChange, MemoryId, MemorySource } from "../src/memory/memory.ts"

export const from = (by: MemorySource["by"]): MemorySource => ({ by, session: null, messages: [] })

export const said = { change: "write", expiresAt: null, supersedes: [] } as const

/** One change behind the other, a second apart. */
export function project() {
  const all = new Map<MemoryId, Memory>()
  let seq = 0
  const found = (wanted: (one: Memory) => boolean) => [...all.values()].filter(wanted)
  const known = {
    byId: (id: MemoryId) => all.get(id) ?? null,
    byContent: (content: string) =>
      found((one) => memoryContent(one.text) === content).toSorted(
        (a, b) => Number(b.status === "active") - Number(a.status === "active") || b.createdAt - a.createdAt,
      )[0] ?? null,
    bySubject: (subject: string) =>
      found((one) => one.status === "active" && subjectOf(one.category, one.text) === subject),
  }
  const change = (asked: MemoryChange, now = seq + 1) => {
    const judged = judgeChange(asked, known, now)
    for (const fact of judged.kind === "facts" ? judged.facts : [])
      for (const one of foldMemory({ seq: ++seq, time: now, fact }, known.byId) ?? []) all.set(one.id, one)
    return judged
  }
  const say = (text: string, more: Partial<Extract<MemoryChange, { change: "write" }>> = {}, now?: number) =>
    change(
      {
        ...said,
        category: "CONFIG_VALUES",
        text,
        source: from("agent"),
        ...more,
      },
      now,
    )
  return {
    change,
    say,
    active: () => found(({ status }) => status === "active").map(({ text }) => text),
    get: (id: string) => all.get(id as MemoryId) as Memory,
  }
}
