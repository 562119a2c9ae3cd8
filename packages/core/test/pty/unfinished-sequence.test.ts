/** What is left open at the end of an output, byte by byte. */
import { expect, test } from "vitest"
import { UnfinishedSequence } from "../../src/pty/unfinished-sequence.ts"

function unfinishedOf(text: string | Uint8Array): number {
  const sequence = new UnfinishedSequence()
  sequence.feed(typeof text === "string" ? new TextEncoder().encode(text) : text)
  return sequence.length
}

test.each([
  ["plain text\r\n", 0],
  ["\x1b", 1],
  ["a\x1b[", 2],
  ["a\x1b[38;5", 6],
  ["a\x1b[38;5;1m", 0],
  ["\x1b[?25h\x1b[1", 3],
  ["\x1b(", 2],
  ["\x1b(B", 0],
  ["\x1b]0;a title", 11],
  ["\x1b]0;a title\x07", 0],
  ["\x1b]0;a title\x1b", 1],
  ["\x1b]0;a title\x1b\\", 0],
  ["\x1bPq#0\x07", 6],
  ["\x1bPq#0\x1b\\", 0],
  ["\x1b[1\x18", 0],
  ["\x1b[1\x1b[", 2],
  ["é", 0],
])("[PT1] of %j, %d bytes are unfinished", (text, length) => expect(unfinishedOf(text)).toBe(length))

test.each([
  ["é", 1],
  ["語", 1],
  ["語", 2],
  ["🙂", 3],
])("[PT1] of %s, the first %d bytes are unfinished", (text, count) =>
  expect(unfinishedOf(new TextEncoder().encode(text).subarray(0, count))).toBe(count),
)

test("[PT1] bytes that begin no character are done at once", () =>
  expect([unfinishedOf(Uint8Array.of(0xff)), unfinishedOf(Uint8Array.of(0xe8, 0x61))]).toEqual([0, 0]))

test("[PT1] a string without an end is not waited for", () =>
  expect(unfinishedOf(`\x1bPq${"a".repeat(70_000)}`)).toBe(0))

test("[PT1] in pieces it is as in one", () => {
  const text = "a\x1b[31mé🙂\x1b]0;語\x1b\\b\x1b[?1049"
  const bytes = new TextEncoder().encode(text)
  const sequence = new UnfinishedSequence()
  const lengths = [...bytes].map((byte, at) => {
    sequence.feed(Uint8Array.of(byte))
    return [sequence.length, unfinishedOf(bytes.subarray(0, at + 1))]
  })
  expect(lengths.every(([one, all]) => one === all)).toBe(true)
})
