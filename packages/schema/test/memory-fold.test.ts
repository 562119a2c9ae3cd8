import { describe, expect, test } from "vitest"
import { bumpsEpoch } from "../src/memory/fold.ts"
import type { MemoryId, MemorySource } from "../src/memory/memory.ts"

const from = (by: MemorySource["by"]): MemorySource => ({ by, session: null, messages: [] })
const memory = "m1" as MemoryId

const written = (by: MemorySource["by"], supersedes: readonly MemoryId[]) =>
  bumpsEpoch({
    type: "memory.written",
    category: "CONFIG_VALUES",
    text: "The port is 1",
    expiresAt: null,
    supersedes,
    source: from(by),
  })

describe("the epoch of a project", () => {
  test("[HB3 MM1] what a person only adds waits; what takes the place of something does not", () => {
    expect(written("person", [])).toBe(false)
    expect(written("person", [memory])).toBe(true)
    expect(written("agent", [memory])).toBe(false)
  })
  test("[HB3 MM1] what a person changes moves it, what anybody else does, or says again, does not", () => {
    expect(bumpsEpoch({ type: "memory.archived", memory, reason: null, source: from("person") })).toBe(true)
    expect(bumpsEpoch({ type: "memory.archived", memory, reason: null, source: from("dreamer") })).toBe(false)
    expect(bumpsEpoch({ type: "memory.seen", memory, source: from("person") })).toBe(false)
  })
})
