/** Chat requests of other clients, read and written again: what means the same, what does not, what is unread. */
import { describe, expect, test } from "vitest"
import { findDifference } from "../../src/recording/difference.ts"
import { requestMeaning } from "../../src/recording/meaning.ts"
import { foreign } from "./chat-foreign.ts"
import {
  asking,
  type Body,
  called,
  hi,
  image,
  loop,
  replayed,
  result,
  said,
  schema,
  tool,
  words,
} from "./chat-bodies.ts"

describe.each(Object.entries(foreign))(
  "[LL1] a Chat request of another client means the same: %s",
  (_, table) => {
    test.each(Object.entries(table))("%s", (__, [server, body]) =>
      expect(replayed(server, body)).toEqual({ kind: "same" }),
    )
  },
)

/** Servers take them, and this project never sends them: the linter has a rule against text of nothing. */
test.each<readonly [what: string, body: Body]>([
  ["prompt", asking({ messages: [said("system", " "), hi] })],
  ["answer", asking({ messages: [hi, said("assistant", ""), hi] })],
  ["message of the user", asking({ messages: [said("user", "")] })],
  ["result", loop({}, [result("call_1", "")])],
  ["result, which is no text,", loop({}, [result("call_1", null)])],
])("[LL1] a Chat request with an empty %s means the same in this project's words", (_, body) =>
  expect(replayed("groq", body)).toEqual({ kind: "same" }),
)

describe("[LL1] what a Chat request says and the canonical request cannot is named", () => {
  const call = (more: Body, of: Body = {}) => loop({ tool_calls: [{ ...called("call_1"), ...more }], ...of })
  test.each<readonly [place: string, body: Body]>([
    ["model", asking({ model: undefined })],
    ["n", asking({ n: 2 })],
    ["functions", asking({ functions: [] })],
    ["max_tokens", asking({ max_tokens: -1 })],
    ["api_key", asking({ api_key: "k" })],
    ["stop", asking({ stop: [1] })],
    ["stream_options.include_obfuscation", asking({ stream_options: { include_obfuscation: false } })],
    ["tool_choice", asking({ tools: [tool()], tool_choice: { type: "allowed_tools", allowed_tools: {} } })],
    ["tools[0]: custom", asking({ tools: [{ type: "custom", custom: { name: "a" } }] })],
    ["tools[1].function.strict", asking({ tools: [tool({ strict: true }), tool({}, "b")] })],
    [
      "tools[0].function.strict",
      asking({ tools: [tool({ strict: true, parameters: { type: "object", properties: { a: {} } } })] }),
    ],
    [
      "tools[0].function.parameters.anyOf",
      asking({ tools: [tool({ parameters: { ...schema, anyOf: [] } })] }),
    ],
    ["tools[0].function.parameters.type", asking({ tools: [tool({ parameters: { type: "array" } })] })],
    ["messages[0].name", asking({ messages: [said("user", "a", { name: "Ann" })] })],
    ["messages[0].role: function", asking({ messages: [said("function", "a", { name: "f" }), hi] })],
    [
      "messages[0].content[1].image_url.detail",
      asking({ messages: [said("user", [words("a"), image({ detail: "high" })])] }),
    ],
    [
      "messages[0].content[0].image_url.detail",
      asking({ messages: [said("user", [image({ detail: "low" })])] }),
    ],
    [
      "messages[0].content[0]: image_url",
      asking({ messages: [said("user", [image({ url: "https://a.example/b.png" })])] }),
    ],
    [
      "messages[0].content[0]: input_audio",
      asking({ messages: [said("user", [{ type: "input_audio", input_audio: {} }])] }),
    ],
    ["messages[0].content[0]: file", asking({ messages: [said("user", [{ type: "file", file: {} }])] })],
    [
      "messages[0].content: text between images",
      asking({ messages: [said("user", [image(), words("a"), image()])] }),
    ],
    ["messages[1].refusal", asking({ messages: [hi, said("assistant", null, { refusal: "No" }), hi] })],
    [
      "messages[1].content[0]: refusal",
      asking({ messages: [hi, said("assistant", [{ type: "refusal", refusal: "No" }]), hi] }),
    ],
    [
      "messages[1].content[0]: thinking",
      asking({ messages: [hi, said("assistant", [{ type: "thinking", thinking: [] }]), hi] }),
    ],
    [
      "messages[1].annotations",
      asking({ messages: [hi, said("assistant", "a", { annotations: [{ type: "file" }] }), hi] }),
    ],
    ["messages[1].audio", asking({ messages: [hi, said("assistant", null, { audio: { id: "a" } }), hi] })],
    [
      "messages[1]: reasoning alone",
      asking({ messages: [hi, said("assistant", null, { reasoning: "hm" }), hi] }),
    ],
    ["messages[1].prefix", asking({ messages: [hi, said("assistant", "a", { prefix: true })] })],
    ["messages[2].name", loop({}, [result("call_1", "x", { name: "other" })])],
    ["messages[2].content[0]: image_url", loop({}, [result("call_1", [image()])])],
    ["messages[1].tool_calls[0]: custom", call({ type: "custom" })],
    ["messages[1].tool_calls[0].function.arguments", call({ function: { name: "weather", arguments: "{" } })],
    [
      "messages[1].tool_calls[0].function.arguments",
      call({ function: { name: "weather", arguments: "[1]" } }),
    ],
    [
      "messages[1].tool_calls[0].function.arguments",
      call({ function: { name: "weather", arguments: '{"id":12345678901234567890}' } }),
    ],
    ["result of call_9", loop({}, [result("call_1"), result("call_9")])],
  ])("%s in %j", (place, body) => {
    const replay = replayed("openai", body)
    expect(replay.kind === "unread" && replay.places).toContain(place)
  })
})

describe("[LL1] what would mean something else to a Chat server is told apart", () => {
  test.each<readonly [path: string, server: string, body: Body]>([
    ["stream", "openai", asking({ stream: false })],
    ["stream", "openai", asking({ stream: undefined })],
    // A result that is missing is not one that says nothing.
    ["messages[2]", "openai", loop({}, [])],
    ["messages[2].content", "openai", loop({}, [result("call_1", "a"), result("call_1", "b")])],
    ["tool_choice", "groq", asking({ tool_choice: "required" })],
    // This project puts an answer between a result and what the user says next.
    ["messages[3].role", "mistral", loop({ tool_calls: [called("abcDEF123")] }, [result("abcDEF123"), hi])],
  ])("%s at %s in %j", (path, server, body) =>
    expect(replayed(server, body)).toMatchObject({ kind: "different", difference: { path } }),
  )

  test("a call of a tool that is not declared is illegal, not the same", () => {
    const tool_choice = { type: "function", function: { name: "other" } }
    expect(replayed("openai", asking({ tools: [tool()], tool_choice }))).toMatchObject({
      kind: "illegal",
      faults: [{ rule: "tool-choice" }],
    })
  })

  const two = [called("call_1"), called("call_2")]
  const answers = (first: string, second: string) => [result("call_1", first), result("call_2", second)]
  const spoken = (...list: readonly unknown[]) => asking({ messages: list })
  const format = (json_schema: Body) => asking({ response_format: { type: "json_schema", json_schema } })

  test.each<readonly [what: string, one: Body, other: Body]>([
    [
      "arguments",
      loop({ tool_calls: [called("call_1", '{"a":1}')] }),
      loop({ tool_calls: [called("call_1", '{"a":"1"}')] }),
    ],
    [
      "whose result is whose",
      loop({ tool_calls: two }, answers("a", "b")),
      loop({ tool_calls: two }, answers("b", "a")),
    ],
    ["words beside calls", loop({ content: "a" }), loop({ content: null })],
    ["reasoning", loop({ reasoning_content: "a" }), loop({ reasoning_content: "b" })],
    ["reasoning or none", loop({ reasoning: "a" }), loop({})],
    ["the field of reasoning", loop({ reasoning: "a" }), loop({ reasoning_content: "a" })],
    ["a strict tool", asking({ tools: [tool({ strict: true })] }), asking({ tools: [tool()] })],
    ["a description", asking({ tools: [tool()] }), asking({ tools: [tool({ description: "" })] })],
    [
      "a schema",
      asking({ tools: [tool()] }),
      asking({ tools: [tool({ parameters: { ...schema, required: [] } })] }),
    ],
    [
      "the order of tools",
      asking({ tools: [tool(), tool({}, "b")] }),
      asking({ tools: [tool({}, "b"), tool()] }),
    ],
    ["no call or any", asking({ tools: [tool()], tool_choice: "none" }), asking({ tools: [tool()] })],
    [
      "a call or any",
      asking({ tools: [tool()], tool_choice: "required" }),
      asking({ tools: [tool()], tool_choice: "auto" }),
    ],
    ["calls at once", asking({ tools: [tool()], parallel_tool_calls: false }), asking({ tools: [tool()] })],
    ["who speaks", spoken(said("system", "a"), hi), spoken(said("user", "a"), hi)],
    ["when an instruction is given", spoken(said("system", "a"), hi), spoken(hi, said("system", "a"))],
    [
      "one message or two",
      spoken(said("user", [words("a"), words("b")])),
      spoken(said("user", "a"), said("user", "b")),
    ],
    [
      "the order of texts",
      spoken(said("user", [words("a"), words("b")])),
      spoken(said("user", [words("b"), words("a")])),
    ],
    [
      "the detail of an image",
      spoken(said("user", [image({ detail: "high" })])),
      spoken(said("user", [image()])),
    ],
    ["an image or none", spoken(said("user", [image(), words("a")])), spoken(said("user", "a"))],
    [
      "a refusal",
      spoken(hi, said("assistant", "a", { refusal: "No" }), hi),
      spoken(hi, said("assistant", "a"), hi),
    ],
    ["the schema of the answer", format({ name: "a", schema }), format({ name: "a", schema: {} })],
    ["a strict answer", format({ name: "a", schema, strict: true }), format({ name: "a", schema })],
    ["JSON", asking({ response_format: { type: "json_object" } }), asking()],
    ["the end", asking({ stop: "a" }), asking({ stop: ["a", "b"] })],
    ["the output limit", asking({ max_tokens: 1 }), asking({ max_tokens: 2 })],
    ["the temperature", asking({ temperature: 0 }), asking()],
    ["several answers", asking({ n: 2 }), asking()],
    ["a seed", asking({ seed: 1 }), asking({ seed: 2 })],
    ["the count of usage", asking({ stream_options: { include_usage: true } }), asking()],
  ])("two bodies that differ in %s", (_, one, other) =>
    expect(
      findDifference(requestMeaning("openai-chat", one, one), requestMeaning("openai-chat", other, one)),
    ).not.toBeNull(),
  )
})
