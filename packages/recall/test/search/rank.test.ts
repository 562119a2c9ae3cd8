/** Which of the units that match stands first, as a table. */
import { describe, expect, test } from "vitest"
import { searchWords } from "@holdfast/schema/search/words"
import { readQuestion } from "../../src/search/question.ts"
import { isQuestion, type MatchingUnit, rankUnits } from "../../src/search/rank.ts"
import { snippetCharactersMax, snippetOf } from "../../src/search/snippet.ts"

const unit = (number: number, score: number, more: Partial<MatchingUnit> = {}): MatchingUnit => ({
  unit: number,
  session: `ses_${number}`,
  author: "user",
  score,
  meaning: 0,
  exact: false,
  after: null,
  secondAfter: null,
  ...more,
})

const order = (units: readonly MatchingUnit[], author: string | null = null) =>
  rankUnits(units, author).map(({ found }) => found.unit)

describe("rank", () => {
  test("[SE1] puts what holds the words as they were asked for above all else", () => {
    expect(order([unit(1, 9), unit(2, 1, { exact: true }), unit(3, 8)])).toEqual([2, 1, 3])
  })
  test("[SE1] counts what stands behind a unit, and two away, for it", () => {
    const session = "ses_one"
    const lone = unit(9, 6)
    expect(order([lone, unit(1, 5, { session, after: 2 }), unit(2, 4, { session })])[0]).toBe(1)
    expect(order([unit(1, 5, { after: 2 }), unit(2, 4), unit(3, 6.2)])[0]).toBe(1)
    expect(order([unit(1, 5, { secondAfter: 2 }), unit(2, 4), unit(3, 5.5)])[0]).toBe(1)
    expect(order([unit(1, 4, { secondAfter: 2 }), unit(2, 5), unit(3, 5.5)])[0]).toBe(2)
  })
  test("[SE1] prefers the author that is named, and the Session where more of it was said", () => {
    const units = [unit(1, 5), unit(2, 4.5, { author: "assistant" })]
    expect(order(units)).toEqual([1, 2])
    expect(order(units, "assistant")).toEqual([2, 1])
    const session = "ses_much"
    const much = [unit(2, 4.9, { session }), unit(3, 4.8, { session }), unit(4, 4.7, { session })]
    expect(order([unit(1, 5), ...much])[0]).toBe(2)
  })
  test("ranks nothing, and units without a score", () => {
    expect(order([])).toEqual([])
    expect(order([unit(1, 0)])).toEqual([1])
  })
  test.each([
    ["Which one?", true],
    ['He said "why?"', true],
    ["Why? Because.", false],
    ["哪个？", true],
    ["", false],
  ])("knows whether %j asks", (text, asks) => expect(isQuestion(text)).toBe(asks))
})

describe("question", () => {
  test("[SE1] reads words, the whole as a phrase, and what stands in quotes", () => {
    expect(readQuestion('find "lost token" in parseHead')).toMatchObject({
      phrases: [
        { words: ["lost", "token"] },
        { words: ["find", "lost", "token", "parse", "head", "parsehead"] },
      ],
      author: null,
    })
    const [stops] = readQuestion('who said "to be or not to be"?').phrases
    expect(stops).toEqual({
      words: ["to0be0or0not", "be0or0not0to", "or0not0to0be"],
      all: ["to", "be", "or", "not", "to", "be"],
    })
    expect(readQuestion('"the end of the line"').phrases[0]).toEqual({
      words: ["end", "line"],
      all: ["the", "end", "of", "the", "line"],
    })
    expect(readQuestion("to be or not to be").phrases).toEqual([])
    expect(readQuestion("word ".repeat(40)).phrases).toEqual([])
    expect(readQuestion("").phrases).toEqual([])
    const commit = "9fceb02d0ae598e95dc970b74767f19372d61af8"
    expect(readQuestion(commit).phrases).toEqual([{ words: searchWords(commit) }])
  })
  test("[SE1] knows the author that is named alone, by a word or a name", () => {
    expect(readQuestion("what did the user ask").author).toBe("user")
    expect(readQuestion("what did the user tell the agent").author).toBeNull()
    expect(readQuestion("What does Ada like?", { user: ["Ada"], assistant: ["Bob"] }).author).toBe("user")
  })
})

describe("snippet", () => {
  const marked = (text: string, words: readonly string[]) => {
    const snippet = snippetOf(text, words)
    return snippet.marks.map(([from, to]) => snippet.text.slice(from, to))
  }
  test("[SE1] marks the words that were found, in a bounded piece around most of them", () => {
    const text = `${"filler ".repeat(300)}the lost tokens of parseHead were here ${"filler ".repeat(300)}`
    expect(marked(text, ["lost", "token", "parsehead"])).toEqual(["lost", "tokens", "parseHead"])
    const { text: piece } = snippetOf(text, ["lost", "token"])
    expect(piece.length).toBeLessThanOrEqual(snippetCharactersMax + 2)
    expect(piece).toMatch(/^….*lost tokens.*…$/)
  })
  test("[SE1] shows the place with most of the words, not the one with most of one of them", () => {
    const text = `mark-7 sang ${"filler ".repeat(100)}${"7 ".repeat(100)}`
    expect(snippetOf(text, ["mark", "7", "mark7", "sang"]).text).toMatch(/^mark-7 sang/)
  })
  test("[SE1] shows a phrase of stop words where it stands", () => {
    const text = `${"It is to be. ".repeat(50)}He asks: To be, or not to be. ${"And why? ".repeat(50)}`
    const words = ["to0be0or0not", "be0or0not0to", "or0not0to0be"]
    expect(snippetOf(text, words).text).toContain("To be, or not to be")
    expect(marked(text, words)).toEqual(["To", "be", "or"])
  })
  test("shows the beginning where nothing is marked, and whole characters only", () => {
    expect(snippetOf("short text", ["x"])).toEqual({ text: "short text", marks: [] })
    expect(snippetOf("🎉".repeat(300), ["x"]).text.isWellFormed()).toBe(true)
  })
})
