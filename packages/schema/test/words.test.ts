import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { indexedCharactersMax, searchWords } from "@holdfast/schema/search/words"

describe("the words by which a text is found", () => {
  test.each([
    ["plain words, without those that say nothing", "What did the parser do?", ["parser"]],
    [
      "a name in camel case, in parts and whole",
      "parseHTTPHeader2",
      ["parse", "http", "header", "2", "parsehttpheader2"],
    ],
    ["a name with underscores", "MAX_RETRY_COUNT", ["max", "retry", "count", "maxretrycount"]],
    ["a path", "src/session/turn.ts", ["src", "session", "turn", "ts", "srcsessionturnts"]],
    [
      "the same path of another system",
      "src\\session\\turn.ts",
      ["src", "session", "turn", "ts", "srcsessionturnts"],
    ],
    ["an address and a port", "127.0.0.1:8080", ["127", "0", "0", "1", "8080", "1270018080"]],
    ["letters and digits", "e98406e", ["e", "98406", "e", "e98406e"]],
    [
      "the end of a sentence joins nothing",
      "See README.md. Then go.",
      ["see", "readme", "md", "readmemd", "go"],
    ],
    ["a script without blanks", "漢字かな", ["漢字", "字か", "かな"]],
    ["a picture", "done 🎉", ["u1f389"]],
    ["accents are letters", "Grüße café", ["grüße", "café"]],
    ["operators and quotes are only text", '"NEAR(a, b)" OR -x* AND (y)', ["near", "b", "x", "y"]],
    ["nothing", " \u0000\n", []],
  ])("[SE1] %s", (_, text, words) => {
    expect(searchWords(text)).toEqual(words)
  })

  test("[SE1] plain text has the words that it has beside any other", () => {
    const plain = fc.string({ unit: fc.constantFrom(..."abTHEx09 _./\\\\:@#$+-,\n\u0000"), maxLength: 60 })
    fc.assert(
      fc.property(plain, (text) => {
        expect([...searchWords(text), "é"]).toEqual(searchWords(`${text} é`))
      }),
    )
  })

  test("[SE1] a text of any length is bounded", () => {
    const words = searchWords("x".repeat(indexedCharactersMax * 4))
    expect(words.join("").length).toBeLessThanOrEqual(indexedCharactersMax)
  })
})
