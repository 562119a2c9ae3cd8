/** Bodies of the Responses API judged as they are written, and settings judged before they are sent. */
import { describe, expect, test } from "vitest"
import { openaiResponses as wire } from "../../src/openai-responses/index.ts"
import { plainOptions, type RequestOptions } from "../../src/options.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import { segmentsOf, user } from "../requests.ts"
import { responsesTarget } from "./requests.ts"
import {
  calls,
  format,
  gives,
  hi,
  image,
  input,
  loose,
  said,
  setting,
  strict,
  tool,
  withTools,
} from "./responses-bodies.ts"

const url = "https://api.openai.com/v1/responses"
const faultsOf = (body: object) =>
  (lintBody(wire, JSON.stringify(body), url)?.faults ?? []).map(({ rule, block }) => `${block} ${rule}`)

describe("[LL3] a body of somebody else's is refused where the provider refuses it", () => {
  test.each<readonly [fault: string, what: string, body: object]>([
    ["0 params", "no model", setting({ model: undefined })],
    ["0 params", "no output", setting({ max_output_tokens: 0 })],
    ["0 params", "half a token", setting({ max_output_tokens: 1.5 })],
    ["0 params", "a temperature in words", setting({ temperature: "0" })],
    ["0 params", "too hot", setting({ temperature: 2.5 })],
    ["0 params", "more than all", setting({ top_p: 1.5 })],
    [
      "0 params",
      "sampling beside reasoning",
      setting({ model: "gpt-5.2", temperature: 0.2, reasoning: { effort: "low" } }),
    ],
    ["0 params", "sampling of a model that takes none", setting({ model: "gpt-5-mini", top_p: 0.5 })],
    ["0 params", "instructions in a list", setting({ instructions: [hi] })],
    [
      "0 params",
      "two stored conversations",
      setting({ previous_response_id: "resp_1", conversation: "conv_1" }),
    ],
    ["0 params", "background without a store", setting({ background: true, store: false })],
    ["0 params", "a long cache key", setting({ prompt_cache_key: "k".repeat(65) })],
    ["0 params", "metadata that is no text", setting({ metadata: { a: 1 } })],
    ["0 params", "a format without a name", setting({ text: { format: format({ name: undefined }) } })],
    ["0 params", "a format without a schema", setting({ text: { format: format({ schema: undefined }) } })],
    ["0 params", "a format that cannot be strict", setting({ text: { format: format({ schema: loose }) } })],
    ["0 tool-schema", "a tool that cannot be strict", withTools({ tools: [{ ...tool, strict: true }] })],
    ["0 tool-choice", "a choice without tools", setting({ tool_choice: "required" })],
    [
      "0 tool-choice",
      "a choice of a tool without tools",
      setting({ tool_choice: { type: "function", name: "read" } }),
    ],
    ["0 tool-choice", "a choice of no tool", withTools({ tool_choice: { type: "function", name: "write" } })],
    ["0 tool-choice", "a choice of no hosted tool", withTools({ tool_choice: { type: "file_search" } })],
    [
      "0 tool-choice",
      "allowing no tool",
      withTools({
        tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "write" }] },
      }),
    ],
    ["0 tool-choice", "a choice in other words", withTools({ tool_choice: "any" })],
    ["1 tool-unique", "a tool twice", withTools({ tools: [tool, tool] })],
    ["1 result-unknown", "a result without its call", input(gives("call_9", "x"))],
    ["2 call-unique", "a call id twice", input(calls("call_1"), calls("call_1"), gives("call_1", "x"))],
    ["2 pairing", "a call without its result", input(calls("call_1"), hi)],
    ["1 block-shape", "an unknown role", input({ role: "narrator", content: "A" })],
    ["1 block-shape", "a message without parts", input({ role: "user", content: [] })],
    [
      "1 block-shape",
      "an answer in the words of input",
      input(said([{ type: "input_text", text: "A" }]), hi),
    ],
    [
      "1 reasoning-signature",
      "reasoning that nobody keeps",
      { ...input({ type: "reasoning", id: "rs_1", summary: [] }, said("A"), hi), store: false },
    ],
  ])("%s: %s", (fault, _, body) => expect(faultsOf(body)).toEqual([fault]))
})

describe("[LL3] a body of somebody else's passes where the provider takes it", () => {
  test.each<readonly [what: string, body: object]>([
    ["a stored prompt names the model", setting({ model: undefined, prompt: { id: "pmpt_1" } })],
    ["no choice without tools", setting({ tool_choice: "none" })],
    [
      "a hosted tool by a dated name",
      withTools({
        tools: [{ type: "web_search_preview_2025_03_11" }],
        tool_choice: { type: "web_search_preview" },
      }),
    ],
    [
      "allowed tools",
      withTools({
        tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "read" }] },
      }),
    ],
    ["a strict tool", withTools({ tools: [strict] })],
    ["a tool without parameters", withTools({ tools: [{ type: "function", name: "now", strict: false }] })],
    [
      "sampling without reasoning",
      setting({ model: "gpt-5.2", temperature: 0.2, reasoning: { effort: "none" } }),
    ],
    ["sampling of a model that does not reason", setting({ model: "gpt-4.1", temperature: 0.2 })],
    [
      "many marks",
      input({
        role: "user",
        content: Array.from({ length: 6 }, (_, at) => ({
          type: "input_text",
          text: `${at}`,
          prompt_cache_breakpoint: { mode: "explicit" },
        })),
      }),
    ],
    [
      "a result of a stored call",
      { ...setting({}), previous_response_id: "resp_1", input: [gives("call_1", "x")] },
    ],
    [
      "a result of a call that is pointed to",
      input({ type: "item_reference", id: "fc_1" }, gives("call_1", "x")),
    ],
    [
      "reasoning that the provider keeps",
      input({ type: "reasoning", id: "rs_1", summary: [] }, said("A"), hi),
    ],
    [
      "a call in the model's own language",
      input(
        { type: "custom_tool_call", call_id: "c", name: "sql", input: "x" },
        { type: "custom_tool_call_output", call_id: "c", output: "y" },
      ),
    ],
    [
      "an approval",
      input(
        { type: "mcp_approval_request", id: "a", name: "x", arguments: "{}", server_label: "s" },
        { type: "mcp_approval_response", approval_request_id: "a", approve: true },
      ),
    ],
    [
      "words that declined",
      input(said([{ type: "refusal", refusal: "No." }], { id: "msg_1", status: "completed" }), hi),
    ],
    [
      "documents and stored images",
      input({
        role: "user",
        content: [{ type: "input_file", file_id: "f" }, { type: "input_image", file_id: "g" }, image],
      }),
    ],
    ["members that are null", input({ type: "message", id: null, status: null, role: "user", content: "A" })],
  ])("%s", (_, body) => expect(faultsOf(body)).toEqual([]))
})

describe("[LL3] settings are judged before they are sent", () => {
  const faults = (
    generation: Partial<RequestOptions["generation"]>,
    more: Partial<RequestOptions> = {},
    model = "gpt-test",
  ) => {
    const target = {
      ...responsesTarget({ ...plainOptions(100, more), generation: { outputTokensMax: 100, ...generation } }),
      model,
    }
    return wire.lint(wire.encode(segmentsOf([user("a")]), target), target).map(({ message }) => message)
  }
  const low = { model: { reasoning: { kind: "effort", effort: "low" } } } as const

  test("and say what to do", () => {
    expect(faults({ toolChoice: { tool: "write" } })).toEqual([
      "the tool write must be called and is not defined: add it",
    ])
    expect(faults({ temperature: 3 })).toEqual(["temperature must be between 0 and 2"])
    expect(faults({ temperature: 0.5 }, low, "gpt-5.1")).toEqual([
      "gpt-5.1 takes no temperature when it reasons: leave it out",
    ])
    expect(faults({ topP: 0.5 }, {}, "o3")).toEqual(["o3 takes no top_p when it reasons: leave it out"])
  })

  test("and pass where nothing is known to be refused", () => {
    expect(faults({ toolChoice: { tool: "read" }, temperature: 2, topP: 1 })).toEqual([])
    expect(
      faults({ toolChoice: { tool: "web_search" } }, { model: { hostedTools: [{ type: "web_search" }] } }),
    ).toEqual([])
    expect(faults({ temperature: 0.5 }, low)).toEqual([])
    expect(faults({ temperature: 0.5 }, {}, "gpt-5.1")).toEqual([])
    expect(faults({ temperature: 1 }, low, "gpt-5")).toEqual([])
  })
})
