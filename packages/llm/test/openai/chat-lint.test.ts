/** Chat bodies as they are written, and settings before they are sent: what a server refuses is found. */
import { describe, expect, test } from "vitest"
import { openaiChat } from "../../src/openai-chat/index.ts"
import type { GenerationControls } from "../../src/options.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import { segmentsOf, user } from "../requests.ts"
import {
  asking,
  type Body,
  called,
  hi,
  loop,
  result,
  said,
  schema,
  tool,
  urls,
  words,
} from "./chat-bodies.ts"
import { foreign } from "./chat-foreign.ts"
import { chatTarget } from "./requests.ts"

const faultsOf = (server: string, body: Body) =>
  lintBody(openaiChat, JSON.stringify(body), urls[server])?.faults ?? []

describe.each(Object.entries(foreign))(
  "[LL3] a Chat body that its server takes has no fault: %s",
  (_, table) => {
    test.each(Object.entries(table))("%s", (__, [server, body]) => expect(faultsOf(server, body)).toEqual([]))
  },
)

const marked = (ttl?: string) =>
  said("user", [words("a", { cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) } })])
const choosing = (name: string) => ({ type: "function", function: { name } })
const json = { response_format: { type: "json_object" } }

test.each<readonly [fault: string, server: string, body: Body]>([
  ["0 params", "openai", asking({ model: undefined })],
  ["0 params", "generic", asking({ model: "" })],
  ["0 params", "openai", asking({ max_tokens: 1, max_completion_tokens: 1 })],
  ["0 params", "openai", asking({ stream: false, stream_options: { include_usage: true } })],
  ["0 params", "openai", asking({ temperature: 3 })],
  ["0 params", "openai", asking({ top_p: 1.5 })],
  ["0 params", "openai", asking({ presence_penalty: -3 })],
  ["0 params", "openai", asking({ top_logprobs: 2 })],
  ["0 params", "openai", asking({ stop: ["a", "b", "c", "d", "e"] })],
  ["0 params", "openai", asking({ tools: [] })],
  ["0 params", "openai", asking(json)],
  [
    "0 params",
    "openai",
    asking({
      response_format: {
        type: "json_schema",
        json_schema: { name: "a", strict: true, schema: { ...schema, required: [] } },
      },
    }),
  ],
  ["0 tool-choice", "generic", asking({ tools: [tool()], tool_choice: choosing("other") })],
  [
    "0 tool-choice",
    "openai",
    asking({
      tools: [tool()],
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [choosing("other")] } },
    }),
  ],
  ["0 tool-choice", "generic", asking({ tool_choice: "auto" })],
  ["0 tool-choice", "openai", asking({ tool_choice: "none" })],
  ["0 tool-choice", "mistral", asking({ tool_choice: "any" })],
  ["0 tool-choice", "groq", asking({ tool_choice: choosing("weather") })],
  ["0 tool-choice", "openai", asking({ parallel_tool_calls: true })],
  ["1 tool-unique", "openai", asking({ tools: [tool(), tool()] })],
  [
    "0 tool-schema",
    "openai",
    asking({ tools: [tool({ strict: true, parameters: { ...schema, required: [] } })] }),
  ],
  ["4 markers", "openrouter", asking({ messages: [marked(), marked(), marked(), marked(), marked()] })],
  ["1 markers", "openrouter", asking({ messages: [marked("5m"), marked("1h")] })],
  ["0 block-shape", "openai", asking({ messages: [said("narrator", "a"), hi] })],
  ["0 text-empty", "openai", asking({ messages: [said("user", [])] })],
  ["1 text-empty", "openai", asking({ messages: [hi, said("assistant", ""), hi] })],
  ["3 text-empty", "openai", loop({}, [result("call_1", "")])],
  ["2 result-unknown", "openai", asking({ messages: [hi, said("assistant", "a"), result("call_1")] })],
  ["3 result-unknown", "openai", loop({}, [result("call_9"), result("call_1")])],
  ["2 call-unique", "openai", loop({ tool_calls: [called("call_1"), called("call_1")] })],
  [
    "2 call-id",
    "openai",
    loop({ tool_calls: [called("functions.weather:0")] }, [result("functions.weather:0")]),
  ],
  ["2 call-id", "mistral", loop({})],
  ["2 reasoning-lead", "deepseek", loop({}, [result("call_1")], { thinking: { type: "enabled" } })],
])("[LL3] a Chat body as it is written has the fault %s at %s: %j", (fault, server, body) =>
  expect(faultsOf(server, body).map(({ block, rule }) => `${block} ${rule}`)).toContain(fault),
)

test.each<readonly [server: string, body: Body]>([
  // Only the last mark counts to Gemini.
  [
    "openrouter",
    asking({ model: "google/gemini-3", messages: [marked(), marked(), marked(), marked(), marked()] }),
  ],
  ["openrouter", asking({ messages: [marked("1h"), marked("5m"), marked()] })],
  ["openai", asking({ ...json, messages: [said("user", "Answer in JSON.")] })],
  ["lmstudio", asking({ max_tokens: -1 })],
  ["groq", asking({ temperature: 3, stop: ["a", "b", "c", "d", "e"] })],
  ["openai", asking({ stream: undefined })],
  ["openai", asking({ tools: [{ type: "custom", custom: { name: "a" } }] })],
  ["openai", asking({ messages: [said("user", [{ type: "file", file: { file_id: "f" } }])] })],
  ["openai", asking({ messages: [hi, said("assistant", null, { refusal: "No" }), hi] })],
  ["openai", asking({ messages: [hi, said("system", "Be brief."), said("developer", "Briefer."), hi] })],
])("[LL3] a Chat body that this project would not write has no fault at %s: %j", (server, body) =>
  expect(faultsOf(server, body)).toEqual([]),
)

test.each<readonly [rule: string, profile: string, generation: Partial<GenerationControls>]>([
  ["tool-choice", "generic", { toolChoice: { tool: "other" } }],
  ["params", "openai", { temperature: 2.5 }],
  ["params", "openai", { stop: ["a", "b", "c", "d", "e"] }],
  ["params", "openai", { structured: { name: "a", schema: { type: "object", properties: { a: {} } } } }],
])(
  "[LL3] a Chat request with settings that its server refuses is not sent: %s at %s, %j",
  (rule, profile, more) => {
    const target = chatTarget(profile)
    const options = { ...target.options, generation: { ...target.options.generation, ...more } }
    const to = { ...target, options }
    const faults = openaiChat.lint(openaiChat.encode(segmentsOf([user("a")]), to), to)
    expect(faults.map((fault) => fault.rule)).toEqual([rule])
  },
)

test("[LL3] a choice for tools that a Chat request has no more is left out, and is no fault", () => {
  const target = chatTarget("openai")
  const generation = { ...target.options.generation, toolChoice: "required" } as const
  const to = { ...target, options: { ...target.options, generation } }
  const encoded = openaiChat.encode(segmentsOf([user("a")], { tools: [] }), to)
  expect(encoded.params).not.toContain("tool_choice")
  expect(openaiChat.lint(encoded, to)).toEqual([])
})
