/** Segments to the messages of a Converse request. */
import { describe, expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { own } from "../any-wire/histories.ts"
import { answer, call, notice, readTool, segmentsOf, system, text, thinking, user } from "../requests.ts"
import {
  bedrockTarget,
  bodyOf,
  messagesOf,
  novaTarget,
  otherTarget,
  redacted,
  searchResult,
  searchUse,
  signed,
} from "./requests.ts"

const target = bedrockTarget()
const spec = {
  toolSpec: { name: "read", description: "Reads a file.", inputSchema: { json: readTool.inputSchema } },
}
const use = (id: string, more: object = {}) => ({
  toolUse: { toolUseId: id, name: "read", input: { path: "a.ts" }, ...more },
})
const result = (id: string, words: string, more: object = {}) => ({
  toolResult: { toolUseId: id, content: [{ text: words }], ...more },
})

test("[LL1] writes settings, tools, system and messages where the provider wants them, and no model", () => {
  expect(bodyOf(segmentsOf([user("Hello")]), otherTarget())).toEqual({
    inferenceConfig: { maxTokens: 8_192 },
    toolConfig: { tools: [spec] },
    system: [{ text: "You are an agent." }, { text: "Build what is asked." }],
    messages: [{ role: "user", content: [{ text: "Hello" }] }],
  })
  expect(bodyOf(segmentsOf([user("Hello")], { tools: [], system: "", agent: "" }), otherTarget())).toEqual({
    inferenceConfig: { maxTokens: 8_192 },
    messages: [{ role: "user", content: [{ text: "Hello" }] }],
  })
})

test("[LL1 LL3] puts all results of parallel calls first into the next message", () => {
  const entries = [
    user("go"),
    answer(text("I look."), call(1), call(2, { failed: true, result: "no" })),
    user("so?"),
  ]
  expect(messagesOf(segmentsOf(entries), target)).toEqual([
    { role: "user", content: [{ text: "go" }] },
    { role: "assistant", content: [{ text: "I look." }, use("call_1"), use("call_2")] },
    {
      role: "user",
      content: [result("call_1", "content"), result("call_2", "no", { status: "error" }), { text: "so?" }],
    },
  ])
})

test("[LL3] says in words that a call failed where a family has no field for it", () => {
  const entries = [user("go"), answer(call(1, { failed: true, result: "no" }))]
  expect(messagesOf(segmentsOf(entries), otherTarget()).at(-1)?.content).toEqual([
    result("call_1", "[failed]\nno"),
  ])
})

test("[LL2] wraps an instruction on the user's side at its place in time", () => {
  const entries = [user("a"), answer(text("b")), system("The date changed."), notice("x"), user("c")]
  expect(
    messagesOf(segmentsOf(entries), bedrockTarget({ traits: { systemRole: true } })).at(-1)?.content,
  ).toEqual([
    { text: '<context-update from="runtime">\nThe date changed.\n</context-update>' },
    { text: '<notice from="runtime">\nx\n</notice>' },
    { text: "c" },
  ])
})

test("[LL3] never writes a blank text, an illegal id or name, or a history with calls and no tool", () => {
  const odd = call(1, { call: "bad id/1" as never, name: "9 liv/es", input: "junk", result: " " })
  const body = bodyOf(
    segmentsOf([user(" "), answer(text("\n"), odd)], { tools: [], system: " " }),
    otherTarget(),
  )
  const [id] = JSON.stringify(body.messages).match(/call_\w{24}/) ?? []
  expect(body).toMatchObject({
    toolConfig: { tools: [{ toolSpec: { name: "no_tool_available" } }] },
    messages: [
      { role: "user", content: [{ text: "(no output)" }] },
      { role: "assistant", content: [use(String(id), { name: "9_liv_es", input: { value: "junk" } })] },
      { role: "user", content: [result(String(id), "(no output)")] },
    ],
  })
  expect(body.system).toEqual([{ text: "Build what is asked." }])
})

test("[LL3] projects a tool's schema, and leaves a blank description out", () => {
  const tool = {
    name: "t",
    description: " ",
    inputSchema: { $schema: "x", anyOf: [], type: "object", additionalProperties: false },
  }
  expect(bodyOf(segmentsOf([user("a")], { tools: [tool] }), otherTarget()).toolConfig?.tools).toEqual([
    {
      toolSpec: {
        name: "t",
        inputSchema: { json: { type: "object", additionalProperties: false, properties: {} } },
      },
    },
  ])
})

describe("native continuation", () => {
  const said = answer(
    { type: "reasoning", text: "hm", ...own(target, signed("hm", "c2ln")) },
    { type: "reasoning", text: "", ...own(target, redacted("c2VhbGVk")) },
    { type: "reasoning", text: "unsigned", ...own(target, { type: "reasoning", text: "unsigned" }) },
    text("I look."),
    call(1),
  )

  test("[LL4] goes back to the same target exactly, and unsigned reasoning stays away", () => {
    expect(messagesOf(segmentsOf([user("go"), said]), target)[1]?.content).toEqual([
      { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: "c2VhbGVk" } },
      { text: "I look." },
      use("call_1"),
    ])
  })

  test.each([
    ["another model", novaTarget()],
    ["a target that refused it", bedrockTarget({ traits: { withoutNative: true } })],
  ])("[LL4] is left out for %s, and visible reasoning becomes text", (_, stranger) => {
    expect(messagesOf(segmentsOf([user("go"), said]), stranger)[1]?.content).toEqual([
      { text: "hm" },
      { text: "unsigned" },
      { text: "I look." },
      use("call_1"),
    ])
  })

  test("[LL4 TU4] drops reasoning that was cut, that led to nothing, or that a second answer brings", () => {
    const thought = { type: "reasoning", text: "hm", ...own(target, signed("hm", "c2ln")) } as const
    const entries = [
      user("a"),
      answer({ type: "reasoning", text: "cut", native: null }, text("b"), thought),
      answer(thought, thinking("elsewhere"), text("c")),
      user("d"),
    ]
    expect(messagesOf(segmentsOf(entries), target)[1]?.content).toEqual([
      { text: "b" },
      { text: "elsewhere" },
      { text: "c" },
    ])
  })

  test("[LL8 LL9] repeats what the provider's own tool did with what came of it, or not at all", () => {
    const hosted = (opaque: typeof searchUse) =>
      ({ type: "hosted", name: "s", ...own(target, opaque) }) as const
    const contentOf = (...opaques: readonly (typeof searchUse)[]) =>
      messagesOf(segmentsOf([user("a"), answer(...opaques.map(hosted), text("b")), user("c")]), target)[1]
        ?.content
    expect(contentOf(searchUse, searchResult)).toEqual([searchUse, searchResult, { text: "b" }])
    expect(contentOf(searchUse)).toEqual([{ text: "b" }])
    expect(contentOf(searchResult)).toEqual([{ text: "b" }])
  })
})

describe("settings", () => {
  test("[CA2] are written in the provider's words", () => {
    const chosen = bedrockTarget({
      generation: {
        outputTokensMax: 4_000,
        temperature: 0,
        topP: 0.5,
        stop: ["END"],
        toolChoice: { tool: "read" },
        structured: { name: "a b", schema: { type: "object" } },
      },
      model: { serviceTier: "flex", reasoning: { kind: "budget", tokens: 2_048 } },
      body: {
        inferenceConfig: { temperature: 2 },
        additionalModelRequestFields: { top_k: 3, thinking: {} },
        requestMetadata: { a: "b" },
        messages: [],
      },
    })
    const { messages, toolConfig, system: _, ...rest } = bodyOf(segmentsOf([user("a")]), chosen)
    expect(messages).toHaveLength(1)
    expect(toolConfig?.toolChoice).toEqual({ tool: { name: "read" } })
    expect(rest).toEqual({
      inferenceConfig: { maxTokens: 4_000, temperature: 0, topP: 0.5, stopSequences: ["END"] },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_048 }, top_k: 3 },
      outputConfig: {
        textFormat: {
          type: "json_schema",
          structure: { jsonSchema: { name: "a_b", schema: '{"type":"object"}' } },
        },
      },
      serviceTier: { type: "flex" },
      requestMetadata: { a: "b" },
    })
  })

  test.each([
    ["claude", "auto", { auto: {} }],
    ["claude", "required", { any: {} }],
    ["claude", "none", undefined],
    ["mistral", "required", { any: {} }],
    ["mistral", { tool: "read" }, undefined],
    ["other", "auto", undefined],
  ] as const)("[CA2] say to %s which tool to use: %j is %j", (profile, toolChoice, written) => {
    const chosen = bedrockTarget({ generation: { outputTokensMax: 1, toolChoice }, traits: { profile } })
    expect(bodyOf(segmentsOf([user("a")]), chosen).toolConfig?.toolChoice).toEqual(written)
  })

  test.each([
    [
      "claude",
      { kind: "adaptive", effort: "high" },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    ],
    ["claude", { kind: "effort", effort: "low" }, { output_config: { effort: "low" } }],
    ["claude", { kind: "off" }, { thinking: { type: "disabled" } }],
    [
      "nova",
      { kind: "effort", effort: "low" },
      { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } },
    ],
    ["nova", { kind: "off" }, { reasoningConfig: { type: "disabled" } }],
    ["gpt-oss", { kind: "effort", effort: "low" }, { reasoning_effort: "low" }],
    ["other", { kind: "budget", tokens: 2_048 }, undefined],
  ] as const)("[CA2] tell %s to reason as %j by %j", (profile, reasoning, written) => {
    const chosen = bedrockTarget({ model: { reasoning }, traits: { profile } })
    expect(bodyOf(segmentsOf([user("a")]), chosen).additionalModelRequestFields).toEqual(written)
  })

  test("[LL3] ask for no budget where the tool loop did not begin with reasoning", () => {
    const chosen = bedrockTarget({ model: { reasoning: { kind: "budget", tokens: 2_048 } } })
    const thought = { type: "reasoning", text: "hm", ...own(chosen, signed("hm", "c2ln")) } as const
    const asked = (...entries: Parameters<typeof segmentsOf>[0]) =>
      bodyOf(segmentsOf(entries), chosen).additionalModelRequestFields !== undefined
    expect(asked(user("a"), answer(call(1)))).toBe(false)
    expect(asked(user("a"), answer(thought, call(1)))).toBe(true)
    expect(asked(user("a"), answer(thought, call(1)), answer(call(2)))).toBe(true)
    expect(asked(user("a"), answer(call(1)), answer(thought, call(2)))).toBe(false)
    expect(asked(user("a"), answer(call(1)), answer(text("b")), user("c"))).toBe(true)
  })
})

test.each([
  ["https://host", "a.b-v1:0", "https://host/model/a.b-v1%3A0/converse-stream"],
  [
    "https://host/",
    "arn:aws:bedrock:us-east-1:1:inference-profile/x",
    "https://host/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx/converse-stream",
  ],
])("[LL1] is sent from %s for %s to %s", (base, model, address) => {
  expect(bedrockConverse.address(base, model)).toBe(address)
})
