/** The call that an AI SDK model is given: its words, its bytes, and what holds for every history. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { aiSdk } from "../../src/ai-sdk/index.ts"
import { plainOptions } from "../../src/options.ts"
import type { Entry, EntryPart, Segments, Target } from "../../src/segments.ts"
import type { Block } from "../../src/wire.ts"
import { keepsEncodeProperties } from "../any-wire/encode-properties.ts"
import { historiesWith, illustrated } from "../any-wire/histories.ts"
import { keepsGolden } from "../golden.ts"
import { answer, bodyText, call, notice, segmentsOf, system, text, thinking, user } from "../requests.ts"

const { encode, lint, place } = aiSdk

const targetOf = (systemRole = false, more: Partial<Target["options"]> = {}): Target => ({
  provider: "mine",
  model: "large",
  endpoint: "ai-sdk:somebody/large-1",
  options: { ...plainOptions(1_000, { traits: { systemRole } }), ...more },
})
const target = targetOf()

const nativeOf = (opaque: NonNullable<EntryPart["native"]>["opaque"], of: Target = target) => ({
  native: { provider: of.provider, model: of.model, endpoint: of.endpoint, opaque },
})
const signed = { anthropic: { signature: "abc" } }

/** A history in which the target itself spoke, another model too, and a tool of the provider ran. */
const spoken: readonly Entry[] = [
  user("begin"),
  answer(
    thinking("hm", { type: "reasoning", providerMetadata: signed }, target),
    { ...text("I look."), ...nativeOf({ type: "text", providerMetadata: signed }) } as EntryPart,
    call(1, { ...nativeOf({ type: "call", toolCallId: "toolu_9" }), result: " " }),
    call(2, { input: "junk", result: "no such file", failed: true }),
  ),
  answer(
    thinking("elsewhere", { type: "reasoning" }, { ...target, endpoint: "ai-sdk:another/1" }),
    {
      type: "hosted",
      name: "search",
      ...nativeOf({ type: "tool-call", toolCallId: "s1", toolName: "search", input: { q: "x" } }),
    },
    {
      type: "hosted",
      name: "search",
      ...nativeOf({ type: "tool-result", toolCallId: "s1", toolName: "search", result: ["y"] }),
    },
    {
      type: "hosted",
      name: "search",
      ...nativeOf({ type: "tool-call", toolCallId: "lone", toolName: "search" }),
    },
    text("Found."),
  ),
  notice("Something was cut."),
  system("The date changed."),
]

const callIn = (segments: Segments, of: Target) =>
  JSON.parse(bodyText(place(encode(segments, of), of, 0))) as Record<string, unknown>

test("[LL1 LL2 LL4 LL8 LL9] a history is a prompt in the AI SDK's words", () => {
  const { prompt, tools, ...rest } = callIn(segmentsOf(spoken), target)
  expect(rest).toEqual({ model: "large", maxOutputTokens: 1_000 })
  expect(tools).toMatchObject([{ type: "function", name: "read", inputSchema: { type: "object" } }])
  expect(prompt).toEqual([
    { role: "system", content: "You are an agent." },
    { role: "system", content: "Build what is asked." },
    { role: "user", content: [{ type: "text", text: "begin" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: signed },
        { type: "text", text: "I look.", providerOptions: signed },
        { type: "tool-call", toolCallId: "toolu_9", toolName: "read", input: { path: "a.ts" } },
        { type: "tool-call", toolCallId: "call_2", toolName: "read", input: { value: "junk" } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "toolu_9",
          toolName: "read",
          output: { type: "text", value: "(no output)" },
        },
        {
          type: "tool-result",
          toolCallId: "call_2",
          toolName: "read",
          output: { type: "error-text", value: "no such file" },
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "elsewhere" },
        {
          type: "tool-call",
          toolCallId: "s1",
          toolName: "search",
          input: { q: "x" },
          providerExecuted: true,
        },
        { type: "tool-result", toolCallId: "s1", toolName: "search", output: { type: "json", value: ["y"] } },
        { type: "text", text: "Found." },
      ],
    },
    { role: "user", content: [{ type: "text", text: expect.stringContaining("Something was cut.") }] },
    {
      role: "user",
      content: [
        { type: "text", text: '<context-update from="runtime">\nThe date changed.\n</context-update>' },
      ],
    },
  ])
  expect(lint(encode(segmentsOf(spoken), target), target)).toEqual([])
})

test("[LL2] an instruction keeps its role and its place where the model takes it", () => {
  const { prompt } = callIn(segmentsOf([user("one"), system("Now."), user("two")]), targetOf(true))
  expect((prompt as { role: string }[]).map(({ role }) => role)).toEqual([
    "system",
    "system",
    "user",
    "system",
    "user",
  ])
})

test("[CA2] options become settings of the call, and nothing overwrites them", () => {
  const options: Target["options"] = {
    generation: {
      outputTokensMax: 5,
      temperature: 0.5,
      topP: 0.9,
      stop: ["END"],
      toolChoice: { tool: "read" },
      structured: { name: "answer", schema: { type: "object" } },
    },
    model: { reasoning: { kind: "effort", effort: "low" } },
    body: { providerOptions: { somebody: { tier: "fast" } }, maxOutputTokens: 9, headers: { a: "b" } },
    traits: {},
  }
  const { prompt: _, tools: __, ...settings } = callIn(segmentsOf([user("x")]), targetOf(false, options))
  expect(settings).toEqual({
    model: "large",
    maxOutputTokens: 5,
    temperature: 0.5,
    topP: 0.9,
    stopSequences: ["END"],
    toolChoice: { type: "tool", toolName: "read" },
    responseFormat: { type: "json", name: "answer", schema: { type: "object" } },
    reasoning: "low",
    providerOptions: { somebody: { tier: "fast" } },
  })
})

keepsEncodeProperties({
  wire: aiSdk,
  targets: fc.boolean().map((systemRole) => targetOf(systemRole)),
  histories: historiesWith(
    fc.constantFrom<Json>(
      { type: "reasoning", providerMetadata: signed },
      { type: "call", toolCallId: "toolu_9" },
      { type: "tool-call", toolCallId: "s1", toolName: "search", input: { q: "x" } },
      { type: "tool-result", toolCallId: "s1", toolName: "search", result: ["y"] },
    ),
  ),
  blocksIn: ({ tools = [], prompt = [] }) => [...(tools as object[]), ...(prompt as object[])],
  markersIn: () => 0,
})

test.each<readonly [rule: string, change: (blocks: readonly Block[]) => readonly Block[]]>([
  ["pairing", (blocks) => blocks.filter(({ json }) => !json.startsWith('{"role":"tool"'))],
  [
    "result-unknown",
    (blocks) => blocks.filter(({ json }) => !json.includes("toolu_9") || json.includes('"role":"tool"')),
  ],
  ["role-last", (blocks) => blocks.slice(0, -2)],
  ["tool-unique", ([first, ...rest]) => [first as Block, first as Block, ...rest]],
  ["segment-order", ([first, ...rest]) => [...rest, first as Block]],
  ["reasoning-native", (blocks) => blocks.map((block) => ({ ...block, native: block.native && "another" }))],
  ["text-empty", (blocks) => blocks.map((block) => ({ ...block, json: block.json.replace("begin", " ") }))],
  [
    "system-place",
    (blocks) =>
      blocks.map((block) =>
        block.json.includes("begin")
          ? { ...block, role: "system", json: '{"role":"system","content":"x"}' }
          : block,
      ),
  ],
])("[LL3] the linter finds a fault of %s", (rule, change) => {
  const encoded = encode(segmentsOf(spoken), target)
  const faults = lint({ ...encoded, blocks: change(encoded.blocks) }, target)
  expect(faults.map((fault) => fault.rule)).toContain(rule)
})

keepsGolden(aiSdk, {
  "a first prompt": { segments: segmentsOf([user("Hello")]), target, previous: 0 },
  "images in prompts and in results": { segments: segmentsOf(illustrated), target: target, previous: 0 },
  "all that a history can hold": { segments: segmentsOf(spoken), target: targetOf(true), previous: 3 },
})
