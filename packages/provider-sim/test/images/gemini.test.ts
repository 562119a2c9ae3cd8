/** Images on the Gemini API: each rule with its legal neighbour and the literal refusal. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import { postGemini } from "../clients.ts"
import { base64, gif, jpeg, png, webp } from "../pictures.ts"
import { textOf } from "../requests.ts"

const sim = () => {
  const model = scripted(() => textReply("Hi."))
  return createProviderSim({
    models: {
      plain: model,
      "gemini-2.5-pro": model,
      "gemini-3-pro-preview": model,
      "gemma-3-1b-it": { ...model, images: false },
    },
  })
}

const data = (bytes: Buffer, mimeType = "image/png") => ({ inlineData: { mimeType, data: base64(bytes) } })
const raw = (value: unknown) => ({ inlineData: { mimeType: "image/png", data: value } })
const said = (...parts: readonly object[]) => ({ contents: [{ role: "user", parts }] })
const responded = (...parts: readonly object[]) => ({
  contents: [
    { role: "user", parts: [{ text: "x" }] },
    { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
    { role: "user", parts: [{ functionResponse: { name: "read", response: { output: "x" }, parts } }] },
  ],
})
const small = data(png(8, 8))
const post = (model: string, value: object) =>
  sim().respond(postGemini(`/v1beta/models/${model}:generateContent`, value), 0)

type Row = readonly [
  title: string,
  legal: readonly [model: string, body: object],
  illegal: readonly [model: string, body: object],
  message: string,
]

const broken =
  "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"

const rules: readonly Row[] = [
  [
    "a type without its family",
    ["plain", said(small)],
    ["plain", said(data(png(8, 8), "png"))],
    "Unsupported MIME type: png",
  ],
  [
    "a GIF",
    ["plain", said(data(jpeg(8, 8), "image/jpeg"), data(webp(8, 8), "image/webp"))],
    ["plain", said(data(gif(8, 8), "image/gif"))],
    "Unsupported MIME type: image/gif",
  ],
  [
    "data that are no base64",
    ["plain", said(small)],
    ["plain", said({ text: "x" }, raw("%%%%"))],
    `Invalid value at 'contents[0].parts[1].inline_data.data' (TYPE_BYTES), Base64 decoding failed for "%%%%"`,
  ],
  [
    "data that are no base64 in a response",
    ["plain", responded(small)],
    ["plain", responded(raw("AAA"))],
    `Invalid value at 'contents[2].parts[0].function_response.parts[0].inline_data.data' (TYPE_BYTES), Base64 decoding failed for "AAA"`,
  ],
  ["data that are no image", ["plain", said(small)], ["plain", said(raw("AAAA"))], broken],
  ["no data", ["plain", said(small)], ["plain", said({ inlineData: { mimeType: "image/png" } })], broken],
  [
    "data that are no image in a response",
    ["plain", responded(small)],
    ["plain", responded(raw("AAAA"))],
    broken,
  ],
  [
    "an unknown field beside the data",
    ["plain", said(small)],
    ["plain", said({ inlineData: { ...small.inlineData, x: 1 } })],
    `Invalid JSON payload received. Unknown name "x" at 'contents[0].parts[0].inline_data': Cannot find field.`,
  ],
  [
    "a text among the media of a response",
    ["plain", responded(small)],
    ["plain", responded({ text: "x" })],
    `Invalid JSON payload received. Unknown name "text" at 'contents[2].parts[0].function_response.parts[0]': Cannot find field.`,
  ],
  [
    "an image in a response to an older model",
    ["gemini-3-pro-preview", responded(small)],
    ["gemini-2.5-pro", responded(small)],
    "Unable to submit request because `function_response.parts` is not supported for this model. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling",
  ],
  [
    "a model that reads no images",
    ["gemini-2.5-pro", said(small)],
    ["gemma-3-1b-it", said(small)],
    "Image input modality is not enabled for models/gemma-3-1b-it",
  ],
]

test.each(rules)("refuses %s", (_, legal, illegal, message) => {
  const good = post(...legal)
  expect(good.status === 200 ? "" : textOf(good)).toBe("")
  const bad = post(...illegal)
  expect(bad.status).toBe(400)
  expect(JSON.parse(textOf(bad))).toMatchObject({
    error: { code: 400, message, status: "INVALID_ARGUMENT" },
  })
})

test("takes other media and two types of image that nobody here reads", () => {
  const pdf = { inlineData: { mimeType: "application/pdf", data: "AAAA" } }
  const heic = { inlineData: { mimeType: "image/heic", data: "AAAA" } }
  const file = { fileData: { mimeType: "image/png", fileUri: "files/a" } }
  expect(post("plain", said(pdf, heic, file)).status).toBe(200)
})

test("refuses a request over 20 MB", () => {
  const sized = (bytes: number) => {
    const request = postGemini("/v1beta/models/plain:generateContent", {})
    return textOf(sim().respond({ ...request, body: new Uint8Array(bytes) }, 0))
  }
  const message = "Request payload size exceeds the limit: 20971520 bytes."
  expect(sized(20 * 1024 * 1024)).not.toContain(message)
  expect(sized(20 * 1024 * 1024 + 1)).toContain(message)
})

test.each([
  ["small", 384, 384, 258],
  ["wide", 960, 540, 6 * 258],
  ["large", 3_072, 3_072, 16 * 258],
])("counts an image that is %s by its tiles, and tells so", (_, width, height, tokens) => {
  for (const body of [said({ text: "x" }, data(png(width, height))), responded(data(png(width, height)))]) {
    const { usageMetadata: usage } = JSON.parse(textOf(post("plain", body))) as {
      usageMetadata: {
        promptTokenCount: number
        promptTokensDetails: { modality: string; tokenCount: number }[]
      }
    }
    const [words, images] = usage.promptTokensDetails
    expect(images).toEqual({ modality: "IMAGE", tokenCount: tokens })
    expect(usage.promptTokenCount).toBe((words?.tokenCount ?? 0) + tokens)
    expect(words?.tokenCount).toBeGreaterThan(0)
  }
})
