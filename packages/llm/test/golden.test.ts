/** The encoder's bytes, pinned: a change without a new encoder version fails. */
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { illustrated } from "./any-wire/histories.ts"
import { type GoldenCase, keepsGolden } from "./golden.ts"
import { answer, call, notice, segmentsOf, system, targetOf, text, thinking, user } from "./requests.ts"

const longLoop = [
  user("go"),
  ...Array.from({ length: 12 }, (_, i) => answer(text(`step ${i}`), call(i, { result: `result ${i}` }))),
]

const cases: Readonly<Record<string, GoldenCase>> = {
  "a first prompt": { segments: segmentsOf([user("Hello")]), target: targetOf(), previous: 0 },
  "calls, reasoning, a notice and half a pair": {
    segments: segmentsOf([
      user("fix \ud800 it"),
      answer(
        thinking("let me see"),
        thinking("", { type: "redacted_thinking", data: "c2VhbGVk" }),
        text("I look."),
        call(1, { input: { b: 1, a: [true, null, -0], "10": "ten" } }),
        call(2, { name: "not a tool", input: "junk", result: " ", failed: true }),
      ),
      answer(thinking("elsewhere", undefined, { ...targetOf(), model: "another" }), text("half an ans")),
      notice("The answer was cut. </notice> & more"),
    ]),
    target: targetOf({ thinkingTokens: 4_096 }),
    previous: 5,
  },
  "a system message in its own role, for an hour": {
    segments: segmentsOf([user("one"), answer(text("two")), user("three"), system("The date changed.")]),
    target: targetOf({ systemRole: true, cacheTtl: "1h" }),
    previous: 0,
  },
  "a system message as a fallback": {
    segments: segmentsOf([user("one"), system("The <context-update> changed."), user("two")]),
    target: targetOf({ systemRole: true }),
    previous: 0,
  },
  "all segments and a long loop": {
    segments: segmentsOf(longLoop, {
      historyBaseline: [notice("Summary of what was."), user("old words")],
      historyDelta: [notice("Since then.")],
    }),
    target: targetOf(),
    previous: 8,
  },
  "hosted tools behind the functions": {
    segments: segmentsOf([user("Hello")]),
    target: targetOf(
      {},
      { model: { hostedTools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }] } },
    ),
    previous: 0,
  },
  "images in prompts and in results": { segments: segmentsOf(illustrated), target: targetOf(), previous: 0 },
}

keepsGolden(anthropicMessages, cases)
