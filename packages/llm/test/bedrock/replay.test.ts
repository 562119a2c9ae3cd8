/** Converse requests as other clients write them: read, encoded again, and the same. */
import { describe, expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { readBack } from "../../src/recording/read-back.ts"
import {
  claude,
  nova,
  llama,
  gptOss,
  mistral,
  profileArn,
  urlOf,
  replay,
  hi,
  said,
  answered,
  use,
  gave,
  image,
  point,
  hourPoint,
  schema,
  spec,
  readSpec,
  grounding,
  toolConfig,
  asking,
  giving,
  thinking,
  format,
  fields,
} from "./foreign-bodies.ts"
import { searchResult, searchUse } from "./requests.ts"

describe("[LL1] a Converse request of another client means the same", () => {
  test.each<readonly [what: string, body: object, model?: string]>([
    ["with nothing but words", { messages: [hi] }],
    ["that names its model itself", { modelId: claude, messages: [hi] }],
    [
      "with settings that are left out by null",
      { messages: [hi], inferenceConfig: { maxTokens: null }, system: null },
    ],
    ["with empty lists of settings", { messages: [hi], system: [], inferenceConfig: { stopSequences: [] } }],
    [
      "with every setting of Converse",
      asking({ inferenceConfig: { maxTokens: 9, temperature: 0.5, stopSequences: ["END", "\n"] } }),
    ],
    ["with topP", asking({ inferenceConfig: { maxTokens: 9, topP: 0.9 } })],
    ["with a setting nobody knows", asking({ inferenceConfig: { maxTokens: 9, topK: 3 } })],
    ["with one system text", asking({ system: [{ text: "Be brief." }] })],
    ["with two system texts", asking({ system: [{ text: "Be brief." }, { text: "Be kind." }] })],
    [
      "with four system texts and a cache point among them",
      asking({ system: [{ text: "a" }, { text: "b" }, point, { text: "c" }, { text: "d" }] }),
    ],
    ["with several texts in a message", asking({ messages: [said({ text: "a" }, { text: "b" })] })],
    ["with two messages of the user in a row", asking({ messages: [hi, said({ text: "Again" })] })],
    [
      "with two answers in a row, the second of which reasons",
      asking({
        toolConfig,
        messages: [hi, answered({ text: "I look." }), answered(thinking, use("t1")), said(gave("t1"))],
      }),
    ],
    ["with an image before its words", asking({ messages: [said(image, { text: "What?" })] })],
    ["with an image behind its words", asking({ messages: [said({ text: "What?" }, image)] })],
    ["with an image alone", asking({ messages: [said(image)] })],
    ["with images among words", asking({ messages: [said({ text: "a" }, image, { text: "b" }, image)] })],
    ["with a result that went well", giving({ content: [{ text: "x" }], status: "success" })],
    ["with a result that failed", giving({ content: [{ text: "x" }], status: "error" })],
    ["with a result that is a value", giving({ content: [{ json: { b: [1, null], a: "x" } }] })],
    [
      "with a result of several texts and a value",
      giving({ content: [{ text: "a" }, { json: [1] }, { text: "b" }] }),
    ],
    ["with a result of nothing", giving({ content: [] })],
    ["with an image in a result", giving({ content: [{ text: "seen" }, image] })],
    ["with an image before the words of a result", giving({ content: [image, { text: "seen" }] })],
    ["with a result that is an image", giving({ content: [image, image] })],
    ["with a result that begins as our failures do", giving({ content: [{ text: "[failed]\nx" }] })],
    [
      "with parallel results in another order",
      asking({
        toolConfig,
        messages: [hi, answered(use("t1"), use("t2")), said(gave("t2"), gave("t1"), { text: "go on" })],
      }),
    ],
    [
      "with results in two messages",
      asking({
        toolConfig,
        messages: [hi, answered(use("t1"), use("t2")), said(gave("t1")), said(gave("t2"))],
      }),
    ],
    [
      "with words in the next message behind a result",
      asking({ toolConfig, messages: [hi, answered(use("t1")), said(gave("t1")), said({ text: "go on" })] }),
    ],
    [
      "with ids that are longer than ours",
      asking({
        toolConfig,
        messages: [hi, answered(use("t".repeat(60))), said(gave("t".repeat(60)))],
      }),
    ],
    [
      "with a loop of two steps",
      asking({
        toolConfig,
        messages: [
          hi,
          answered({ text: "I look." }, use("t1")),
          said(gave("t1")),
          answered(use("t2", {})),
          said(gave("t2")),
        ],
      }),
    ],
    [
      "with reasoning that is signed, interleaved, sealed",
      asking({
        toolConfig,
        additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1_024 } },
        inferenceConfig: { maxTokens: 2_000 },
        messages: [
          hi,
          answered(thinking, { text: "a" }, thinking, use("t1")),
          said(gave("t1")),
          answered({ reasoningContent: { redactedContent: "c2VhbGVk" } }, use("t2")),
          said(gave("t2")),
        ],
      }),
    ],
    [
      "with cache points everywhere",
      {
        ...asking(),
        toolConfig: { tools: [readSpec, hourPoint] },
        system: [{ text: "a" }, hourPoint],
        messages: [said({ text: "Hi" }, point), answered({ text: "Yes" }), said({ text: "So" }, point)],
      },
    ],
    ["with a call that says ttl", giving({ content: [{ text: '{"ttl":"1h"}' }] })],
    ["with the default choice", asking({ toolConfig: { ...toolConfig, toolChoice: { auto: {} } } })],
    [
      "with the default choice to a model that has none",
      asking({ toolConfig: { ...toolConfig, toolChoice: { auto: {} } } }),
      llama,
    ],
    ["with any call", asking({ toolConfig: { ...toolConfig, toolChoice: { any: {} } } })],
    ["with one call", asking({ toolConfig: { ...toolConfig, toolChoice: { tool: { name: "read" } } } })],
    [
      "with one call to a model that is not known for it",
      asking({ toolConfig: { ...toolConfig, toolChoice: { tool: { name: "read" } } } }),
      mistral,
    ],
    [
      "with any call to a profile whose id says nothing",
      asking({ toolConfig: { ...toolConfig, toolChoice: { any: {} } } }),
      profileArn,
    ],
    [
      "with a failure to a model that is not known for it",
      giving({ content: [{ text: "x" }], status: "error" }),
      llama,
    ],
    [
      "with an image in a result to a profile whose id says nothing",
      giving({ content: [image] }),
      profileArn,
    ],
    [
      "with a schema that says less and more",
      asking({
        toolConfig: {
          tools: [
            { toolSpec: { name: "now", inputSchema: { json: { type: "object" } } } },
            {
              toolSpec: {
                name: "any",
                inputSchema: { json: { $schema: "http://json-schema.org/draft-07/schema#", ...schema } },
                strict: false,
              },
            },
          ],
        },
      }),
    ],
    [
      "with tools that are enforced",
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
    ["with the provider's own tool", asking({ toolConfig: { tools: [grounding] } }), nova],
    [
      "with the provider's own tool before another",
      asking({ toolConfig: { tools: [grounding, readSpec], toolChoice: { any: {} } } }),
      nova,
    ],
    [
      "with what the provider's own tool did",
      asking({
        toolConfig: { tools: [grounding] },
        messages: [hi, answered(searchUse as object, searchResult as object, { text: "a" }), hi],
      }),
      nova,
    ],
    ["with a format", asking(format({ name: "a", schema: '{ "type": "object", "properties": {} }' }))],
    ["with a format that has no name", asking(format({ schema: '{"type":"object"}' }))],
    ["with a service tier", asking({ serviceTier: { type: "priority" } })],
    [
      "with what is passed on as it is",
      asking({
        guardrailConfig: {
          guardrailIdentifier: "g",
          guardrailVersion: "1",
          trace: "enabled",
          streamProcessingMode: "async",
        },
        additionalModelResponseFieldPaths: ["/stop_sequence"],
        performanceConfig: { latency: "optimized" },
        requestMetadata: { team: "a" },
        promptVariables: { name: { text: "x" } },
      }),
    ],
    ["with fields of the model's maker", fields({ top_k: 5, anthropic_beta: ["x"] })],
    ["with no fields of the model's maker", fields({})],
    [
      "with a budget that no limit holds",
      {
        messages: [hi],
        additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 20_000 } },
      },
    ],
    [
      "with a budget and an effort",
      fields(
        { thinking: { type: "enabled", budget_tokens: 1_024 }, output_config: { effort: "low" } },
        { inferenceConfig: { maxTokens: 2_000 } },
      ),
    ],
    [
      "with a budget beyond the answer, between calls",
      fields(
        {
          anthropic_beta: ["interleaved-thinking-2025-05-14"],
          thinking: { type: "enabled", budget_tokens: 9_000 },
        },
        { inferenceConfig: { maxTokens: 2_000 } },
      ),
    ],
    ["with thinking that has more to say", fields({ thinking: { type: "adaptive", display: "omitted" } })],
    [
      "with thinking as the model sees fit",
      fields({ thinking: { type: "adaptive" }, output_config: { effort: "high" } }),
    ],
    [
      "with thinking as it sees fit, and a format",
      fields({ thinking: { type: "adaptive" }, output_config: { format: { type: "json_schema" } } }),
    ],
    ["with an effort alone", fields({ output_config: { effort: "medium" } })],
    ["with no thinking", fields({ thinking: { type: "disabled" } })],
    [
      "with thinking, to a profile whose id says nothing",
      fields(
        { thinking: { type: "enabled", budget_tokens: 1_024 } },
        { inferenceConfig: { maxTokens: 2_000 } },
      ),
      profileArn,
    ],
    ["with Nova's effort", fields({ reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } }), nova],
    [
      "with Nova's high effort, which takes no limit",
      {
        messages: [hi],
        additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } },
      },
      nova,
    ],
    ["with Nova's reasoning off", fields({ reasoningConfig: { type: "disabled" } }), nova],
    ["with Nova's reasoning and no effort", fields({ reasoningConfig: { type: "enabled" } }), nova],
    ["with Nova's own settings", fields({ inferenceConfig: { topK: 1 } }), nova],
    ["with the effort of an open model", fields({ reasoning_effort: "high" }), gptOss],
    ["with the effort of an open model, to another", fields({ reasoning_effort: "high" }), llama],
  ])("%s", (_, body, model) =>
    expect(replay(body as object, model as string | undefined)).toEqual({ kind: "same" }),
  )
})

test("[LL8] a Converse body gives its declared tools back", () => {
  const body = asking({ toolConfig: { tools: [grounding, readSpec, point] } })
  const read = readBack(bedrockConverse, urlOf(nova), JSON.stringify(body))?.request
  expect(read?.options.model.hostedTools).toEqual([grounding])
  expect(read?.segments.tools.map(({ name }) => name)).toEqual(["read"])
})

test("[LL5] a Converse body tells of an hour only at its cache points", () => {
  const ttlOf = (body: object) =>
    readBack(bedrockConverse, urlOf(claude), JSON.stringify(body))?.request.options.model.cacheTtl
  expect(ttlOf(asking({ messages: [said({ text: "a" }, hourPoint)] }))).toBe("1h")
  expect(ttlOf(asking({ messages: [hi, answered(use("t", { ttl: "1h" })), said(gave("t"))] }))).toBe(
    undefined,
  )
})
