/** What of a document the dreamer may not change (DM1). */
import { expect, test } from "vitest"
import { documentFaults } from "../../src/dreamer/documents.ts"

const faults = (before: string | null, after: string) => documentFaults("A.md", before, after)
const long = "word ".repeat(100)
const region = (text: string) => `<!-- holdfast:protected -->${text}<!-- holdfast:end -->`

test("[DM1] a document keeps at least half of its length, unless it is a short one", () => {
  expect(faults(long, long.slice(0, 250))).toEqual([])
  expect(faults(long, long.slice(0, 249))).toEqual(["A.md lost more than half of its text."])
  expect(faults("word ".repeat(79), "word")).toEqual([])
  expect(faults(null, "word")).toEqual([])
})

test("[DM1] a document is neither empty nor endless", () => {
  const told = ["A.md is empty, or longer than 65536 characters."]
  expect(faults(null, " \n")).toEqual(told)
  expect(faults(null, "x".repeat(65_536))).toEqual([])
  expect(faults(null, "x".repeat(65_537))).toEqual(told)
})

test("[DM1] protected regions stay byte for byte, in their order, and none comes or goes", () => {
  const [one, two] = [region(" 1 "), region("2\r\n")]
  const told = ["A protected region of A.md is not as it was."]
  expect(faults(`a ${one} b ${two} c`, `x ${one}${two} y`)).toEqual([])
  for (const after of [
    `${two} ${one}`,
    one,
    `${one} ${two.replace("\r", "")}`,
    `${one} ${two} ${region("3")}`,
  ])
    expect(faults(`${one} ${two}`, after), after).toEqual(told)
  const open = "<!-- holdfast:protected --> to the end"
  expect(faults(`a\n${open}`, `b\n${open}`)).toEqual([])
  expect(faults(`a\n${open}`, `b\n${open}, and on`)).toEqual(told)
})
