/** A body that anybody wrote, judged as the provider of its wire would judge it. */
import { describe, expect, test } from "vitest"
import { judgeBody } from "../src/index.ts"

const urls: Readonly<Record<string, string>> = {
  "anthropic-messages": "https://api.anthropic.com/v1/messages",
  "openai-responses": "https://api.openai.com/v1/responses",
  "openai-chat": "https://api.openai.com/v1/chat/completions",
  gemini:
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
  "bedrock-converse":
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-v1%3A0/converse-stream",
}

const judge = (wire: string, body: unknown, url = urls[wire] ?? "https://host.example/") =>
  judgeBody(wire, url, JSON.stringify(body))?.map(({ message }) => message)

const hi = { role: "user", content: "Hi" }
const ask = { model: "claude-x", max_tokens: 4_000, messages: [hi] }
const thought = { type: "thinking", thinking: "hm", signature: "of somebody" }

describe("[LL3] a body that its provider takes has no fault", () => {
  test.each<readonly [wire: string, body: unknown]>([
    ["anthropic-messages", ask],
    ["anthropic-messages", { ...ask, thinking: { type: "enabled", budget_tokens: 2_000 } }],
    [
      "anthropic-messages",
      {
        ...ask,
        messages: [hi, { role: "assistant", content: [thought, { type: "text", text: "Hello" }] }, hi],
      },
    ],
    ["openai-responses", { model: "gpt-x", input: "Hi", temperature: 0 }],
    ["openai-responses", { model: "gpt-x", input: "Hi", reasoning: { effort: "low" } }],
    ["anthropic-messages", { ...ask, context_management: { edits: [] } }],
    [
      "openai-responses",
      {
        model: "gpt-x",
        input: [hi, { type: "reasoning", id: "rs_1", summary: [] }, { role: "assistant", content: "a" }],
      },
    ],
    ["openai-chat", { model: "gpt-x", messages: [hi] }],
    ["gemini", { contents: [{ role: "user", parts: [{ text: "Hi" }] }] }],
    ["bedrock-converse", { messages: [{ role: "user", content: [{ text: "Hi" }] }] }],
  ])("%s %j", (wire, body) => expect(judge(wire, body)).toEqual([]))

  test("of a model that is named by its ARN", () => {
    const arn = encodeURIComponent("arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-x")
    const url = `https://bedrock-runtime.us-east-1.amazonaws.com/model/${arn}/converse`
    const messages = [{ role: "user", content: [{ text: "Hi" }] }]
    expect(judge("bedrock-converse", { messages }, url)).toEqual([])
  })

  test("with what only its own server takes", () => {
    const body = { model: "m", messages: [hi], thinking: { type: "enabled" } }
    expect(judge("openai-chat", body)).toHaveLength(1)
    expect(judge("openai-chat", body, "https://api.deepseek.com/chat/completions")).toEqual([])
  })
})

describe("[LL3] a body that its provider refuses has the fault that it would name", () => {
  test.each<readonly [wire: string, fault: string, body: unknown]>([
    ["anthropic-messages", "messages.0.role", { ...ask, messages: [{ role: "narrator", content: "Hi" }] }],
    ["anthropic-messages", "max_tokens", { model: "m", messages: [hi] }],
    ["openai-responses", "input", { model: "gpt-x" }],
    [
      "openai-chat",
      "tool",
      { model: "m", messages: [hi, { role: "tool", tool_call_id: "a", content: "x" }] },
    ],
    ["gemini", "role", { contents: [{ role: "narrator", parts: [{ text: "Hi" }] }] }],
    [
      "bedrock-converse",
      "start with a user",
      { messages: [{ role: "assistant", content: [{ text: "Hi" }] }] },
    ],
  ])("%s %s", (wire, fault, body) => expect(judge(wire, body)).toEqual([expect.stringContaining(fault)]))
})

test("what is no object, or of a wire that nobody simulates, is not judged", () => {
  expect([judge("anthropic-messages", []), judge("morse", {}), judge("ai-sdk", ask)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(judgeBody("anthropic-messages", "https://host.example/", "{")).toBe(null)
})
