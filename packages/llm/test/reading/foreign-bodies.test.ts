/** Bodies of other clients: what comes back as it was read, and what is named because it has no word. */
import { describe, expect, test } from "vitest"
import { FieldReader } from "../../src/reading/field-reader.ts"
import { readBack } from "../../src/recording/replay.ts"
import { replayRequest } from "../../src/recording/replay.ts"
import { wireOfUrl } from "../../src/recording/wire-of-url.ts"
import type { Wire } from "../../src/wire.ts"
import { base64Of, pixel } from "../any-wire/images.ts"

type Body = Readonly<Record<string, unknown>>

const urls: Readonly<Record<string, string>> = {
  anthropic: "https://api.anthropic.com/v1/messages",
  responses: "https://api.openai.com/v1/responses",
  openai: "https://api.openai.com/v1/chat/completions",
  openrouter: "https://openrouter.ai/api/v1/chat/completions",
  gemini:
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
  bedrock: "https://bedrock-runtime.us-east-1.amazonaws.com/model/meta.llama3-3-70b/converse-stream",
}

const wireAt = (place: string) => wireOfUrl(urls[place] as string)?.wire as Wire
const replayed = (place: string, body: Body) =>
  replayRequest(wireAt(place), {
    request: { method: "POST", url: urls[place] as string, headers: {}, body: JSON.stringify(body) },
    response: { status: 200, headers: {}, body: "" },
  })

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const hi = { role: "user", content: "Hi" }
const ask = { model: "m", max_tokens: 10, messages: [hi] }
const use = { type: "tool_use", id: "toolu_1", name: "weather", input: {} }
const result = { type: "tool_result", tool_use_id: "toolu_1" }
const weather = { name: "weather", input_schema: schema }
const loop = (given: object, ...more: readonly object[]) => ({
  ...ask,
  tools: [weather],
  messages: [hi, { role: "assistant", content: [use, ...more] }, { role: "user", content: [given] }],
})
const called = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }
const given = { role: "tool", tool_call_id: "call_1", content: "x" }
const chat = (...messages: readonly object[]) => ({ model: "m", messages })
const image = { type: "image_url", image_url: { url: `data:image/png;base64,${base64Of(pixel)}` } }
const words = (text: string) => ({ type: "text", text })
const system = { role: "system", content: "Be brief." }
const point = { cachePoint: { type: "default" } }
const contents = [{ role: "user", parts: [{ text: "Hi" }] }]

describe("[LL1] a request of another client is the same when it is read, encoded and read again", () => {
  test.each<readonly [what: string, place: string, body: Body]>([
    ["texts in shorthand", "anthropic", { ...ask, system: "Be brief." }],
    ["three prompts", "anthropic", { ...ask, system: [words("a"), words("b"), words("c")] }],
    [
      "two answers in a row",
      "anthropic",
      {
        ...ask,
        messages: [hi, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }, hi],
      },
    ],
    ["an answer first", "anthropic", { ...ask, messages: [{ role: "assistant", content: "Hello" }, hi] }],
    ["a result of texts", "anthropic", loop({ ...result, content: [words("a"), words("b")] })],
    ["a result that says nothing", "anthropic", loop(result)],
    ["a tool of the type custom", "anthropic", { ...ask, tools: [{ ...weather, type: "custom" }] }],
    ["a field that passes", "anthropic", { ...ask, metadata: { user_id: "u" }, top_k: 3 }],
    ["an effort beside a budget", "anthropic", { ...ask, max_tokens: 4_000, ...thinks("low") }],
    ["content in parts", "openai", chat({ role: "user", content: [words("a"), words("b")] })],
    ["an image behind words", "openai", chat({ role: "user", content: [words("a"), image] })],
    ["the older limit", "openai", { ...chat(hi), max_tokens: 20 }],
    ["an instruction in time", "openai", chat(hi, { role: "assistant", content: "a" }, system, hi)],
    ["null beside calls", "openai", loopOf({ content: null, refusal: null, annotations: [] })],
    [
      "no arguments",
      "openai",
      loopOf({ tool_calls: [{ ...called, function: { name: "weather", arguments: "" } }] }),
    ],
    ["details of reasoning", "openrouter", loopOf({ reasoning: "hm", reasoning_details: [{ type: "x" }] })],
    ["a schema with its address", "openai", { ...chat(hi), tools: [declared({ $schema: "x", ...schema })] }],
    ["a text for the input", "responses", { model: "m", instructions: "Be brief.", input: "Hi" }],
    [
      "items without their types",
      "responses",
      {
        model: "m",
        input: [hi, { role: "assistant", content: "a" }, hi],
        reasoning: { effort: "low", x: 1 },
      },
    ],
    ["a first message without a role", "gemini", { contents: [{ parts: [{ text: "Hi" }] }] }],
    ["a hosted tool", "gemini", { contents, tools: [{ googleSearch: {} }] }],
    ["cache points", "bedrock", { messages: [{ role: "user", content: [{ text: "Hi" }, point] }] }],
  ])("%s (%s)", (_, place, body) => expect(replayed(place, body)).toEqual({ kind: "same" }))
})

describe("[LL1] what a body says and no canonical request can is named by its place", () => {
  test.each<readonly [unread: string, place: string, body: Body]>([
    ["stream", "anthropic", { ...ask, stream: false }],
    ["messages[0]: role narrator", "anthropic", { ...ask, messages: [{ role: "narrator", content: "a" }] }],
    [
      "messages[1].content[0]: call without a result",
      "anthropic",
      { ...loop(result), messages: loop(result).messages.slice(0, 2) },
    ],
    [
      "messages[1].content[0]: result of toolu_1",
      "anthropic",
      { ...ask, messages: [hi, { role: "user", content: [result] }] },
    ],
    ["messages[1].content[1]: compaction", "anthropic", loop(result, { type: "compaction" })],
    ["messages[1].content[1].more", "anthropic", loop(result, { type: "text", text: "a", more: 1 })],
    [
      "messages[2].content[0].content[0]: document",
      "anthropic",
      loop({ ...result, content: [{ type: "document" }] }),
    ],
    ["tools[0].defer_loading", "anthropic", { ...ask, tools: [{ ...weather, defer_loading: true }] }],
    ["thinking: thinking that no option says", "anthropic", { ...ask, thinking: { type: "between_tools" } }],
    ["messages[0].name", "openai", chat({ ...hi, name: "Ada" })],
    [
      "messages[0].content[2]: image behind a text",
      "openai",
      chat({ role: "user", content: [image, words("a"), image] }),
    ],
    [
      "messages[1].tool_calls[0].function: arguments that are no object",
      "openai",
      loopOf({ tool_calls: [{ ...called, function: { name: "weather", arguments: "[" } }] }),
    ],
    ["n", "openai", { ...chat(hi), n: 2 }],
    ["max_completion_tokens", "openai", { ...chat(hi), max_tokens: 1, max_completion_tokens: 2 }],
    [
      "stream_options.include_obfuscation",
      "openai",
      { ...chat(hi), stream_options: { include_obfuscation: true } },
    ],
    [
      "tool_choice",
      "openai",
      { ...chat(hi), tools: [declared(schema)], tool_choice: { type: "allowed_tools" } },
    ],
    ["user_token", "openai", { ...chat(hi), user_token: "secret" }],
    ["previous_response_id", "responses", { model: "m", input: "Hi", previous_response_id: "r" }],
    ["input[0]: item_reference", "responses", { model: "m", input: [{ type: "item_reference", id: "i" }] }],
    [
      "tools[0]: strict is not said",
      "responses",
      { model: "m", input: "Hi", tools: [{ type: "function", name: "a" }] },
    ],
    ["cachedContent", "gemini", { contents, cachedContent: "c" }],
    ["contents[0].parts[0]: fileData", "gemini", { contents: [{ parts: [{ fileData: {} }] }] }],
    ["toolConfig", "gemini", { contents, toolConfig: { functionCallingConfig: { mode: "ANY" } } }],
    ["messages[0].content[0]: video", "bedrock", { messages: [{ role: "user", content: [{ video: {} }] }] }],
    [
      "messages[2].content[0].toolResult.status",
      "bedrock",
      {
        toolConfig: { tools: [{ toolSpec: { name: "weather", inputSchema: { json: schema } } }] },
        messages: [
          { role: "user", content: [{ text: "Hi" }] },
          { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "weather", input: {} } }] },
          {
            role: "user",
            content: [{ toolResult: { toolUseId: "t1", content: [{ text: "x" }], status: "error" } }],
          },
        ],
      },
    ],
    ["system[0].guardContent", "bedrock", { messages: [], system: [{ guardContent: {} }] }],
  ])("%s (%s)", (unread, place, body) => {
    const replay = replayed(place, body)
    expect(replay.kind === "unread" ? replay.places : replay).toEqual([unread])
  })

  test("what is no body of the wire is not read", () => {
    for (const body of ["", "[]", "{}"])
      expect(readBack(wireAt("anthropic"), urls["anthropic"] ?? "", body)).toBeNull()
  })
})

test("[LL1] a reader names what was not taken, at any depth, and nothing that says nothing", () => {
  const top = new FieldReader({ a: 1, b: { c: [{ d: 1, e: null }] }, f: [], cache_control: {}, g: "x" })
  expect(top.take("a")).toBe(1)
  const [inside] = top.object("b").list("c")
  expect(top.unread()).toEqual(["g", "b.c[0].d"])
  inside?.strange("odd")
  expect([top.text("g"), top.text("a"), top.unread()]).toEqual(["x", "", ["b.c[0]: odd"]])
})

function thinks(effort: string) {
  return { thinking: { type: "enabled", budget_tokens: 2_000 }, output_config: { effort } }
}

function loopOf(more: object): Body {
  return {
    ...chat(hi, { role: "assistant", tool_calls: [called], ...more }, given),
    tools: [declared(schema)],
  }
}

function declared(parameters: object) {
  return { type: "function", function: { name: "weather", parameters } }
}
