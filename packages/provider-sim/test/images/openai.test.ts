/** Images on the wires of OpenAI: each rule with its legal neighbour and the literal refusal. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import type { ChatDialect } from "../../src/index.ts"
import { errorOf, postTo } from "../openai/requests.ts"
import type { RuleRow } from "../openai/requests.ts"
import { dataUrl, gif, jpeg, png, webp } from "../pictures.ts"
import { textOf } from "../requests.ts"

const sim = (dialect: ChatDialect = "openai") => {
  const say = () => textReply("Hi.")
  return createProviderSim({
    dialect,
    models: { plain: scripted(say), blind: scripted(say, { images: false }) },
  })
}

const good = dataUrl(png(8, 8))
const notImage = dataUrl(Buffer.from("<html></html>"))
const times = <T>(count: number, part: T) => Array.from({ length: count }, () => part)

const input = (url: string, more: object = {}) => ({ type: "input_image", image_url: url, ...more })
const asked = (...content: readonly object[]) => ({ model: "plain", input: [{ role: "user", content }] })
const output = (...parts: readonly object[]) => ({
  model: "plain",
  input: [
    { role: "user", content: "x" },
    { type: "function_call", call_id: "c", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: parts },
  ],
})

const empty = (path: string) =>
  `Invalid '${path}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got empty base64-encoded bytes.`
const broken =
  "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp']."

const responsesRules: readonly RuleRow[] = [
  [
    "empty data",
    asked(input(good)),
    asked(input("data:image/png;base64,")),
    empty("input[0].content[0].image_url"),
    "input[0].content[0].image_url",
    "invalid_value",
  ],
  [
    "data that are no base64",
    asked(input(good)),
    asked(input("data:image/png;base64,%%%%")),
    "Invalid base64 image_url.",
    null,
    "invalid_base64",
  ],
  [
    "data that are no image",
    asked(input(dataUrl(gif(8, 8), "image/gif")), input(dataUrl(webp(8, 8), "image/webp"))),
    asked(input(notImage)),
    broken,
    "input",
    "invalid_value",
  ],
  [
    "data that are no image in an output",
    output(input(good), input(dataUrl(jpeg(8, 8), "image/jpeg"))),
    output(input(good), input(notImage)),
    broken,
    "input",
    "invalid_value",
  ],
  [
    "an unknown detail",
    asked(input(good, { detail: "low" })),
    asked(input(good, { detail: "most" })),
    "Invalid value: 'most'. Supported values are: 'low', 'high', 'auto', and 'original'.",
    "input[0].content[0].detail",
    "invalid_value",
  ],
  [
    "too many images",
    asked(...times(500, input(good))),
    asked(...times(501, input(good))),
    "Too many images in request. Max is 500.",
    null,
    null,
  ],
  [
    "a model that reads no images",
    { ...asked({ type: "input_text", text: "x" }), model: "blind" },
    { ...output(input(good)), model: "blind" },
    "The requested model 'blind' does not support image inputs.",
    "input",
    null,
  ],
]

const part = (url: string, more: object = {}) => ({ type: "image_url", image_url: { url, ...more } })
const said = (...content: readonly object[]) => ({ model: "plain", messages: [{ role: "user", content }] })
const blind = { ...said({ type: "text", text: "x" }), model: "blind" }
const answered = (content: unknown) => ({
  model: "plain",
  messages: [
    { role: "user", content: "x" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c", content },
  ],
})

const chatRules: readonly RuleRow[] = [
  [
    "empty data",
    said(part(good)),
    said(part("data:image/png;base64,")),
    empty("messages[0].content[0].image_url.url"),
    "messages[0].content[0].image_url.url",
    "invalid_value",
  ],
  [
    "data that are no base64",
    said(part(good)),
    said(part("data:image/png;base64,AAA")),
    "Invalid base64 image_url.",
    null,
    "invalid_base64",
  ],
  [
    "data that are no image",
    said(part(dataUrl(jpeg(8, 8), "image/jpeg"))),
    said(part(notImage)),
    "You uploaded an unsupported image. Please make sure your image is valid.",
    null,
    "image_parse_error",
  ],
  [
    "an image from a tool",
    answered([{ type: "text", text: "x" }]),
    answered([part(good)]),
    "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    "messages[2]",
    "invalid_value",
  ],
  [
    "too many images",
    said(...times(500, part(good, { detail: "low" }))),
    said(...times(501, part(good, { detail: "low" }))),
    "Too many images in request. Max is 500.",
    null,
    null,
  ],
  [
    "a model that reads no images",
    blind,
    { ...said({ type: "text", text: "x" }, part(good)), model: "blind" },
    "Invalid content type. image_url is only supported by certain models.",
    "messages.[0].content.[1].type",
    null,
  ],
]

const dialectRules: readonly (readonly [ChatDialect, RuleRow])[] = [
  [
    "deepseek",
    [
      "any image",
      said({ type: "text", text: "x" }),
      said(part("https://a.b/c.png")),
      "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text` at line 1 column 90",
      null,
      "invalid_request_error",
    ],
  ],
  [
    "groq",
    [
      "an image for a blind model",
      said(part(good)),
      { ...said(part(good)), model: "blind" },
      "message[0].content must be a string",
      null,
      null,
    ],
  ],
  [
    "openrouter",
    [
      "an image for a blind model",
      said(part(good)),
      { ...said(part(good)), model: "blind" },
      "No endpoints found that support image input",
      null,
      "404",
      404,
    ],
  ],
]

function expectRefused(path: string, row: RuleRow, dialect?: ChatDialect): void {
  const [, legal, illegal, message, param, code, status = 400] = row
  const taken = sim(dialect).respond(postTo(path, legal), 0)
  expect(taken.status === 200 ? "" : errorOf(taken).message).toBe("")
  const refused = sim(dialect).respond(postTo(path, illegal), 0)
  expect(refused.status).toBe(status)
  expect(errorOf(refused)).toEqual({ message, type: "invalid_request_error", param, code })
}

const named = (rows: readonly RuleRow[]) => rows.map((row) => [row[0], row] as const)

test.each(named(responsesRules))("Responses refuses %s", (_, row) => expectRefused("/v1/responses", row))
test.each(named(chatRules))("Chat Completions refuses %s", (_, row) =>
  expectRefused("/v1/chat/completions", row),
)
test.each(dialectRules)("Chat Completions as %s refuses images in its own words", (dialect, row) =>
  expectRefused("/v1/chat/completions", row, dialect),
)

const promptTokens = (path: string, body: object) => {
  const { usage } = JSON.parse(textOf(sim().respond(postTo(path, body), 0))) as {
    usage: Record<string, number>
  }
  return usage["input_tokens"] ?? usage["prompt_tokens"] ?? 0
}

test.each([
  ["any, looked at briefly", 2_000, 2_000, "low", 85],
  ["small", 512, 512, "high", 255],
  ["square", 1_024, 1_024, "auto", 765],
  ["too large for the model", 4_096, 8_192, "high", 1_105],
])("counts an image that is %s by its tiles", (_, width, height, detail, tokens) => {
  const url = dataUrl(png(width, height))
  const told = { type: "input_text", text: "x" }
  const [responses, chat] = ["/v1/responses", "/v1/chat/completions"]
  const costs = [
    promptTokens(responses, asked(input(url, { detail }))),
    promptTokens(responses, output(told, input(url, { detail }))) - promptTokens(responses, output(told)),
    promptTokens(chat, said(part(url, { detail }))),
  ]
  // A part has a few tokens around it.
  for (const cost of costs) expect(cost - tokens).toBeOneOf([1, 2, 3, 4])
})
