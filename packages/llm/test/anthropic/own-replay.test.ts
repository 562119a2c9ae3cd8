/** What this project sends itself is read back and means the same, whatever is set. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { anthropicMessages } from "../../src/anthropic-messages/index.ts"
import type { GenerationControls, ModelRequestOptions, ModelTraits, Reasoning } from "../../src/options.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import { readBack } from "../../src/recording/read-back.ts"
import { replayRequest } from "../../src/recording/replay.ts"
import type { Entry, Segments, Target } from "../../src/segments.ts"
import { historiesWith } from "../any-wire/histories.ts"
import { photo, pixel } from "../any-wire/images.ts"
import {
  answer,
  bodyText,
  call,
  notice,
  readTool,
  segmentsOf,
  showing,
  system,
  text,
  thinking,
  user,
} from "../requests.ts"

interface Set {
  readonly generation?: Partial<GenerationControls>
  readonly model?: ModelRequestOptions
  readonly traits?: ModelTraits
  readonly body?: Target["options"]["body"]
}

const targetWith = ({ generation, model, traits, body }: Set): Target => ({
  provider: "anthropic",
  model: "claude-test",
  endpoint: "https://api.anthropic.com",
  options: {
    generation: { outputTokensMax: 8_192, ...generation },
    model: model ?? {},
    traits: traits ?? {},
    body: body ?? {},
  },
})

const strictTool = {
  name: "look",
  description: "",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
}

/** Everything that a conversation may hold. */
const history = (target: Target): readonly Entry[] => [
  showing("What is this?", pixel, photo),
  answer(
    thinking("Let me look.", undefined, target),
    text("I look."),
    call(1, { images: [pixel] }),
    call(2, { failed: true, result: "no such file" }),
    call(3, { result: "" }),
  ),
  answer(text("Again."), call(4, { failed: true, images: [photo] })),
  notice("Something was cut."),
  system("Now in French."),
  user("Go on."),
  answer({ type: "reasoning", text: "A thought of somebody else.", native: null }, text("Bien.")),
  user("  "),
]

function replay(segments: Segments, target: Target) {
  const encoded = anthropicMessages.encode(segments, target)
  expect(anthropicMessages.lint(encoded, target)).toEqual([])
  const body = bodyText(anthropicMessages.place(encoded, target, 0))
  const url = anthropicMessages.address(target.endpoint)
  const request = { method: "POST", url, headers: {}, body }
  expect(
    replayRequest(anthropicMessages, { request, response: { status: 200, headers: {}, body: "" } }),
  ).toEqual({
    kind: "same",
  })
  expect(lintBody(anthropicMessages, body, url)).toEqual({ faults: [], asWritten: true })
  return readBack(anthropicMessages, url, body)?.request.options
}

const reasonings: readonly Reasoning[] = [
  { kind: "budget", tokens: 2_048 },
  { kind: "effort", effort: "low" },
  { kind: "adaptive" },
  { kind: "adaptive", effort: "max" },
  { kind: "off" },
]

const sets: readonly (readonly [what: string, set: Set])[] = [
  ["nothing", {}],
  ...(["auto", "none", "required", { tool: "read" }] as const).map(
    (toolChoice) => [`choice ${JSON.stringify(toolChoice)}`, { generation: { toolChoice } }] as const,
  ),
  ...[true, false].map(
    (parallelCalls) => [`parallel ${parallelCalls}`, { model: { parallelCalls } }] as const,
  ),
  ["one forced call", { generation: { toolChoice: "required" }, model: { parallelCalls: false } }],
  ["no call, in parallel", { generation: { toolChoice: "none" }, model: { parallelCalls: true } }],
  ...reasonings.map(
    (reasoning) => [`reasoning ${JSON.stringify(reasoning)}`, { model: { reasoning } }] as const,
  ),
  ["shown reasoning", { model: { reasoning: { kind: "adaptive" }, reasoningSummary: "omitted" } }],
  [
    "structured output",
    {
      generation: {
        structured: { name: "city", schema: { type: "object", properties: { cache_control: {} } } },
      },
    },
  ],
  [
    "structured output with an effort",
    {
      generation: { structured: { name: "a", schema: {} } },
      model: { reasoning: { kind: "effort", effort: "low" } },
    },
  ],
  ["sampling", { generation: { temperature: 0, topP: 0.5, stop: ["a", "b"] }, body: { top_k: 3 } }],
  ["a tier", { model: { serviceTier: "standard_only" } }],
  ["strict tools", { traits: { strictTools: true } }],
  ["messages at their place", { traits: { systemRole: true } }],
  ["an hour", { model: { cacheTtl: "1h" } }],
  ["a day, a key and a verbosity", { model: { cacheTtl: "24h", cacheKey: "k", verbosity: "low" } }],
  ["hosted tools", { model: { hostedTools: [{ type: "web_search_20250305", name: "web_search" }] } }],
  [
    "passed fields",
    { body: { metadata: { user_id: "u" }, output_config: { task_budget: { type: "tokens", total: 9 } } } },
  ],
]

describe("[LL1 LL3] our own request means the same when it is read back", () => {
  test.each(sets)("with %s", (_, set) => {
    const target = targetWith(set)
    const tools = [strictTool, readTool]
    replay(segmentsOf(history(target), { tools }), target)
    replay(segmentsOf([user("Hi")], { tools, agent: "" }), target)
  })
})

test("[LL1 CA2] the options themselves are read back", () => {
  const set: Set = {
    generation: {
      temperature: 1,
      topP: 0.95,
      stop: ["x"],
      toolChoice: "auto",
      structured: { name: "answer", schema: { type: "object" } },
    },
    model: {
      reasoning: { kind: "adaptive", effort: "low" },
      reasoningSummary: "summarized",
      cacheTtl: "1h",
      serviceTier: "auto",
      parallelCalls: false,
    },
    traits: { systemRole: false },
    body: { metadata: { user_id: "u" } },
  }
  const target = targetWith(set)
  expect(replay(segmentsOf([user("Hi")]), target)).toEqual(target.options)
})

test("[LL1 LL3] any history of ours means the same when it is read back", () => {
  const histories = historiesWith(
    fc.constantFrom<Json>(
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "redacted_thinking", data: "c2VhbGVk" },
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      { type: "text", citations: [{ type: "web_search_result_location", url: "https://a.example" }] },
    ),
  )
  const cases = fc
    .record({ reasoning: fc.constantFrom(...reasonings), systemRole: fc.boolean() })
    .map(({ reasoning, systemRole }) => targetWith({ model: { reasoning }, traits: { systemRole } }))
    .chain((target) => histories.segmentsFor(target).map((segments) => [target, segments] as const))
  fc.assert(fc.property(cases, ([target, segments]) => void replay(segments, target)))
})

test("[LL1 LL3] a request without tools says nothing of how they are called", () => {
  replay(segmentsOf([user("Hi")], { tools: [] }), targetWith({ model: { parallelCalls: false } }))
})
