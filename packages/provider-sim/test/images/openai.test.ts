/** Images on the wires of OpenAI: each rule with its legal neighbour and the literal refusal. */
import { expect, test } from "vitest"
import type { ChatDialect } from "../../src/index.ts"
import { expectRule, openaiSim, postTo } from "../openai/requests.ts"
import type { OpenAiPath, RuleRow } from "../openai/requests.ts"
import { base64, dataUrl, gif, jpeg, png, times, webp } from "../pictures.ts"
import { textOf } from "../requests.ts"

const good = dataUrl(png(8, 8))
const notImage = dataUrl(Buffer.from("<html></html>"))

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

const broken =
  "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp']."

/** What both wires refuse in the same words: a prompt with one image by its data, or with many. */
function commonRules(
  place: string,
  one: (data: string) => object,
  notBase64: string,
  many: (count: number) => object,
): readonly RuleRow[] {
  const legal = one(base64(png(8, 8)))
  return [
    [
      "empty data",
      legal,
      one(""),
      `Invalid '${place}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got empty base64-encoded bytes.`,
      place,
      "invalid_value",
    ],
    ["data that are no base64", legal, one(notBase64), "Invalid base64 image_url.", null, "invalid_base64"],
    ["too many images", many(500), many(501), "Too many images in request. Max is 500.", null, null],
  ]
}

const responsesRules: readonly RuleRow[] = [
  ...commonRules(
    "input[0].content[0].image_url",
    (data) => asked(input(`data:image/png;base64,${data}`)),
    "%%%%",
    (count) => asked(...times(count, input(good))),
  ),
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
  ...commonRules(
    "messages[0].content[0].image_url.url",
    (data) => said(part(`data:image/png;base64,${data}`)),
    "AAA",
    (count) => said(...times(count, part(good, { detail: "low" }))),
  ),
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

const named = (rows: readonly RuleRow[]) => rows.map((row) => [row[0], row] as const)

test.each(named(responsesRules))("Responses refuses %s", (_, row) => expectRule("/v1/responses", row))
test.each(named(chatRules))("Chat Completions refuses %s", (_, row) =>
  expectRule("/v1/chat/completions", row),
)
test.each(dialectRules)("Chat Completions as %s refuses images in its own words", (dialect, row) =>
  expectRule("/v1/chat/completions", row, dialect),
)

const promptTokens = (path: OpenAiPath, body: object) => {
  const { usage } = JSON.parse(textOf(openaiSim().respond(postTo(path, body), 0))) as {
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
  const [responses, chat] = ["/v1/responses", "/v1/chat/completions"] as const
  const costs = [
    promptTokens(responses, asked(input(url, { detail }))),
    promptTokens(responses, output(told, input(url, { detail }))) - promptTokens(responses, output(told)),
    promptTokens(chat, said(part(url, { detail }))),
  ]
  // A part has a few tokens around it.
  for (const cost of costs) expect(cost - tokens).toBeOneOf([1, 2, 3, 4])
})
