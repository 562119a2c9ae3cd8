import { describe, expect, test } from "vitest"
import { foldMemory } from "../src/memory/fold.ts"
import type { Memory, MemoryId } from "../src/memory/memory.ts"

const source = { by: "person", session: null, messages: [] } as const
const id = (n: number) => `m${n}` as MemoryId

const memory = (n: number, more: Partial<Memory> = {}) =>
  ({
    id: id(n),
    category: "NAMING",
    text: `${n}`,
    status: "active",
    seen: n,
    expiresAt: null,
    ...more,
  }) as Memory

describe("memories that others are made of", () => {
  const merged = (...from: readonly Memory[]) => {
    const fact = {
      type: "memory.merged",
      from: from.map((one) => one.id),
      category: "NAMING",
      text: "all",
      source,
    } as const
    return foldMemory({ seq: 9, time: 5, fact }, (asked) => from.find((one) => one.id === asked) ?? null)
  }
  test("[MM1] a merge holds as long as the longest of them, for good where one does, and was said as often as all", () => {
    const [short, long] = [memory(1, { expiresAt: 10 }), memory(2, { expiresAt: 20 })]
    expect(merged(short, long)?.at(-1)).toMatchObject({ id: id(9), expiresAt: 20, seen: 3 })
    expect(merged(short, memory(3))?.at(-1)).toMatchObject({ expiresAt: null, seen: 4 })
  })
})
