/** Settings that are refused together, and bodies that somebody else wrote, as they are written. */
import { describe, expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { anthropicMessages } from "../../src/anthropic-messages/index.ts"
import type { GenerationControls, ModelRequestOptions } from "../../src/options.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import type { Segments } from "../../src/segments.ts"
import { segmentsOf, targetOf, user } from "../requests.ts"

const budget: ModelRequestOptions = { reasoning: { kind: "budget", tokens: 1_024 } }
const adaptive: ModelRequestOptions = { reasoning: { kind: "adaptive" } }
const off: ModelRequestOptions = { reasoning: { kind: "off" } }

describe("[LL3] settings before they are sent", () => {
  type Given = readonly [
    generation: Partial<GenerationControls>,
    model?: ModelRequestOptions,
    body?: JsonObject,
    tools?: Segments["tools"],
  ]
  const rulesOf = ([generation, model = {}, body = {}, tools = segmentsOf([]).tools]: Given) => {
    const target = targetOf({}, { generation: { outputTokensMax: 4_096, ...generation }, model, body })
    const encoded = anthropicMessages.encode(segmentsOf([user("a")], { tools }), target)
    return anthropicMessages.lint(encoded, target).map(({ rule }) => rule)
  }

  test.each<readonly [what: string, rules: readonly string[], ...given: Given]>([
    ["a temperature", [], { temperature: 0 }, off],
    ["a temperature of 1 with a budget", [], { temperature: 1 }, budget],
    ["another temperature with a budget", ["params"], { temperature: 0.5 }, budget],
    ["another temperature with adaptive thinking", ["params"], { temperature: 0 }, adaptive],
    ["top_k with a budget", ["params"], {}, budget, { top_k: 5 }],
    ["top_k without thinking", [], {}, off, { top_k: 5 }],
    ["a high top_p with a budget", [], { topP: 0.95 }, budget],
    ["a low top_p with a budget", ["params"], { topP: 0.9 }, budget],
    ["any tool with a budget", ["tool-choice"], { toolChoice: "required" }, budget],
    ["a tool with adaptive thinking", ["tool-choice"], { toolChoice: { tool: "read" } }, adaptive],
    ["auto with a budget", [], { toolChoice: "auto" }, budget],
    ["none with adaptive thinking", [], { toolChoice: "none" }, adaptive],
    ["any tool without thinking", [], { toolChoice: "required" }, off],
    ["a tool that is not declared", ["tool-choice"], { toolChoice: { tool: "write" } }],
    ["a choice without tools", ["tool-choice"], { toolChoice: "auto" }, {}, {}, []],
    ["a blank stop", ["params"], { stop: ["x", "\n"] }],
    [
      "a tool of the provider",
      [],
      { toolChoice: { tool: "web_search" } },
      { hostedTools: [{ type: "web_search_20250305", name: "web_search" }] },
      {},
      [],
    ],
  ])("%s: %j", (_, rules, ...given) => expect(rulesOf(given as unknown as Given)).toEqual(rules))
})

const said = (text: string, marker?: object) => ({
  type: "text",
  text,
  ...(marker === undefined ? {} : { cache_control: marker }),
})
const short = { type: "ephemeral" }
const long = { type: "ephemeral", ttl: "1h" }
const hi = { role: "user", content: "Hi" }
const tool = { name: "read", input_schema: { type: "object" } }
const base = { model: "m", max_tokens: 10, stream: true, messages: [hi] }
const use = { type: "tool_use", id: "a", name: "read", input: {} }
const results = (content: unknown, more = {}) => ({
  ...base,
  tools: [tool],
  messages: [
    hi,
    { role: "assistant", content: [use] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content, ...more }] },
  ],
})

test.each<readonly [what: string, faults: readonly string[], body: object]>([
  ["no limit", ["0 params"], { model: "m", messages: [hi] }],
  ["a limit that is no count", ["0 params"], { ...base, max_tokens: "10" }],
  ["a limit of nothing", [], { ...base, max_tokens: 0 }],
  ["no model", ["0 params"], { max_tokens: 10, messages: [hi] }],
  ["no stream", [], { model: "m", max_tokens: 10, messages: [hi] }],
  ["a temperature in words", ["0 params"], { ...base, temperature: "hot" }],
  ["a temperature that is too high", ["0 params"], { ...base, temperature: 1.5 }],
  ["stops in no list", ["0 params"], { ...base, stop_sequences: "x" }],
  ["thinking without a budget", ["0 params"], { ...base, thinking: { type: "enabled" } }],
  ["thinking of no kind", ["0 params"], { ...base, thinking: { type: "hard" } }],
  ["a small budget", ["0 params"], { ...base, thinking: { type: "enabled", budget_tokens: 5 } }],
  [
    "a temperature with thinking",
    ["0 params"],
    { ...base, max_tokens: 4_096, temperature: 0, thinking: { type: "enabled", budget_tokens: 1_024 } },
  ],
  ["a choice of no kind", ["0 params"], { ...base, tools: [tool], tool_choice: { type: "some" } }],
  ["a choice without its tool", ["0 params"], { ...base, tools: [tool], tool_choice: { type: "tool" } }],
  [
    "a choice of a tool that is not there",
    ["0 tool-choice"],
    { ...base, tools: [tool], tool_choice: { type: "tool", name: "x" } },
  ],
  ["a choice without tools", ["0 tool-choice"], { ...base, tool_choice: { type: "auto" } }],
  ["an unknown role", ["1 role-unknown"], { ...base, messages: [hi, { role: "tool", content: "x" }] }],
  ["no role", ["0 role-unknown"], { ...base, messages: [{ content: "x" }] }],
  [
    "an empty answer in the middle",
    ["1 message-empty"],
    { ...base, messages: [hi, { role: "assistant", content: [] }, hi] },
  ],
  [
    "an answer of no text in the middle",
    ["1 text-empty"],
    { ...base, messages: [hi, { role: "assistant", content: "" }, hi] },
  ],
  ["an empty answer at the end", [], { ...base, messages: [hi, { role: "assistant", content: [] }] }],
  ["no content", ["1 message-empty"], { ...base, messages: [hi, { role: "user" }] }],
  ["content that is no block", ["0 block-shape"], { ...base, messages: [{ role: "user", content: ["Hi"] }] }],
  ["a tool twice", ["1 tool-unique"], { ...base, tools: [tool, tool] }],
  ["an empty prompt", [], { ...base, system: "" }],
  ["a result of nothing", [], results(undefined)],
  ["a result of an empty list", [], results([])],
  ["a result of an empty text", ["3 text-empty"], results([said("")])],
  ["a result of a document", [], results([{ type: "document", source: {} }])],
  [
    "a failed result of a document",
    ["3 media-place"],
    results([{ type: "document", source: {} }], { is_error: true }),
  ],
  [
    "a document",
    [],
    { ...base, messages: [{ role: "user", content: [{ type: "document", source: {} }, said("a")] }] },
  ],
  [
    "a search result",
    [],
    {
      ...base,
      messages: [{ role: "user", content: [{ type: "search_result", content: [said("a", short)] }] }],
    },
  ],
  [
    "four markers",
    [],
    {
      ...base,
      tools: [{ ...tool, cache_control: long }],
      system: [said("a", long)],
      messages: [{ role: "user", content: [said("b", long), said("c", short)] }],
    },
  ],
  [
    "five markers",
    ["4 markers"],
    {
      ...base,
      messages: [{ role: "user", content: ["a", "b", "c", "d", "e"].map((text) => said(text, short)) }],
    },
  ],
  [
    "four markers and one for the whole behind them",
    ["4 markers"],
    {
      ...base,
      cache_control: short,
      messages: [
        { role: "user", content: [...["a", "b", "c", "d"].map((text) => said(text, short)), said("e")] },
      ],
    },
  ],
  [
    "four markers and one for the whole that stands already",
    [],
    {
      ...base,
      cache_control: short,
      messages: [{ role: "user", content: ["a", "b", "c", "d"].map((text) => said(text, short)) }],
    },
  ],
  [
    "an hour behind five minutes",
    ["1 markers"],
    { ...base, system: [said("a", short)], messages: [{ role: "user", content: [said("b", long)] }] },
  ],
  [
    "an hour behind five minutes in a result",
    ["3 markers"],
    { ...results([said("x", short)]), cache_control: long },
  ],
  ["a marker of another type", ["0 markers"], { ...base, system: [said("a", { type: "lasting" })] }],
  ["a marker of another life", ["0 markers"], { ...base, system: [said("a", { ...short, ttl: "2h" })] }],
  [
    "a marker on thinking",
    ["1 markers"],
    {
      ...base,
      messages: [
        hi,
        {
          role: "assistant",
          content: [{ type: "thinking", thinking: "", signature: "s", cache_control: short }, said("a")],
        },
        hi,
      ],
    },
  ],
])("[LL3] as written: %s", (_, faults, body) => {
  const linted = lintBody(anthropicMessages, JSON.stringify(body))
  expect(linted?.faults.map(({ block, rule }) => `${block} ${rule}`)).toEqual(faults)
})
