/** Converse bodies as they are written, and settings before they are sent: what is refused, and what is not. */
import { describe, expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import type { GenerationControls, ModelRequestOptions, RequestOptions } from "../../src/options.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import { segmentsOf, user } from "../requests.ts"
import {
  answered,
  asking,
  claude,
  fields,
  gave,
  giving,
  grounding,
  hi,
  hourPoint,
  image,
  llama,
  nova,
  point,
  readSpec,
  said,
  schema,
  spec,
  thinking,
  toolConfig,
  urlOf,
  use,
} from "./foreign-bodies.ts"
import { bedrockTarget } from "./requests.ts"

const rulesOf = (body: object, model = claude) =>
  lintBody(bedrockConverse, JSON.stringify(body), urlOf(model))?.faults.map(
    ({ block, rule }) => `${block} ${rule}`,
  )

const stored = { s3Location: { uri: "s3://bucket/a" } }
const document = { document: { format: "pdf", name: "a", source: { bytes: "eA==" } } }
const on = { thinking: { type: "enabled", budget_tokens: 1_024 } }
const limit = { inferenceConfig: { maxTokens: 2_000 } }

describe("[LL3] a Converse body is refused as it is written:", () => {
  test.each<readonly [what: string, rules: readonly string[], body: object, model?: string]>([
    [
      "an empty message",
      ["0 text-empty", "0 role-alternate"],
      asking({ messages: [{ role: "user", content: [] }, hi] }),
    ],
    [
      "a message of nothing but a cache point",
      ["1 text-empty"],
      asking({ messages: [hi, answered(point), hi] }),
    ],
    [
      "a message that is a text",
      ["0 text-empty", "0 role-last"],
      asking({ messages: [{ role: "user", content: "Hi" }] }),
    ],
    [
      "an unknown role",
      ["0 block-shape"],
      asking({ messages: [{ role: "tool", content: [{ text: "a" }] }, hi] }),
    ],
    [
      "instructions among messages",
      ["0 block-shape"],
      asking({ messages: [{ role: "system", content: [{ text: "a" }] }, hi] }),
    ],
    ["one role twice", ["1 role-alternate"], asking({ messages: [hi, hi] })],
    ["a document without words", ["0 block-shape"], asking({ messages: [said(document)] })],
    [
      "a result without its call",
      ["3 result-unknown"],
      asking({ toolConfig, messages: [hi, answered({ text: "a" }), said(gave("t9"))] }),
    ],
    [
      "a call without its result",
      ["3 pairing"],
      asking({ toolConfig, messages: [hi, answered(use("t1")), hi] }),
    ],
    [
      "calls without tools",
      ["0 tools-missing"],
      asking({ messages: [hi, answered(use("t1")), said(gave("t1"))] }),
    ],
    ["a failed result of nothing", ["3 text-empty"], giving({ content: [], status: "error" })],
    ["no tool among the tools", ["0 tools-missing"], asking({ toolConfig: { tools: [] } })],
    ["a choice without tools", ["0 tools-missing"], asking({ toolConfig: { toolChoice: { any: {} } } })],
    [
      "two choices",
      ["0 params"],
      asking({ toolConfig: { ...toolConfig, toolChoice: { any: {}, auto: {} } } }),
    ],
    [
      "a choice of an undefined tool",
      ["0 params"],
      asking({ toolConfig: { ...toolConfig, toolChoice: { tool: { name: "x" } } } }),
    ],
    ["two tools of one name", ["1 tool-unique"], asking({ toolConfig: { tools: [readSpec, readSpec] } })],
    [
      "two tools of the provider's of one name",
      ["1 tool-unique"],
      asking({ toolConfig: { tools: [grounding, grounding] } }),
      nova,
    ],
    [
      "a tool that says nothing",
      ["0 tool-hosted"],
      asking({ toolConfig: { tools: [{ systemTool: {} }] } }),
      nova,
    ],
    ["a system text that stands alone", ["0 block-shape"], asking({ system: "Be brief." })],
    ["a limit of nothing", ["0 params"], asking({ inferenceConfig: { maxTokens: 0 } })],
    ["a temperature above one", ["0 params"], asking({ inferenceConfig: { temperature: 1.5 } })],
    ["an empty stop", ["0 params"], asking({ inferenceConfig: { stopSequences: [""] } })],
    [
      "five cache points",
      ["2 markers"],
      asking({
        system: [{ text: "a" }, point, { text: "b" }, point],
        messages: [said({ text: "a" }, point, point, point)],
      }),
    ],
    [
      "a longer life behind a shorter one",
      ["1 markers"],
      asking({ system: [{ text: "a" }, point], messages: [said({ text: "Hi" }, hourPoint)] }),
    ],
    [
      "a life that nothing has",
      ["0 markers"],
      asking({ messages: [said({ text: "Hi" }, { cachePoint: { type: "default", ttl: "2h" } })] }),
    ],
    [
      "a cache point behind reasoning",
      ["1 markers"],
      asking({ messages: [hi, answered(thinking, point, { text: "a" }), hi] }),
    ],
    [
      "a cache point behind a tool of Nova's",
      ["0 markers"],
      asking({ toolConfig: { tools: [readSpec, point] } }),
      nova,
    ],
    [
      "reasoning that nobody signed",
      ["1 reasoning-signature"],
      asking({
        messages: [hi, answered({ reasoningContent: { reasoningText: { text: "a" } } }, { text: "b" }), hi],
      }),
    ],
    [
      "thinking that the loop did not begin with",
      ["0 reasoning-lead"],
      giving({ content: [{ text: "x" }] }, { additionalModelRequestFields: on, ...limit }),
    ],
    [
      "thinking and a temperature",
      ["0 params"],
      fields(on, { inferenceConfig: { maxTokens: 2_000, temperature: 0.5 } }),
    ],
    [
      "thinking and a forced call",
      ["0 params"],
      fields(on, { ...limit, toolConfig: { ...toolConfig, toolChoice: { any: {} } } }),
    ],
    [
      "a limit of Nova's high effort",
      ["0 params"],
      fields({ reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } }),
      nova,
    ],
  ])("%s", (_, rules, body, model) => expect(rulesOf(body as object, model as string)).toEqual(rules))
})

describe("[LL3] a Converse body is legal as it is written:", () => {
  test.each<readonly [what: string, body: object, model?: string]>([
    ["no limit", { messages: [hi] }],
    [
      "a budget without a limit",
      {
        messages: [hi],
        additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 9_000 } },
      },
    ],
    ["a result that is a value", giving({ content: [{ json: {} }], status: "success" })],
    ["a result of nothing", giving({ content: [] })],
    ["a document in a result", giving({ content: [document] })],
    [
      "an image that is stored elsewhere",
      asking({ messages: [said({ image: { format: "png", source: stored } }, { text: "a" })] }),
    ],
    ["an image in a result", giving({ content: [image] })],
    ["a prompt for a guardrail", asking({ system: [{ guardContent: { text: { text: "a" } } }] })],
    ["a document with words", asking({ messages: [said({ text: "a" }, document)] })],
    [
      "what else may be said",
      asking({
        messages: [
          said(
            { video: { format: "mp4", source: stored } },
            { audio: { format: "mp3", source: stored } },
            { guardContent: { text: { text: "a" } } },
          ),
        ],
      }),
    ],
    [
      "an answer with citations",
      asking({ messages: [hi, answered({ citationsContent: { content: [{ text: "a" }] } }), hi] }),
    ],
    [
      "four cache points, the longer lives first",
      asking({
        toolConfig: { tools: [readSpec, hourPoint] },
        system: [{ text: "a" }, hourPoint],
        messages: [said({ text: "a" }, point, { text: "b" }, { cachePoint: { type: "default", ttl: "5m" } })],
      }),
    ],
    [
      "a schema without properties",
      asking({
        toolConfig: { tools: [{ toolSpec: { ...spec, inputSchema: { json: { type: "object" } } } }] },
      }),
    ],
    [
      "a tool that is enforced",
      asking({
        toolConfig: {
          tools: [
            {
              toolSpec: {
                ...spec,
                inputSchema: { json: { ...schema, additionalProperties: false } },
                strict: true,
              },
            },
          ],
        },
      }),
    ],
    [
      "a tool of the provider's own",
      asking({
        toolConfig: { tools: [grounding, readSpec], toolChoice: { tool: { name: "nova_grounding" } } },
      }),
      nova,
    ],
    [
      "reasoning of a model that signs nothing",
      asking({
        messages: [hi, answered({ reasoningContent: { reasoningText: { text: "a" } } }, { text: "b" }), hi],
      }),
      llama,
    ],
    [
      "a loop that thinking began",
      asking({
        toolConfig,
        ...limit,
        additionalModelRequestFields: on,
        messages: [
          hi,
          answered(thinking, use("t1")),
          said(gave("t1")),
          answered(use("t2")),
          said(gave("t2")),
        ],
      }),
    ],
    [
      "thinking behind a loop that is over",
      asking({
        toolConfig,
        ...limit,
        additionalModelRequestFields: on,
        messages: [hi, answered(use("t1")), said(gave("t1")), answered({ text: "a" }), hi],
      }),
    ],
    ["thinking with what it takes", fields(on, { inferenceConfig: { maxTokens: 2_000, temperature: 1 } })],
    [
      "Nova's high effort",
      {
        messages: [hi],
        additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } },
      },
      nova,
    ],
  ])("%s", (_, body, model) => expect(rulesOf(body as object, model as string)).toEqual([]))

  test("a body that came without its address and names its model", () => {
    const body = JSON.stringify({ modelId: nova, messages: [hi], toolConfig: { tools: [readSpec, point] } })
    expect(lintBody(bedrockConverse, body)?.faults.map(({ rule }) => rule)).toEqual(["markers"])
  })
})

describe("[LL3] settings of Converse are refused before they are sent:", () => {
  const generation = (more: Partial<GenerationControls>): Partial<RequestOptions> => ({
    generation: { outputTokensMax: 8_192, ...more },
  })
  const model = (more: ModelRequestOptions): Partial<RequestOptions> => ({ model: more })
  const adaptive = model({ reasoning: { kind: "adaptive" } })
  const budget = model({ reasoning: { kind: "budget", tokens: 2_048 } })
  const high = model({ reasoning: { kind: "effort", effort: "high" } })
  const haiku3 = "anthropic.claude-3-haiku-20240307-v1:0"

  test.each<readonly [what: string, words: string | null, options: Partial<RequestOptions>, model?: string]>([
    ["a temperature above one", "temperature must lie", generation({ temperature: 1.1 })],
    ["a topP below zero", "topP must lie", generation({ topP: -0.1 })],
    ["an empty stop", "stop sequence", generation({ stop: ["a", ""] })],
    ["temperature and topP", "not both", generation({ temperature: 1, topP: 1 })],
    ["temperature and topP of an older model", null, generation({ temperature: 1, topP: 1 }), haiku3],
    ["a temperature beside thinking", "no temperature", { ...generation({ temperature: 0 }), ...budget }],
    ["a temperature of one beside thinking", null, { ...generation({ temperature: 1 }), ...budget }],
    [
      "a temperature beside what is thought fit",
      "no temperature",
      { ...generation({ temperature: 0 }), ...adaptive },
    ],
    ["a low topP beside thinking", "no topP", { ...generation({ topP: 0.5 }), ...budget }],
    ["a high topP beside thinking", null, { ...generation({ topP: 0.95 }), ...budget }],
    [
      "a forced call beside thinking",
      "no forced call",
      { ...generation({ toolChoice: "required" }), ...budget },
    ],
    [
      "one call beside thinking",
      "no forced call",
      { ...generation({ toolChoice: { tool: "read" } }), ...adaptive },
    ],
    ["the model's choice beside thinking", null, { ...generation({ toolChoice: "auto" }), ...budget }],
    [
      "top_k beside thinking",
      "no top_k",
      { ...budget, body: { additionalModelRequestFields: { top_k: 5 } } },
    ],
    [
      "a temperature without thinking",
      null,
      { ...generation({ temperature: 0 }), ...model({ reasoning: { kind: "off" } }) },
    ],
    [
      "a temperature beside Nova's high effort",
      "neither temperature",
      { ...generation({ temperature: 0 }), ...high },
      nova,
    ],
    [
      "a temperature beside Nova's low effort",
      null,
      { ...generation({ temperature: 0 }), ...model({ reasoning: { kind: "effort", effort: "low" } }) },
      nova,
    ],
    ["Nova's high effort alone", null, high, nova],
    ["a tool that is not defined", "not defined", generation({ toolChoice: { tool: "x" } })],
  ])("%s", (_, words, options, id) => {
    const to = bedrockTarget(options as Partial<RequestOptions>, id as string | undefined)
    const faults = bedrockConverse.lint(bedrockConverse.encode(segmentsOf([user("a")]), to), to)
    expect(faults.map(({ rule, message }) => [rule, message])).toEqual(
      words === null ? [] : [["params", expect.stringContaining(words as string)]],
    )
  })
})
