import { describe, expect, test } from "vitest"
import { knownWindow, learnWindow, windowIn } from "../src/learned-window.ts"

describe("the limit that a refusal names", () => {
  const texts: readonly (readonly [string, number | null])[] = [
    ["prompt is too long: 208310 tokens > 200000 maximum", 200_000],
    ["input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 200_000],
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens (110011 in the messages, 20000 in the completion).",
      128_000,
    ],
    ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
    ["The input token count (1200000) exceeds the maximum number of tokens allowed (1,048,576).", 1_048_576],
    ["prompt token count of 70000 exceeds the limit of 64000", 64_000],
    ["Prompt contains 65673 tokens, too large for model with 32768 maximum context length", 32_768],
    ["the request exceeds the available context size (8192 tokens)", 8_192],
    ["Trying to keep the first 9000 tokens when context length is only 4096 tokens", 4_096],
    ["decoder prompt (length 9000) is longer than the maximum model length of 4096", 4_096],
    ["Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 42000.", 30_000],
    ["Input is too long for requested model.", null],
    ["Please reduce the length of the messages or completion.", null],
    ["context length is 12", null],
  ]
  test.each(texts)("[TU5] %s", (words, tokens) => expect(windowIn(words)).toBe(tokens))
})

describe("what is learned", () => {
  const limits = { contextTokens: 200_000, outputTokens: 8_000, answered: null }
  const silent = { words: "Input is too long.", refusedTokens: 100_000, acceptedTokens: 95_000 }
  test.each([
    ["the named limit", { ...silent, words: "130000 tokens > 128000 maximum" }, 128_000],
    ["what was taken, without a named one", silent, 103_000],
    ["half of it, where little was taken before", { ...silent, acceptedTokens: 5_000 }, 58_000],
    ["nothing, where the named one is no news", { ...silent, words: "x > 200000 maximum" }, null],
    ["no less than any model takes", { ...silent, refusedTokens: 900, acceptedTokens: 300 }, 16_000],
    ["nothing, where that would be more", { ...silent, acceptedTokens: 196_000 }, null],
    ["nothing of a limit below the answer's own", { ...silent, words: "9000 > 8000 maximum" }, null],
    ["nothing of bytes", { words: "", refusedTokens: 0, acceptedTokens: 0 }, null],
  ])("[TU5] is %s", (_, refusal, learned) => expect(learnWindow(refusal, limits)).toBe(learned))

  test("[TU5] is believed of this model alone, and never more than its facts say", () => {
    const known = new Map([
      ["a/m", 50_000],
      ["b/m", 10_000],
    ])
    expect(knownWindow(known, { provider: "a", model: "m" }, 200_000)).toBe(50_000)
    expect(knownWindow(known, { provider: "a", model: "m" }, 40_000)).toBe(40_000)
    expect(knownWindow(known, { provider: "a", model: "n" }, 200_000)).toBe(200_000)
  })
})
