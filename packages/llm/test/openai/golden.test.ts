/** The bytes of both OpenAI encoders, pinned: a change without a new encoder version fails. */
import { describe } from "vitest"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { profiles } from "../../src/openai-chat/profiles.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import { type GoldenCase, keepsGolden } from "../golden.ts"
import { illustrated } from "../any-wire/histories.ts"
import { answer, call, notice, segmentsOf, system, text, thinking, user } from "../requests.ts"
import { chatTarget, own, reasoned, responsesTarget, sealed, searched } from "./requests.ts"

const longLoop = [
  user("go"),
  ...Array.from({ length: 12 }, (_, i) => answer(text(`step ${i}`), call(i, { result: `result ${i}` }))),
]
const allSegments = segmentsOf(longLoop, {
  historyBaseline: [notice("Summary of what was."), user("old words")],
  historyDelta: [notice("Since then.")],
})

describe("openai-responses", () => {
  const target = responsesTarget()
  const cases: Readonly<Record<string, GoldenCase>> = {
    "a first prompt": { segments: segmentsOf([user("Hello")]), target, previous: 0 },
    "native items, strangers and half a pair": {
      segments: segmentsOf([
        user("fix \ud800 it"),
        answer(
          { type: "reasoning", text: "hm", ...own(target, sealed("rs_1")) },
          { type: "hosted", name: "web_search_call", ...own(target, searched("ws_1")) },
          {
            type: "text",
            text: "I look.",
            ...own(target, { type: "message", id: "msg_1", phase: "commentary" }),
          },
          call(1, {
            input: { b: 1, a: [true, null, -0], "10": "ten" },
            ...own(target, { type: "function_call", id: "fc_1" }),
          }),
          call(2, { name: "not a tool", input: "junk", result: " ", failed: true }),
        ),
        answer(thinking("elsewhere"), text("half an ans")),
        notice("The answer was cut. </notice> & more"),
        system("The date changed."),
      ]),
      target,
      previous: 5,
    },
    "every option": {
      segments: segmentsOf([user("one")]),
      target: responsesTarget({
        generation: {
          outputTokensMax: 100,
          temperature: 0,
          topP: 1,
          toolChoice: "required",
          structured: { name: "a", schema: {} },
        },
        model: {
          reasoning: { kind: "effort", effort: "high" },
          reasoningSummary: "auto",
          verbosity: "low",
          cacheTtl: "24h",
          cacheKey: "k",
          serviceTier: "flex",
          parallelCalls: true,
        },
        body: { metadata: { a: "b" } },
        traits: { strictTools: true },
      }),
      previous: 0,
    },
    "images in prompts and in results": { segments: segmentsOf(illustrated), target, previous: 0 },
    "hosted tools behind the functions": {
      segments: segmentsOf([user("Hello")]),
      target: responsesTarget({ model: { hostedTools: [{ type: "web_search" }] } }),
      previous: 0,
    },
    "all segments, marked, and a long loop": {
      segments: allSegments,
      target: responsesTarget({ traits: { cacheMarkers: "openai", systemRole: false } }),
      previous: 8,
    },
  }
  keepsGolden(openaiResponses, cases)
})

describe("openai-chat", () => {
  const deepseek = chatTarget("deepseek")
  const everyKind = (profile: string) =>
    segmentsOf([
      user("fix \ud800 it"),
      answer(
        { type: "reasoning", text: "hm", ...own(chatTarget(profile), reasoned("hm")) },
        text("I look."),
        call(1),
        call(2, { input: "junk", result: " ", failed: true }),
      ),
      system("The date changed."),
      answer(thinking("elsewhere"), text("half an ans")),
      notice("The answer was cut. </notice> & more"),
    ])
  const cases: Readonly<Record<string, GoldenCase>> = {
    "a first prompt": { segments: segmentsOf([user("Hello")]), target: deepseek, previous: 0 },
    ...Object.fromEntries(
      Object.keys(profiles).map((name) => [
        `every kind of entry for ${name}`,
        { segments: everyKind(name), target: chatTarget(name), previous: 4 },
      ]),
    ),
    ...Object.fromEntries(
      ["openai", "mistral", "deepseek"].map((name) => [
        `images in prompts and in results for ${name}`,
        { segments: segmentsOf(illustrated), target: chatTarget(name), previous: 0 },
      ]),
    ),
    "all segments, marked, and a long loop": {
      segments: allSegments,
      target: chatTarget("openrouter", { traits: { profile: "openrouter", cacheMarkers: "anthropic" } }),
      previous: 8,
    },
  }
  keepsGolden(openaiChat, cases)
})
