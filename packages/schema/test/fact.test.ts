import { describe, expect, test } from "vitest"
import { Fact, factShapes, readFact } from "../src/event.ts"
import { factVersions } from "../src/fact/version.ts"
import { PromptId } from "../src/id.ts"

const prompt = PromptId.make("p1")
const read = { kind: "read", fact: { type: "prompt.cancelled", prompt } }

describe("readFact", () => {
  test("reads a stored fact without its type among the fields", () => {
    expect(readFact("prompt.cancelled", 1, { prompt })).toEqual(read)
    expect(readFact("prompt.cancelled", 1, {})).toEqual({ kind: "unreadable" })
  })
  test("[ST1] lifts an older version step by step to the one that is written", () => {
    const lifts = {
      "prompt.cancelled": [({ id }) => ({ name: id ?? null }), ({ name }) => ({ prompt: name ?? null })],
    } satisfies Parameters<typeof readFact>[3]
    expect(readFact("prompt.cancelled", 1, { id: prompt }, lifts)).toEqual(read)
    expect(readFact("prompt.cancelled", 2, { name: prompt }, lifts)).toEqual(read)
    expect(readFact("prompt.cancelled", 3, { prompt }, lifts)).toEqual(read)
    expect(readFact("prompt.cancelled", 1, { name: prompt }, lifts)).toEqual({ kind: "unreadable" })
    expect(readFact("prompt.cancelled", 4, { prompt }, lifts)).toEqual({ kind: "newer" })
  })
  test("[ST1] takes an unknown type for a newer store, not for damage", () => {
    for (const type of ["prompt.sung", "", "constructor", "toString"])
      expect(readFact(type, 1, {})).toEqual({ kind: "newer" })
  })
  test("[ST1] knows every type up to the version that is written, and none above it", () => {
    const kinds = Object.entries(factVersions).map(([type, version]) =>
      [version, version + 1].map((of) => readFact(type, of, { time: "not of any fact" }).kind === "newer"),
    )
    expect(kinds).toEqual(Object.keys(factVersions).map(() => [false, true]))
  })
  test("every shape has a version and every version a shape", () => {
    expect([...factShapes.keys()].toSorted()).toEqual(Object.keys(factVersions).toSorted())
    expect(Fact.members).toHaveLength(factShapes.size)
  })
})
