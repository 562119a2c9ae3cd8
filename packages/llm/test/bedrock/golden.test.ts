/** The bytes of the Converse encoder, pinned: a change without a new encoder version fails. */
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { families } from "../../src/bedrock-converse/families.ts"
import { type GoldenCase, keepsGolden } from "../golden.ts"
import { illustrated, own } from "../any-wire/histories.ts"
import { answer, call, notice, segmentsOf, system, text, thinking, user } from "../requests.ts"
import { bedrockTarget, redacted, searchResult, searchUse, signed } from "./requests.ts"

const target = bedrockTarget()
const everyKind = segmentsOf([
  user("fix \ud800 it"),
  answer(
    { type: "reasoning", text: "hm", ...own(target, signed("hm", "c2ln")) },
    { type: "reasoning", text: "", ...own(target, redacted("c2VhbGVk")) },
    { type: "hosted", name: "search", ...own(target, searchUse) },
    { type: "hosted", name: "search", ...own(target, searchResult) },
    text("I look."),
    call(1, { input: { b: 1, a: [true, null, -0], "10": "ten" } }),
    call(2, { name: "not a tool", input: "junk", result: " ", failed: true }),
  ),
  answer(thinking("elsewhere"), text("half an ans")),
  notice("The answer was cut. </notice> & more"),
  system("The date changed."),
])
const strictTool = {
  name: "read",
  description: "Reads a file.",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
}
const longLoop = [
  user("go"),
  ...Array.from({ length: 12 }, (_, i) => answer(text(`step ${i}`), call(i, { result: `result ${i}` }))),
]
const ofFamilies: Readonly<Record<string, GoldenCase>> = Object.fromEntries(
  Object.keys(families).map((profile) => [
    `every kind of entry for ${profile}`,
    { segments: everyKind, target: bedrockTarget({ traits: { profile } }), previous: 4 },
  ]),
)

keepsGolden(bedrockConverse, {
  "a first prompt": { segments: segmentsOf([user("Hello")]), target, previous: 0 },
  ...ofFamilies,
  ...Object.fromEntries(
    ["claude", "nova", "other"].map((profile) => [
      `images in prompts and in results for ${profile}`,
      { segments: segmentsOf(illustrated), target: bedrockTarget({ traits: { profile } }), previous: 0 },
    ]),
  ),
  "tools of the provider's own, and schemas that it enforces": {
    segments: segmentsOf([user("one")], { tools: [strictTool] }),
    target: bedrockTarget({
      model: { hostedTools: [{ systemTool: { name: "nova_grounding" } }] },
      traits: { profile: "nova", strictTools: true },
    }),
    previous: 0,
  },
  "high effort, which takes no limit": {
    segments: segmentsOf([user("one")]),
    target: bedrockTarget({
      model: { reasoning: { kind: "effort", effort: "high" } },
      traits: { profile: "nova" },
    }),
    previous: 0,
  },
  "every option": {
    segments: segmentsOf([user("one")]),
    target: bedrockTarget({
      generation: {
        outputTokensMax: 4_096,
        temperature: 0,
        topP: 1,
        stop: ["END"],
        toolChoice: "required",
        structured: { name: "a", schema: {} },
      },
      model: { reasoning: { kind: "budget", tokens: 2_048 }, serviceTier: "flex", cacheTtl: "1h" },
      body: { additionalModelRequestFields: { top_k: 3 }, requestMetadata: { a: "b" } },
    }),
    previous: 0,
  },
  "all segments, marked, and a long loop": {
    segments: segmentsOf(longLoop, {
      historyBaseline: [notice("Summary of what was."), user("old words")],
      historyDelta: [notice("Since then.")],
    }),
    target,
    previous: 8,
  },
})
