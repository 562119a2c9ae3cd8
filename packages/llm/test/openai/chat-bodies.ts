/** Chat bodies as other clients write them: what each says beside one question. */
import { openaiChat } from "../../src/openai-chat/index.ts"
import { type RequestReplay, replayRequest } from "../../src/recording/replay.ts"

export type Body = Readonly<Record<string, unknown>>

/** Where each server is asked; those at home are known by the name of their host. */
export const urls: Readonly<Record<string, string>> = {
  openai: "https://api.openai.com/v1/chat/completions",
  deepseek: "https://api.deepseek.com/chat/completions",
  groq: "https://api.groq.com/openai/v1/chat/completions",
  openrouter: "https://openrouter.ai/api/v1/chat/completions",
  together: "https://api.together.xyz/v1/chat/completions",
  fireworks: "https://api.fireworks.ai/inference/v1/chat/completions",
  mistral: "https://api.mistral.ai/v1/chat/completions",
  xai: "https://api.x.ai/v1/chat/completions",
  ollama: "http://ollama.local:11434/v1/chat/completions",
  lmstudio: "http://lmstudio.local:1234/v1/chat/completions",
  vllm: "http://vllm.local:8000/v1/chat/completions",
  generic: "http://127.0.0.1:8080/v1/chat/completions",
}

export const replayed = (server: string, body: Body): RequestReplay =>
  replayRequest(openaiChat, {
    request: { method: "POST", url: urls[server] as string, headers: {}, body: JSON.stringify(body) },
    response: { status: 200, headers: {}, body: "" },
  })

export const hi = { role: "user", content: "Hi" }
export const said = (role: string, content: unknown, more: Body = {}) => ({ role, content, ...more })

export const asking = (more: Body = {}): Body => ({ model: "m", stream: true, messages: [hi], ...more })

export const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
}

export const tool = (more: Body = {}, name = "weather") => ({
  type: "function",
  function: { name, description: "Tells the weather.", parameters: schema, ...more },
})

export const called = (id: string, args = '{"city":"Paris"}', more: Body = {}) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: args },
  ...more,
})

export const result = (id: string, content: unknown = "Sunny", more: Body = {}) => ({
  role: "tool",
  tool_call_id: id,
  content,
  ...more,
})

/** A question whose answer called once, with its result. */
export const loop = (answer: Body, results: readonly Body[] = [result("call_1")], more: Body = {}): Body =>
  asking({
    tools: [tool()],
    messages: [hi, { role: "assistant", tool_calls: [called("call_1")], ...answer }, ...results],
    ...more,
  })

export const picture =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
export const image = (more: Body = {}) => ({ type: "image_url", image_url: { url: picture, ...more } })
export const words = (text: string, more: Body = {}) => ({ type: "text", text, ...more })
