/** Messages bodies as other clients write them, and their replay. */
import { anthropicMessages } from "../../src/anthropic-messages/index.ts"
import { replayRequest } from "../../src/recording/replay.ts"
import { base64Of, pixel } from "../any-wire/images.ts"

const url = "https://api.anthropic.com/v1/messages"
export const replay = (body: unknown) =>
  replayRequest(anthropicMessages, {
    request: { method: "POST", url, headers: {}, body: JSON.stringify(body) },
    response: { status: 200, headers: {}, body: "" },
  })

export const input_schema = {
  type: "object",
  properties: { path: { type: "string" } },
  additionalProperties: false,
}
export const read = { name: "read", description: "Reads a file.", input_schema }
export const base = { model: "claude-test", max_tokens: 4_096, stream: true, tools: [read] }
export const said = (text: string) => ({ type: "text", text })
export const user = (...content: readonly unknown[]) => ({ role: "user", content })
export const model = (...content: readonly unknown[]) => ({ role: "assistant", content })
export const use = (id: string, more = {}) => ({
  type: "tool_use",
  id,
  name: "read",
  input: { path: id },
  ...more,
})
export const result = (id: string, content?: unknown, more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  ...(content === undefined ? {} : { content }),
  ...more,
})
export const image = (media = pixel) => ({
  type: "image",
  source: { type: "base64", media_type: media.mediaType, data: base64Of(media) },
})
export const marked = <A extends object>(block: A, ttl?: string) => ({
  ...block,
  cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) },
})
export const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" }
export const sealed = { type: "redacted_thinking", data: "c2VhbGVk" }
export const ask = user(said("Hi"))
export const loop = (...results: readonly unknown[]) => ({
  ...base,
  messages: [ask, model(use("a"), use("b")), user(...results)],
})
export const only = (...content: readonly unknown[]) => ({
  ...base,
  messages: [ask, model(use("a")), user(...content)],
})
export const asked = (more: object) => ({ ...base, messages: [ask], ...more })
export const citation = {
  type: "web_search_result_location",
  url: "https://a.example",
  title: "A",
  encrypted_index: "aW5kZXg=",
  cited_text: "It rains.",
}
export const search = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "rain" } },
  { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
]
