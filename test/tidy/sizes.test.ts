/** Files and functions stay short enough to read; exceptions are listed and may only shrink. */
import { expect, test } from "vitest"
import { readRatchets } from "./ratchets.ts"
import {
  fileLinesMax,
  fileSizes,
  folderLinesMax,
  folderSize,
  functionLinesMax,
  functionSizes,
  judgeSizes,
  limitedSources,
} from "./sizes.ts"

const ratchets = readRatchets()

test("files keep to their length", () =>
  expect(judgeSizes(fileSizes(limitedSources()), fileLinesMax, ratchets.files)).toEqual([]))

test.each(Object.entries(folderLinesMax))("%s keeps to its %d lines", (folder, linesMax) => {
  const lines = folderSize(fileSizes(limitedSources()), folder)
  expect(lines).toBeGreaterThan(0)
  expect(lines, "Say it once, or leave something out.").toBeLessThanOrEqual(linesMax)
})

test("functions keep to their length", () =>
  expect(judgeSizes(functionSizes(limitedSources()), functionLinesMax, ratchets.functions)).toEqual([]))

test("a new offender, a grown one and a needless exception are refused", () => {
  const exception = { lines: 450, reason: "a long but straight table" }
  const judge = (lines: number, listed: boolean) =>
    judgeSizes([{ place: "a.ts", lines }], 400, listed ? { "a.ts": exception } : {})
  expect(judge(401, false)).toHaveLength(1)
  expect(judge(451, true)).toHaveLength(1)
  expect(judge(450, true)).toEqual([])
  expect(judge(400, true)).toHaveLength(1)
  expect(judgeSizes([], 400, { "gone.ts": exception })).toHaveLength(1)
})

test("a named inner function counts for itself, a callback for its parent", () => {
  const body = (count: number) => "work()\n".repeat(count)
  const text = [
    `function outer() {\n${body(3)}const inner = () => {\n${body(10)}function deepest() {\n${body(5)}}\n}\n}`,
    `const step = make(() => {\n${body(4)}})`,
    `function parent() {\nconst a = Effect.gen(function* () {\n${body(6)}})\nlist.map(() => {\n${body(2)}})\n}`,
  ].join("\n")
  expect(functionSizes([{ path: "f.ts", text }])).toEqual([
    { place: "f.ts#outer", lines: 5 },
    { place: "f.ts#inner", lines: 12 },
    { place: "f.ts#deepest", lines: 7 },
    { place: "f.ts#step", lines: 6 },
    { place: "f.ts#parent", lines: 6 },
    { place: "f.ts#a", lines: 8 },
  ])
})
