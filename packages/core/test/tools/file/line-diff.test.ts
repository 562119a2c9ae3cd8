import * as fc from "fast-check"
import { expect, test } from "vitest"
import { lineDiff } from "../../../src/tools/file/line-diff.ts"

test("shows what changed, with two lines around it", () => {
  expect(lineDiff("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nfour\n5\n6\n7\n")).toBe(
    "@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+four\n 5\n 6",
  )
  expect(lineDiff("a\n", "a\n")).toBe("")
})

test("joins changes that lie near, and parts those that do not", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
  const now = [
    ...lines.slice(0, 2),
    "new",
    ...lines.slice(2, 5),
    ...lines.slice(6, 20),
    "x",
    ...lines.slice(21),
  ]
  const hunks = lineDiff(lines.join("\n"), now.join("\n"))
    .split("\n")
    .filter((line) => line.startsWith("@@"))
  expect(hunks).toEqual(["@@ -1,8 +1,8 @@", "@@ -19,5 +19,5 @@"])
})

test("cuts a long difference, and says so", () => {
  const shown = lineDiff("a\n".repeat(3_000), "b\n".repeat(3_000)).split("\n")
  expect(shown).toHaveLength(61)
  expect(shown.at(-1)).toMatch(/^\[\d+ more lines of the difference\]$/)
})

test("names every line that goes and every line that comes", () => {
  const line = fc.constantFrom("a", "b", "c", "d")
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (old, now) => {
      const shown = lineDiff(old.join("\n"), now.join("\n")).split("\n")
      const count = (mark: string) => shown.filter((text) => text.startsWith(mark)).length
      const length = (lines: readonly string[]) => Math.max(1, lines.length)
      expect(count("+") - count("-")).toBe(length(now) - length(old))
    }),
  )
})

test("[TL1] counts the lines that there are: the end of the last one begins no other", () => {
  expect(lineDiff("a\nb\n", "a\nc\n")).toBe("@@ -1,2 +1,2 @@\n a\n-b\n+c")
  expect(lineDiff("a\nb", "a\nb\n")).toBe("@@ -1,2 +1,3 @@\n a\n b\n+")
})
