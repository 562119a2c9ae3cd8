/** Blocks, messages and bodies from which the tables of this folder are built. */
import { expect } from "vitest"
import { signThinking } from "../../src/signature.ts"
import { body, errorOf, post, readTool, strictSim } from "../requests.ts"

export const user = (content: unknown) => ({ role: "user", content })
export const assistant = (content: unknown) => ({ role: "assistant", content })
export const system = (content: unknown) => ({ role: "system", content })
export const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more })
export const call = (id: string, more: object = {}) => ({
  type: "tool_use",
  id,
  name: "read",
  input: {},
  ...more,
})
export const result = (id: string, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "x",
  ...more,
})
/** A tool that the provider ran, and what it found. */
export const searched = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "weather" },
}
export const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }
export const thought = (model: string, value: string) => ({
  type: "thinking",
  thinking: value,
  signature: signThinking(model, value),
})
export const marked = { cache_control: { type: "ephemeral" } }
export const markedLong = { cache_control: { type: "ephemeral", ttl: "1h" } }
export const chat = (...messages: object[]) => body({ messages })
export const tooled = (...messages: object[]) => body({ messages, tools: [readTool] })
export const thinking = (...messages: object[]) =>
  body({
    model: "thinker",
    messages,
    tools: [readTool],
    max_tokens: 2_000,
    thinking: { type: "enabled", budget_tokens: 1_024 },
  })

/** A title, a body, and the literal message it is refused with. */
export type RefusedRow = readonly [title: string, body: unknown, message: string]

/** Sends a body and expects the whole error, word for word. */
export function expectRefused(value: unknown, message: string): void {
  const response = strictSim().respond(post(value), 0)
  expect(response.status).toBe(400)
  expect(errorOf(response)).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: "req_000001",
  })
}
