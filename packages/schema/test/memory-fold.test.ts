import { describe, expect, test } from "vitest"
import { bumpsEpoch, judgeChange } from "../src/memory/fold.ts"
import type { Memory, MemoryId, MemorySource } from "../src/memory/memory.ts"

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

describe("a value that takes the place of another", () => {
  const older = { id: memory, status: "active", category: "CONFIG_VALUES", text: "The port is 1" } as Memory
  const known = { byId: () => older, byContent: () => null, bySubject: () => [older] }
  const write = (by: MemorySource["by"], supersedes: readonly MemoryId[]) =>
    judgeChange(
      {
        change: "write",
        category: "CONFIG_VALUES",
        text: "The port is 2",
        source: from(by),
        expiresAt: null,
        supersedes,
      },
      known,
    )
  test("[MM1] an agent's new value supersedes the older one", () => {
    expect(write("agent", [])).toMatchObject({ kind: "facts", facts: [{ supersedes: [memory] }] })
  })
  test("[DM1] the dreamer ends only what it names: nothing by the way of another's value", () => {
    expect(write("dreamer", [])).toEqual({ kind: "refused", problem: "duplicate", ids: [memory] })
    expect(write("dreamer", [memory])).toMatchObject({ kind: "facts", facts: [{ supersedes: [memory] }] })
  })
})
