/** Asides: lists of models, counts of tokens, and errors in the words of whoever was asked. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../src/index.ts"
import type { SimRequest } from "../src/index.ts"
import { clients, postGemini } from "./clients.ts"
import { postTo } from "./openai/requests.ts"
import { body, headers, post, textOf } from "./requests.ts"

const limit = { context: 1_000, output: 100 }
const sim = () => {
  const model = scripted(() => textReply("Hi."), { limit })
  return createProviderSim({ models: { one: model, two: model }, apiKeys: ["key"] })
}
const get = (path: string, more: Readonly<Record<string, string>>): SimRequest => ({
  method: "GET",
  path,
  headers: more,
  body: new Uint8Array(),
})
const bearer = { authorization: "Bearer key" }
const google = { "x-goog-api-key": "key" }

test.each([
  [
    "Anthropic",
    "/v1/models",
    headers,
    {
      data: [{ type: "model", id: "one", max_input_tokens: 1_000 }, { id: "two" }],
      has_more: false,
      last_id: "two",
    },
    { type: "model", id: "two", max_tokens: 100 },
  ],
  [
    "OpenAI",
    "/v1/models",
    bearer,
    { object: "list", data: [{ id: "one", object: "model" }, { id: "two" }] },
    { id: "two", object: "model" },
  ],
  [
    "a compatible server",
    "/api/v1/models",
    bearer,
    { object: "list", data: [{ id: "one" }, { id: "two" }] },
    { id: "two" },
  ],
  [
    "Gemini",
    "/v1beta/models",
    google,
    { models: [{ name: "models/one", inputTokenLimit: 1_000 }, { name: "models/two" }] },
    { name: "models/two", outputTokenLimit: 100 },
  ],
])("%s lists its models and tells of one", (_, path, key, all, one) => {
  const told = (place: string, given: Readonly<Record<string, string>> = key) => {
    const response = sim().respond(get(place, given), 0)
    return [response.status, JSON.parse(textOf(response)) as unknown]
  }
  expect(told(path)).toMatchObject([200, all])
  expect(told(`${path}/two`)).toMatchObject([200, one])
  expect([400, 404]).toContain(told(`${path}/three`)[0])
  const wrong = Object.fromEntries(
    Object.entries(key).map(([name, value]) => [name, value.replace("key", "no")]),
  )
  expect([400, 401, 403]).toContain(told(path, wrong)[0])
})

const asked = "How many tokens are these?"
const contents = [{ role: "user", parts: [{ text: asked }] }]
const converse = { messages: [{ role: "user", content: [{ text: asked }] }] }
const counted = body({ model: "one", max_tokens: undefined, messages: [{ role: "user", content: asked }] })

test.each([
  ["Anthropic", post(counted, { path: "/v1/messages/count_tokens" }), "input_tokens"],
  ["Responses", postTo("/v1/responses/input_tokens", { model: "one", input: asked }), "input_tokens"],
  ["Gemini", postGemini("/v1beta/models/one:countTokens", { contents }), "totalTokens"],
  [
    "Gemini, a whole request",
    postGemini("/v1beta/models/one:countTokens", {
      generateContentRequest: { model: "models/one", contents },
    }),
    "totalTokens",
  ],
  ["Bedrock", postTo("/model/one/count-tokens", { input: { converse } }), "inputTokens"],
] as const)("%s counts the tokens of a request", (_, request, field) => {
  const response = sim().respond(request, 0)
  const count = (JSON.parse(textOf(response)) as Readonly<Record<string, number>>)[field]
  expect(response.status).toBe(200)
  expect(count).toBeGreaterThan(7)
  const long = JSON.parse(Buffer.from(request.body).toString().replace(asked, asked.repeat(1_000))) as object
  const more = sim().respond({ ...request, body: Buffer.from(JSON.stringify(long)) }, 0)
  expect((JSON.parse(textOf(more)) as Readonly<Record<string, number>>)[field]).toBeGreaterThan(6_000)
})

test.each([
  [
    "/v1/messages/batches",
    headers,
    "anthropic-messages",
    { type: "error", error: { type: "not_found_error" } },
  ],
  ["/v1/responses/resp_1/cancel", bearer, "openai-responses", { error: { type: "invalid_request_error" } }],
  ["/v1/embeddings", bearer, "openai-chat", { error: { message: "Invalid URL (POST /v1/embeddings)" } }],
  ["/v1beta/models/one:embedContent", google, "gemini", { error: { code: 404, status: "NOT_FOUND" } }],
  ["/model/one/invoke-model", bearer, "bedrock-converse", { message: "UnknownOperationException" }],
  ["/nowhere", {}, "anthropic-messages", { type: "error", error: { type: "not_found_error" } }],
] as const)("%s is unknown in the words of its wire", (path, key, wire, error) => {
  const provider = sim()
  const response = provider.respond({ ...postTo(path, {}), headers: key }, 0)
  expect(response.status).toBe(404)
  expect(provider.log[0]?.wire).toBe(wire)
  expect(JSON.parse(textOf(response))).toMatchObject(error)
})

test.each(clients)(
  "$wire: a model that breaks is an error of its provider, and the log has the cause",
  (client) => {
    const fail = () => {
      throw new Error("no such reply")
    }
    const broken = scripted(fail, { thinking: true })
    const provider = createProviderSim({ models: { agent: broken } })
    const schema = { type: "object", properties: { path: { type: "string" } } }
    const { request } = client.begin("Hello.", { name: "read", description: "Read", schema })
    const response = provider.respond(request, 0)
    expect(response.status).toBe(500)
    expect(textOf(response)).toContain("The simulated provider broke: no such reply")
    expect(provider.log[0]?.defect).toMatch(/^Error: no such reply\n +at /)
    expect(provider.respond(request, 1).status).toBe(500)
  },
)

test("Bedrock knows a model by its ARN, escaped or not", () => {
  const arn = "arn:aws:bedrock:eu-west-1::foundation-model/one"
  for (const id of [arn, encodeURIComponent(arn)]) {
    const response = sim().respond(postTo(`/model/${id}/converse`, converse), 0)
    expect(response.status).toBe(200)
  }
})
