/** Requests of the Responses API that must not be taken for each other, and what of them cannot be read. */
import { describe, expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { openaiResponses as wire } from "../../src/openai-responses/index.ts"
import { findDifference } from "../../src/recording/difference.ts"
import { requestMeaning } from "../../src/recording/meaning.ts"
import { cited } from "./requests.ts"
import {
  replay,
  hi,
  loose,
  tool,
  strict,
  calls,
  gives,
  image,
  said,
  words,
  format,
  input,
  asking,
  setting,
  withTools,
} from "./responses-bodies.ts"

describe("[LL1] bodies that mean different things stay apart", () => {
  const differs = (a: object, b: object) => {
    const [one, other] = [a, b].map((body) => JSON.parse(JSON.stringify(body)) as JsonObject) as [
      JsonObject,
      JsonObject,
    ]
    return findDifference(requestMeaning(wire.name, one, one), requestMeaning(wire.name, other, one)) !== null
  }
  const pair = [calls("call_1"), calls("call_2", { arguments: "{}" })]
  test.each<readonly [what: string, a: object, b: object]>([
    ["who speaks", input({ role: "user", content: "A" }), input({ role: "developer", content: "A" })],
    ["words", setting({}), setting({ input: "Ho" })],
    ["instructions", setting({ instructions: "A" }), setting({ instructions: "B" })],
    [
      "order of what is said",
      input({ role: "user", content: "A" }, { role: "user", content: "B" }),
      input({ role: "user", content: "B" }, { role: "user", content: "A" }),
    ],
    [
      "arguments",
      asking(calls("call_1"), gives("call_1", "x")),
      asking(calls("call_1", { arguments: "{}" }), gives("call_1", "x")),
    ],
    [
      "whose result it is",
      input(...pair, gives("call_1", "a"), gives("call_2", "b")),
      input(...pair, gives("call_1", "b"), gives("call_2", "a")),
    ],
    [
      "declining and saying",
      asking(said([{ type: "refusal", refusal: "No." }])),
      asking(said([words("No.")])),
    ],
    [
      "what is cited",
      asking(said([words("See A", { annotations: [cited] })])),
      asking(said([words("See A")])),
    ],
    ["an id", asking(said([words("A")], { id: "msg_1" })), asking(said([words("A")], { id: "msg_2" }))],
    [
      "an unfinished answer",
      asking(said([words("A")], { status: "incomplete" })),
      asking(said([words("A")])),
    ],
    [
      "strictness that is said",
      withTools({ tools: [strict] }),
      withTools({ tools: [{ ...strict, strict: false }] }),
    ],
    [
      "strictness that is the default",
      withTools({ tools: [{ ...tool, strict: undefined }] }),
      withTools({ tools: [tool] }),
    ],
    ["a tool's description", withTools({}), withTools({ tools: [{ ...tool, description: "Writes." }] })],
    ["the choice", withTools({ tool_choice: "required" }), withTools({})],
    ["calls at once", withTools({ parallel_tool_calls: false }), withTools({})],
    [
      "a format's strictness",
      setting({ text: { format: format() } }),
      setting({ text: { format: format({ strict: false }) } }),
    ],
    ["an effort", setting({ reasoning: { effort: "low" } }), setting({ reasoning: { effort: "high" } })],
    ["an output limit", setting({}), setting({ max_output_tokens: 101 })],
    [
      "the detail of an image",
      input({ role: "user", content: [{ ...image, detail: "low" }] }),
      input({ role: "user", content: [image] }),
    ],
    ["streaming", setting({}), setting({ stream: false })],
    [
      "a member called like a mark",
      withTools({
        tools: [{ ...tool, parameters: { ...loose, properties: { cache_control: { type: "string" } } } }],
      }),
      withTools({ tools: [{ ...tool, parameters: { ...loose, properties: {} } }] }),
    ],
  ])("%s", (_, a, b) => expect(differs(a, b)).toBe(true))
})

describe("[LL1] what the canonical request has no word for is named", () => {
  test.each<readonly [place: string, body: object]>([
    ["previous_response_id", setting({ previous_response_id: "resp_1" })],
    ["conversation", setting({ conversation: { id: "conv_1" } })],
    ["prompt", setting({ prompt: { id: "pmpt_1" } })],
    ["background", setting({ background: true })],
    ["instructions", setting({ instructions: [hi] })],
    ["input[1]: item_reference", asking({ type: "item_reference", id: "msg_1" })],
    ["input[1]: item_reference", asking({ id: "msg_1" })],
    [
      "input[1]: reasoning by its id alone",
      asking({ type: "reasoning", id: "rs_1", summary: [] }, said("Hm")),
    ],
    [
      "input[1]: custom_tool_call",
      asking({ type: "custom_tool_call", call_id: "call_1", name: "x", input: "y" }),
    ],
    [
      "input[1]: custom_tool_call_output",
      input({ type: "custom_tool_call_output", call_id: "call_1", output: "y" }),
    ],
    [
      "input[1]: mcp_approval_response",
      input({ type: "mcp_approval_response", approval_request_id: "a", approve: true }),
    ],
    ["input[1]: function_call without output", input(calls("call_1"))],
    ["result of call_9", input(gives("call_9", "x"))],
    ["input[2].call_id: used twice", input(calls("call_1"), calls("call_1"), gives("call_1", "x"))],
    ["input[1].arguments", asking(calls("call_1", { arguments: "{" }), gives("call_1", "x"))],
    ["input[1].arguments", asking(calls("call_1", { arguments: "[1]" }), gives("call_1", "x"))],
    ["input[1].status: incomplete", asking(said([words("A")], { status: "incomplete" }))],
    ["input[1].role: narrator", input({ role: "narrator", content: "A" })],
    [
      "input[1].content[0]: input_file",
      input({ role: "user", content: [{ type: "input_file", file_id: "f" }] }),
    ],
    [
      "input[1].content[0]: input_image",
      input({ role: "user", content: [{ type: "input_image", image_url: "https://x.example/a.png" }] }),
    ],
    ["input[1].content[0].detail: high", input({ role: "user", content: [{ ...image, detail: "high" }] })],
    ["input[1].content: input_image", input({ role: "system", content: [image] })],
    ["input[1].content[1]: refusal", asking(said([words("A"), { type: "refusal", refusal: "No." }]))],
    [
      "input[2].output[0]: input_file",
      input(calls("call_1"), gives("call_1", [{ type: "input_file", file_id: "f" }])),
    ],
    ["tools[0].defer_loading", withTools({ tools: [{ ...tool, defer_loading: true }] })],
    ["tools[1].strict", withTools({ tools: [strict, { ...strict, name: "b", strict: false }] })],
    ["tools[0].strict", withTools({ tools: [{ ...tool, strict: true }] })],
    [
      "tool_choice: allowed_tools",
      withTools({ tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } }),
    ],
    ["tool_choice: web_search", withTools({ tool_choice: { type: "web_search" } })],
    [
      "tool_choice: mcp",
      withTools({
        tools: [{ type: "mcp", server_label: "docs" }],
        tool_choice: { type: "mcp", server_label: "docs", name: "find" },
      }),
    ],
    ["input[1].namespace", asking(calls("call_1", { namespace: "n" }), gives("call_1", "x"))],
    ["input[1].content[0].parsed", asking(said([words("A", { parsed: 1 })]))],
    [
      "input[1].content[0].lang",
      input({ role: "user", content: [{ type: "input_text", text: "A", lang: "en" }] }),
    ],
    ["prompt_cache_retention", setting({ prompt_cache_retention: "7d" })],
  ])("%s %#", (place, body) => {
    const { kind, places } = replay(body) as { readonly kind: string; readonly places?: readonly string[] }
    expect([kind, places]).toEqual(["unread", expect.arrayContaining([place])])
  })
})
