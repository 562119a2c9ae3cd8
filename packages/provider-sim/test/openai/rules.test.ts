/** Rules of the wires of OpenAI: each with its legal neighbour and the literal refusal. */
import { expect, test } from "vitest"
import { chatRules, deepseekRules } from "./chat.ts"
import { chat, errorOf, expectRule, headers, openaiSim, postTo, responses } from "./requests.ts"
import { inputRules } from "./responses-input.ts"
import { paramRules } from "./responses-params.ts"

const named = <T extends readonly [string, ...unknown[]]>(rows: readonly T[]) =>
  rows.map((row) => [row[0], row] as const)

test.each(named([...inputRules, ...paramRules]))("Responses refuses %s", (_, row) =>
  expectRule("/v1/responses", row),
)

test.each(named(chatRules))("Chat Completions refuses %s", (_, row) =>
  expectRule("/v1/chat/completions", row),
)

test.each(named(deepseekRules))("Chat Completions as DeepSeek refuses %s", (_, row) =>
  expectRule("/v1/chat/completions", row, "deepseek"),
)

test("passes over unknown parameters as a compatible server, at any prefix of the path", () => {
  const sim = openaiSim(undefined, "groq")
  expect(sim.respond(postTo("/openai/v1/chat/completions", chat({ x: 1 })), 0).status).toBe(200)
  expect(sim.log[0]?.wire).toBe("openai-chat")
})

test("says in its own words that a window is full as OpenRouter", () => {
  const long = chat({ model: "small", messages: [{ role: "user", content: "x".repeat(500) }] })
  const response = openaiSim(undefined, "openrouter").respond(postTo("/api/v1/chat/completions", long), 0)
  expect(errorOf(response).message).toMatch(/^This endpoint's maximum context length is 100 tokens\./)
})

test("lets roles, calls and outputs come in any order that pairs them", () => {
  const user = { role: "user", content: "Hello" }
  const said = { role: "assistant", content: "Hi" }
  const call = (id: string) => ({ type: "function_call", call_id: id, name: "read", arguments: "{}" })
  const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "" })
  const input = [said, user, { role: "system", content: "x" }, call("a"), call("b"), user]
  const body = responses({ input: [...input, output("b"), output("a"), said, said] })
  expect(openaiSim().respond(postTo("/v1/responses", body), 0).status).toBe(200)
})

test.each([
  ["no key", { authorization: "" }, 401, null],
  ["another scheme", { authorization: "Basic key" }, 401, null],
  ["another content type", { ...headers, "content-type": "text/plain" }, 400, "unsupported_content_type"],
])("refuses a request with %s", (_, given, status, code) => {
  for (const [path, body] of [
    ["/v1/responses", responses()],
    ["/v1/chat/completions", chat()],
  ] as const) {
    const response = openaiSim().respond(postTo(path, body, { headers: given }), 0)
    expect(response.status).toBe(status)
    expect(errorOf(response)).toMatchObject({ type: "invalid_request_error", code })
  }
})

test("refuses another method and broken JSON", () => {
  const sim = openaiSim()
  const get = sim.respond(postTo("/v1/responses", responses(), { method: "GET" }), 0)
  expect([get.status, errorOf(get).message]).toEqual([404, "Invalid URL (GET /v1/responses)"])
  for (const broken of ["{", "[]", String.raw`{"model":"\ud83d"}`]) {
    const response = sim.respond(postTo("/v1/responses", broken), 0)
    expect(response.status).toBe(400)
    expect(errorOf(response).message).toMatch(/^We could not parse the JSON body of your request\./)
  }
})
