import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { phraseOfStops, stopChains, wordsOfChains } from "@holdfast/schema/search/stop-chains"
import { stopWords } from "@holdfast/schema/search/stop-words"
import { indexedCharactersMax, searchWords, wholeCharactersMax } from "@holdfast/schema/search/words"

/** What plain text says, put shortly: runs of letters, digits and what joins them, in parts and whole. */
const wordsByExpressions = (text: string): readonly string[] =>
  (text.match(/[A-Za-z0-9](?:[\w./\\:@#$+-]*[A-Za-z0-9])?/g) ?? []).flatMap((run) => {
    const parts = run.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? []
    const said = parts.map((part) => part.toLowerCase()).filter((part) => !stopWords.has(part))
    return parts.length > 1 ? [...said, parts.join("").toLowerCase()] : said
  })

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

  test("[SE1] plain text is cut as expressions would cut it, and so it is beside any other", () => {
    const character = fc.constantFrom(..."abTHEsx09 _./\\\\:@#$+-,(\n\u0000")
    const other = fc.constantFrom(..."é漢字🎉ﬁ\u0301\u00a0’—")
    const plain = fc.string({ unit: character, maxLength: 60 })
    const mixed = fc.string({ unit: fc.oneof({ arbitrary: character, weight: 6 }, other), maxLength: 60 })
    fc.assert(
      fc.property(plain, mixed, (text, beside) => {
        expect(searchWords(text)).toEqual(wordsByExpressions(text))
        expect(searchWords(`${text} ${beside} ${text}`)).toEqual([text, beside, text].flatMap(searchWords))
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    ["in a row, whatever stands between", "To be, or not: to", "to0be0or0not be0or0not0to"],
    ["in quotes of any kind", "“to be” is – so it", "to0be0is0so be0is0so0it"],
    ["not over another word", "to be or walrus not to be 2 it is so ünd not to", ""],
    ["not as part of one", "tobe or not to whatever is so isx", ""],
  ])("[SE1] stop words are chained %s", (_, text, chains) => {
    expect(stopChains(text)).toBe(chains)
  })

  test("[SE1] a phrase is made of chains where it has stop words alone", () => {
    expect(wordsOfChains(phraseOfStops("To be or not to be"))).toEqual(["to", "be", "or", "not", "to", "be"])
    expect([phraseOfStops("the walrus it is"), phraseOfStops("it is so")]).toEqual([[], []])
    expect([wordsOfChains(["to0be0or0walrus"]), wordsOfChains([])]).toEqual([null, null])
  })

  test("[SE1] a name of many words is cut where it stands whole", () => {
    const [whole] = searchWords("aB".repeat(200)).toReversed()
    expect(whole).toBe("ab".repeat(wholeCharactersMax / 2))
  })

  test("[SE1] a text of any length is bounded", () => {
    const words = searchWords("x".repeat(indexedCharactersMax * 4))
    expect(words.join("").length).toBeLessThanOrEqual(indexedCharactersMax)
  })
})
