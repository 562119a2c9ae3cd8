import { describe, expect, test } from "vitest"
import type { MemoryChange, MemoryId, MemorySource } from "../src/memory/memory.ts"
import { from, project, said } from "./memory-project.ts"

const memory = "m1" as MemoryId

describe("a rule of a person", () => {
  const rule = { category: "PROJECT_RULES" } as const
  const never = "Never use tabs."
  const update = { change: "update", memory, text: never } as const
  const merge = { change: "merge", from: [memory, "m2" as MemoryId], text: never } as const
  const ways: readonly (readonly [string, (by: MemorySource["by"]) => MemoryChange])[] = [
    ["a write", (by) => ({ ...rule, ...said, text: never, source: from(by) })],
    [
      "a write that names it",
      (by) => ({ ...said, category: "NAMING", text: never, source: from(by), supersedes: [memory] }),
    ],
    ["an update of it", (by) => ({ ...update, source: from(by) })],
    ["an update of it and its category", (by) => ({ ...update, category: "NAMING", source: from(by) })],
    ["an update of another", (by) => ({ ...update, memory: "m2" as MemoryId, source: from(by) })],
    ["a merge", (by) => ({ ...merge, category: null, source: from(by) })],
    ["a merge into a category", (by) => ({ ...merge, category: "NAMING", source: from(by) })],
  ]
  const begun = () => {
    const made = project()
    made.say("Use tabs.", { ...rule, source: from("person") })
    made.say("Indent.", rule)
    return made
  }
  for (const [way, asked] of ways)
    test(`[MM1] is turned round by a person alone: ${way}`, () => {
      const { change, active } = begun()
      for (const by of ["agent", "dreamer"] as const)
        expect(change(asked(by))).toEqual({
          kind: "refused",
          problem: "person",
          ids: [memory],
          says: "Use tabs.",
        })
      expect(change(asked("historian")).kind).toBe("same")
      expect(active()).toEqual(["Use tabs.", "Indent."])
      expect(change(asked("person")).kind).toBe("facts")
      expect([active().includes(never), active().includes("Use tabs.")]).toEqual([true, false])
    })
  test("[MM1] stays theirs where an agent gives it another category or another end, and may be archived", () => {
    const { say, change, get } = begun()
    change({ change: "update", memory, category: "CONSTRAINTS", source: from("agent") })
    say("Use tabs.", { expiresAt: 99 })
    expect(get("m1").source).toMatchObject({ by: "agent", wordsOf: "person" })
    expect(say(never, { category: "CONSTRAINTS" }).kind).toBe("refused")
    change({ change: "archive", memory, reason: "The user said so.", source: from("agent") })
    expect(say(never, { category: "CONSTRAINTS" }).kind).toBe("facts")
  })
})
