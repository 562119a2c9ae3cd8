/** Bodies of the Gemini wire as other clients write them, and their replay. */
import { gemini } from "../../src/gemini/index.ts"
import { replayRequest, type RequestReplay } from "../../src/recording/replay.ts"

export const host = "https://generativelanguage.googleapis.com"
export const addressOf = (model: string) => `${host}/v1beta/models/${model}:streamGenerateContent?alt=sse`
export const older = addressOf("gemini-2.5-flash")
export const newer = addressOf("gemini-3-flash-preview")

export const exchange = (body: unknown, url = older) => ({
  request: { method: "POST", url, headers: {}, body: typeof body === "string" ? body : JSON.stringify(body) },
  response: { status: 200, headers: { "content-type": "text/event-stream" }, body: "" },
})
export const replay = (body: unknown, url = older): RequestReplay =>
  replayRequest(gemini, exchange(body, url))

export const hi = [{ role: "user", parts: [{ text: "Hi" }] }]
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
export const image = { inlineData: { mimeType: "image/png", data: png } }
export const weather = {
  name: "get_weather",
  description: "Weather of a city.",
  parameters: { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] },
}
export const time = { name: "get_time", description: "The time." }
export const functions = (...declared: readonly object[]) => [{ functionDeclarations: declared }]
export const called = (name: string, more: object = {}) => ({
  functionCall: { name, args: { city: "Paris" }, ...more },
})
export const gave = (name: string, response: unknown, more: object = {}) => ({
  functionResponse: { name, response, ...more },
})

/** One call and what it gave. */
export const loop = (response: unknown, more: object = {}, role: object = { role: "user" }) => ({
  contents: [
    ...hi,
    { role: "model", parts: [called("get_weather")] },
    { ...role, parts: [gave("get_weather", response, more)] },
  ],
  tools: functions(weather),
})

/** Two calls of an answer, then their responses. */
export const parallel = (calls: readonly object[], responses: readonly object[]) => ({
  contents: [...hi, { role: "model", parts: calls }, { role: "user", parts: responses }],
  tools: functions(weather, time),
})
export const withTool = (schema: object, key = "parameters") => ({
  contents: hi,
  tools: functions({ name: "f", description: "F.", [key]: schema }),
})
export const withConfig = (generationConfig: object) => ({ contents: hi, generationConfig })
export const choosing = (functionCallingConfig: object, ...declared: readonly object[]) => ({
  contents: hi,
  tools: functions(...declared),
  toolConfig: { functionCallingConfig },
})
export const jsonSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: {
    city: { type: ["string", "null"], format: "uri" },
    kind: { const: "a" },
    at: { $ref: "#/$defs/at" },
  },
  required: ["city"],
  additionalProperties: false,
  $defs: { at: { type: "object", properties: { x: { type: "number" } } } },
}
