/** A prompt from standard input. */
import { expect, test } from "vitest"
import { decodeInput } from "../../src/input/standard-input.ts"

test("[SU1] text is taken as it is", () => {
  expect(decodeInput(Buffer.from("Grüße 🙂\n"))).toBe("Grüße 🙂\n")
})

test.each([
  ["Latin 1", Buffer.from("one\ntwo\nGr\u00fc\u00dfe\n", "latin1"), 3],
  ["a character that is cut off", Buffer.from("🙂").subarray(0, 3), 1],
  ["bytes of no text", Buffer.from([0x61, 0x0a, 0xff, 0xfe]), 2],
])("[SU1] %s is refused with its line, and not replaced", (_, bytes, line) => {
  expect(() => decodeInput(bytes)).toThrow(`Standard input is not UTF-8: line ${line} holds bytes`)
})
