/** Words of a command, written and read again. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { expandedWord, literalWord, readWords, writeWords } from "../../../src/permission/shell/words.ts"

test("[PE1] writes words so that they are told apart and read again", () => {
  const unit = fc.constantFrom("a", "-", " ", "'", '"', "\\", "$", "*", "\n", "\u202E", "\uD800", "😀")
  const word = fc.tuple(fc.string({ unit, maxLength: 12 }), fc.boolean())
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (given) => {
      const words = given.map(([text, literal]) => (literal ? literalWord(text) : expandedWord(text)))
      expect(readWords(writeWords(words))).toEqual(words)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ["a\nb", String.raw`$'a\nb'`],
  ["\u202Egnp.sh", String.raw`$'\u{202e}gnp.sh'`],
  ["a\u200Bb", String.raw`$'a\u{200b}b'`],
  ["\u001B[2K", String.raw`$'\u{1b}[2K'`],
])("[PE5] makes %j visible", (text, written) => expect(writeWords([literalWord(text)])).toBe(written))
