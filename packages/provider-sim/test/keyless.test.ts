/** Callers without a key: let in by a provider that names no keys, refused by one that does. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../src/index.ts"

const messages = [{ role: "user", content: "Hello" }]

/** What each provider answers to somebody without a key: recorded or documented where the rules stand. */
const wires: readonly (readonly [string, string, object, number])[] = [
  ["anthropic-messages", "/v1/messages", { model: "m", max_tokens: 100, messages }, 401],
  ["openai-responses", "/v1/responses", { model: "m", input: "Hello" }, 401],
  ["openai-chat", "/v1/chat/completions", { model: "m", messages }, 401],
  [
    "gemini",
    "/v1beta/models/m:generateContent",
    { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
    403,
  ],
  [
    "bedrock-converse",
    "/model/m/converse",
    { messages: [{ role: "user", content: [{ text: "Hello" }] }] },
    403,
  ],
]

test.each(wires)("%s lets a caller without a key in, unless keys are named", (_, path, body, refused) => {
  const models = { m: scripted(() => textReply("Hi.")) }
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" }
  const request = { method: "POST", path, headers, body: new TextEncoder().encode(JSON.stringify(body)) }
  expect(createProviderSim({ models }).respond(request, 0).status).toBe(200)
  expect(createProviderSim({ models, apiKeys: ["key"] }).respond(request, 0).status).toBe(refused)
})
