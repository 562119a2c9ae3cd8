/** Bodies of the Responses API as other clients write them, for replays. */
import { openaiResponses as wire } from "../../src/openai-responses/index.ts"
import { replayRequest } from "../../src/recording/replay.ts"
import { base64Of, pixel } from "../any-wire/images.ts"

export const replay = (body: object) =>
  replayRequest(wire, {
    request: {
      method: "POST",
      url: "https://api.openai.com/v1/responses",
      headers: {},
      body: JSON.stringify(body),
    },
    response: { status: 200, headers: {}, body: "" },
  })

export const asked = { model: "gpt-test", stream: true, max_output_tokens: 100 }
export const hi = { role: "user", content: "Hi" }
export const schema = {
  type: "object",
  properties: { a: { type: "string" } },
  required: ["a"],
  additionalProperties: false,
}
export const loose = {
  type: "object",
  properties: { a: { type: "string" }, b: { type: "number" } },
  required: ["a"],
}
export const tool = {
  type: "function",
  name: "read",
  description: "Reads.",
  parameters: loose,
  strict: false,
}
export const strict = { ...tool, name: "strict", parameters: schema, strict: true }
export const calls = (id: string, more: object = {}) => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: '{"a": "x"}',
  ...more,
})
export const gives = (id: string, output: unknown, more: object = {}) => ({
  type: "function_call_output",
  call_id: id,
  output,
  ...more,
})
export const image = { type: "input_image", image_url: `data:image/png;base64,${base64Of(pixel)}` }
export const said = (content: unknown, more: object = {}) => ({
  type: "message",
  role: "assistant",
  content,
  ...more,
})
export const words = (value: string, more: object = {}) => ({ type: "output_text", text: value, ...more })
export const format = (more: object = {}) => ({
  type: "json_schema",
  name: "answer",
  schema,
  strict: true,
  ...more,
})

export const input = (...items: readonly object[]) => ({ ...asked, input: [hi, ...items] })
export const asking = (...items: readonly object[]) => input(...items, hi)
export const setting = (more: object) => ({ ...asked, input: "Hi", ...more })
export const withTools = (more: object) => setting({ tools: [tool], ...more })
