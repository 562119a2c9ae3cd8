import { describe, expect, test } from "vitest"
import { projectFactShapes } from "../src/memory/memory.ts"
import { readProjectFact } from "../src/memory/project-fact.ts"
import { projectFactVersions } from "../src/memory/version.ts"

const source = { by: "person", session: null, messages: [] }
const read = { kind: "read", fact: { type: "memory.seen", memory: "m1", source } }

describe("readProjectFact", () => {
  test("reads a stored fact without its type among the fields", () => {
    expect(readProjectFact("memory.seen", 1, { memory: "m1", source })).toEqual(read)
    expect(readProjectFact("memory.seen", 1, { source })).toEqual({ kind: "unreadable" })
  })
  test("[ST1] lifts an older version step by step to the one that is written", () => {
    const lifts = {
      "memory.seen": [
        ({ id }) => ({ name: id ?? null }),
        ({ name }) => ({ memory: name ?? null, source: { by: "person", session: null, messages: [] } }),
      ],
    } satisfies Parameters<typeof readProjectFact>[3]
    const reading = (version: number, fields: Parameters<typeof readProjectFact>[2]) =>
      readProjectFact("memory.seen", version, fields, lifts)
    expect(reading(1, { id: "m1" })).toEqual(read)
    expect(reading(2, { name: "m1" })).toEqual(read)
    expect(reading(3, { memory: "m1", source })).toEqual(read)
    expect(reading(1, { name: "m1" })).toEqual({ kind: "unreadable" })
    expect(reading(4, { memory: "m1", source })).toEqual({ kind: "newer" })
  })
  test("[ST1] takes an unknown type for a newer store, not for damage", () => {
    for (const type of ["memory.sung", "session.moved", "", "constructor", "toString"])
      expect(readProjectFact(type, 1, {})).toEqual({ kind: "newer" })
  })
  test("[ST1] knows every type up to the version that is written, and none above it", () => {
    const kinds = Object.entries(projectFactVersions).map(([type, version]) =>
      [version, version + 1].map(
        (of) => readProjectFact(type, of, { time: "not of any fact" }).kind === "newer",
      ),
    )
    expect(kinds).toEqual(Object.keys(projectFactVersions).map(() => [false, true]))
  })
  test("every shape has a version and every version a shape", () => {
    expect([...projectFactShapes.keys()].toSorted()).toEqual(Object.keys(projectFactVersions).toSorted())
  })
})
