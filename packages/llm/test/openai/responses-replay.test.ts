/** Requests of the Responses API that other clients wrote: each means the same after it was read and encoded again. */
import { describe, expect, test } from "vitest"
import { cited, sealed, searched } from "./requests.ts"
import {
  replay,
  asked,
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

describe("[LL1] a request of another client means the same", () => {
  test.each<readonly [shape: string, body: object]>([
    ["text alone", setting({})],
    ["no output limit", { model: "gpt-test", stream: true, input: "Hi" }],
    [
      "settings that are null",
      setting({
        temperature: null,
        instructions: null,
        tools: null,
        tool_choice: null,
        include: null,
        text: null,
        reasoning: null,
        prompt_cache_key: null,
        previous_response_id: null,
        conversation: null,
        background: null,
        max_output_tokens: null,
      }),
    ],
    ["instructions", setting({ instructions: "Be brief." })],
    [
      "instructions and a system message",
      { ...asked, instructions: "Be brief.", input: [{ role: "system", content: "Be kind." }, hi] },
    ],
    ["empty instructions", setting({ instructions: "" })],
    [
      "many instructions",
      {
        ...asked,
        instructions: "A",
        input: ["B", "C", "D"]
          .map((content, at) => ({ role: at % 2 ? "system" : "developer", content }))
          .concat(hi),
      },
    ],
    [
      "an instruction in several texts",
      {
        ...asked,
        input: [
          {
            role: "system",
            content: [
              { type: "input_text", text: "A" },
              { type: "input_text", text: "B" },
            ],
          },
          hi,
        ],
      },
    ],
    ["an instruction in between", asking({ role: "developer", content: "The date changed." })],
    [
      "two texts of the user's",
      input({
        role: "user",
        content: [
          { type: "input_text", text: "A" },
          { type: "input_text", text: "B" },
        ],
      }),
    ],
    ["two messages of the user's", input(hi, hi)],
    [
      "an image behind its words",
      input({
        role: "user",
        content: [
          { type: "input_text", text: "See" },
          { ...image, detail: "auto" },
        ],
      }),
    ],
    ["an image alone", input({ role: "user", content: [image] })],
    [
      "marks of a cache",
      input({
        role: "user",
        content: [{ type: "input_text", text: "A", prompt_cache_breakpoint: { mode: "explicit" } }],
      }),
    ],
    ["a message with its id and state", input({ type: "message", id: "msg_u", status: "completed", ...hi })],
    ["an answer in shorthand", asking(said("Hello"))],
    ["an answer without a type", asking({ role: "assistant", content: [words("Hello")] })],
    [
      "an answer as it was given",
      asking(
        said([words("Hello", { annotations: [], logprobs: [] })], {
          id: "msg_1",
          status: "completed",
          phase: null,
        }),
      ),
    ],
    ["an answer without annotations", asking(said([words("Hello")], { id: "msg_1", status: "completed" }))],
    [
      "an answer in two parts",
      asking(said([words("Hello "), words("there", { annotations: [] })], { id: "msg_1" })),
    ],
    ["an answer with a phase", asking(said([words("Hm")], { phase: "commentary" }))],
    ["an answer that cites", asking(said([words("See A", { annotations: [cited] })], { id: "msg_1" }))],
    [
      "an answer that cites in its second part",
      asking(said([words("See "), words("A", { annotations: [cited] })])),
    ],
    [
      "an answer that declined",
      asking(said([{ type: "refusal", refusal: "No." }], { id: "msg_1", status: "completed" })),
    ],
    ["an answer that says nothing", asking(said(""), said("Hello"))],
    [
      "a call with its state",
      asking(
        calls("call_1", { id: "fc_1", status: "completed" }),
        gives("call_1", "x", { status: "completed", id: "fco_1" }),
      ),
    ],
    [
      "arguments in another spelling",
      asking(calls("call_1", { arguments: '{ "b":1.0, "a":"\\u0078" }' }), gives("call_1", "x")),
    ],
    ["a call without arguments", asking(calls("call_1", { arguments: "" }), gives("call_1", "x"))],
    ["a long id of a call", asking(calls(`fc_${"x".repeat(50)}`), gives(`fc_${"x".repeat(50)}`, "x"))],
    [
      "a result in parts",
      asking(
        calls("call_1"),
        gives("call_1", [
          { type: "input_text", text: "a" },
          { type: "input_text", text: "b" },
        ]),
      ),
    ],
    [
      "a result with an image",
      asking(calls("call_1"), gives("call_1", [image, { type: "input_text", text: "a" }])),
    ],
    ["an image as a result", input(calls("call_1"), gives("call_1", [image]))],
    [
      "a result of nothing, then a call",
      asking(calls("call_1"), gives("call_1", ""), calls("call_2"), gives("call_2", "x")),
    ],
    [
      "results in another order",
      input(
        calls("call_1"),
        calls("call_2"),
        calls("call_3"),
        gives("call_3", "c"),
        gives("call_1", "a"),
        gives("call_2", "b"),
      ),
    ],
    [
      "a loop of calls",
      input(
        said("I look."),
        calls("call_1"),
        gives("call_1", "a"),
        said("And again."),
        calls("call_2"),
        gives("call_2", "b"),
      ),
    ],
    [
      "sealed reasoning before a call",
      {
        ...input(sealed("rs_1") as object, calls("call_1", { id: "fc_1" }), gives("call_1", "a")),
        include: ["reasoning.encrypted_content"],
        store: false,
      },
    ],
    [
      "reasoning with members that are null",
      asking({ ...(sealed("rs_1") as object), status: null, content: null }, said("Hm")),
    ],
    [
      "what a hosted tool did",
      asking(searched("ws_1") as object, said([words("See A", { annotations: [cited] })], { id: "msg_1" })),
    ],
    [
      "hosted tools before functions",
      withTools({ tools: [{ type: "web_search" }, tool], tool_choice: "auto" }),
    ],
    [
      "a tool without a description",
      withTools({ tools: [{ type: "function", name: "read", parameters: loose, strict: false }] }),
    ],
    [
      "a tool without parameters",
      withTools({ tools: [{ type: "function", name: "now", parameters: null, strict: false }] }),
    ],
    [
      "a tool with the address of its grammar",
      withTools({
        tools: [{ ...tool, parameters: { $schema: "http://json-schema.org/draft-07/schema#", ...loose } }],
      }),
    ],
    ["strict tools", withTools({ tools: [strict, tool] })],
    [
      "tools that do not say whether they are strict",
      withTools({
        tools: [
          { ...strict, strict: undefined },
          { ...tool, strict: null },
        ],
      }),
    ],
    [
      "a tool that cannot be made strict",
      withTools({
        tools: [
          {
            ...tool,
            strict: undefined,
            parameters: { type: "object", additionalProperties: { type: "string" } },
          },
        ],
      }),
    ],
    ["no tools", setting({ tools: [], tool_choice: "auto", parallel_tool_calls: true })],
    ...["auto", "none", "required", { type: "function", name: "read" }].map(
      (choice) => [`the choice ${JSON.stringify(choice)}`, withTools({ tool_choice: choice })] as const,
    ),
    [
      "a hosted tool that is chosen",
      withTools({
        tools: [tool, { type: "web_search_preview" }],
        tool_choice: { type: "web_search_preview" },
      }),
    ],
    [
      "a server that is chosen",
      withTools({
        tools: [{ type: "mcp", server_label: "docs", server_url: "https://x.example" }],
        tool_choice: { type: "mcp", server_label: "docs" },
      }),
    ],
    ["calls one by one", withTools({ parallel_tool_calls: false })],
    ["calls at once", withTools({ parallel_tool_calls: true })],
    ["a schema", setting({ text: { format: format(), verbosity: "low" } })],
    ["a schema that is not enforced", setting({ text: { format: format({ strict: false }) } })],
    [
      "a schema that does not say whether",
      setting({ text: { format: format({ strict: undefined, description: "What it is." }) } }),
    ],
    ["any JSON", setting({ text: { format: { type: "json_object" } } })],
    ["any text", setting({ text: { format: { type: "text" } } })],
    ["an effort", setting({ reasoning: { effort: "low", summary: "auto" } })],
    ["no effort", setting({ reasoning: { effort: "none" } })],
    ["an effort that is null", setting({ reasoning: { effort: null, summary: null } })],
    ["a summary by its older name", setting({ reasoning: { generate_summary: "concise" } })],
    ["a new member of reasoning", setting({ reasoning: { effort: "low", context: "all_turns" } })],
    [
      "more that is included",
      setting({ include: ["web_search_call.action.sources", "reasoning.encrypted_content"] }),
    ],
    ["nothing that is included", setting({ include: [] })],
    ["sampling", setting({ temperature: 0.2, top_p: 0.9 })],
    [
      "what is passed on",
      setting({
        truncation: "auto",
        metadata: { a: "b" },
        user: "u",
        top_logprobs: 3,
        safety_identifier: "s",
        max_tool_calls: 3,
        stream_options: { include_obfuscation: false },
        service_tier: "flex",
        prompt_cache_key: "k",
        prompt_cache_retention: "24h",
        store: true,
        background: false,
      }),
    ],
    ["a cache in memory", setting({ prompt_cache_retention: "in-memory" })],
  ])("%s", (_, body) => expect(replay(body)).toEqual({ kind: "same" }))
})
