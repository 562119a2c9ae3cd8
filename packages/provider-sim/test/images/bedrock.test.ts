/** Images on Bedrock Converse: each rule with its legal neighbour and the literal refusal. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import { postTo } from "../openai/requests.ts"
import { base64, gif, jpeg, png, pngOfBytes, times, webp } from "../pictures.ts"
import { textOf } from "../requests.ts"

const names = [
  "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "amazon.nova-pro-v1:0",
  "amazon.nova-micro-v1:0",
  "us.meta.llama3-2-11b-instruct-v1:0",
  "meta.llama3-1-70b-instruct-v1:0",
  "meta.llama4-maverick-17b-instruct-v1:0",
  "mistral.mistral-7b-instruct-v0:2",
  "mistral.pixtral-large-2502-v1:0",
  "openai.gpt-oss-120b-1:0",
] as const
type Name = (typeof names)[number] | "blind"
const [claude, nova, novaMicro, llama, llamaOlder, llamaNewer, mistral, pixtral, gptOss] = names

const sim = () => {
  const model = scripted(() => textReply("Hi."))
  const models = Object.fromEntries(names.map((name) => [name, model]))
  return createProviderSim({ models: { ...models, blind: { ...model, images: false } } })
}

const raw = (bytes: string, format = "png") => ({ image: { format, source: { bytes } } })
const image = (bytes: Buffer, format?: string) => raw(base64(bytes), format)
const small = image(png(8, 8))
const said = (...content: readonly object[]) => ({ messages: [{ role: "user", content }] })
const toolConfig = { tools: [{ toolSpec: { name: "read", inputSchema: { json: { type: "object" } } } }] }
const answered = (...content: readonly object[]) => ({
  toolConfig,
  messages: [
    { role: "user", content: [{ text: "x" }] },
    { role: "assistant", content: [{ toolUse: { toolUseId: "t", name: "read", input: {} } }] },
    { role: "user", content: [{ toolResult: { toolUseId: "t", content } }] },
  ],
})
const post = (model: Name, value: object) =>
  sim().respond(postTo(`/model/${encodeURIComponent(model)}/converse`, value), 0)

type Sent = readonly [model: Name, body: object]

const bytesMax = 3.75 * 1024 * 1024
const noImages =
  "This model doesn't support the image content block that you provided. Update the content block and try again."
const noResultImages =
  "This model doesn't support the image field for user messages. Remove image and try again."
const fromModel = (text: string) => `The model returned the following errors: ${text}`

const rules: readonly (readonly [title: string, legal: Sent, illegal: Sent, message: string])[] = [
  [
    "no source",
    [claude, said(small)],
    [claude, said({ image: { format: "png" } })],
    "1 validation error detected: Value at 'messages.0.content.0.image.source' failed to satisfy constraint: Member must not be null",
  ],
  [
    "an empty source",
    [claude, said({ image: { format: "png", source: { s3Location: { uri: "s3://a/b.png" } } } })],
    [claude, said({ image: { format: "png", source: {} } })],
    "ImageSource object at messages.0.content.0.image.source must set one of the following keys: bytes, s3Location.",
  ],
  [
    "bytes that are no base64",
    [claude, said(small)],
    [claude, said(raw("%%%%"))],
    "The image data at source.bytes is not valid base64.",
  ],
  [
    "bytes that are no image",
    [claude, said(small)],
    [claude, said(raw("AAAA"))],
    fromModel("Could not process image"),
  ],
  [
    "another format than the image has",
    [claude, said(image(jpeg(8, 8), "jpeg"), image(gif(8, 8), "gif"), image(webp(8, 8), "webp"))],
    [claude, said({ text: "x" }, image(jpeg(8, 8), "png"))],
    fromModel(
      "messages.0.content.1.image.source.base64: The image was specified using the image/png media type, but the image appears to be a image/jpeg image",
    ),
  ],
  [
    "another format, in the words of another family",
    [llama, said(small)],
    [llama, said(image(png(8, 8), "jpeg"))],
    fromModel("The provided image does not match the specified image format."),
  ],
  [
    "another format inside a result",
    [claude, answered(small)],
    [claude, answered({ text: "x" }, image(png(8, 8), "gif"))],
    fromModel(
      "messages.2.content.0.tool_result.content.1.image.source.base64: The image was specified using the image/gif media type, but the image appears to be a image/png image",
    ),
  ],
  [
    "an image that is too large",
    [claude, said(image(pngOfBytes(bytesMax)))],
    [claude, said(image(pngOfBytes(bytesMax + 1)))],
    fromModel(
      "messages.0.content.0.image.source.base64: image exceeds the maximum of 3.75 MB: 3932161 bytes",
    ),
  ],
  [
    "a side that is too long",
    [claude, said(image(png(8_000, 1)))],
    [claude, said(image(png(8_001, 1)))],
    fromModel(
      "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    ),
  ],
  [
    "too many images in a message",
    [claude, said(...times(20, small))],
    [claude, said(...times(21, small))],
    "The number of images at messages.0.content is 21, which exceeds the limit of 20 images for a message.",
  ],
  [
    "an image from the assistant",
    [claude, said(small)],
    [claude, { messages: [...said({ text: "x" }).messages, { role: "assistant", content: [small] }] }],
    "This model doesn't support the image field for assistant messages. Remove image and try again.",
  ],
  ["a model that reads no images", ["blind", said({ text: "x" })], ["blind", said(small)], noImages],
  ["an image for Nova Micro", [nova, said(small)], [novaMicro, said(small)], noImages],
  ["an image for an older Llama", [llama, said(small)], [llamaOlder, said(small)], noImages],
  ["an image for Mistral 7B", [pixtral, said(small)], [mistral, said(small)], noImages],
  ["an image in a result for Pixtral", [nova, answered(small)], [pixtral, answered(small)], noResultImages],
  [
    "an image in a result for a model of OpenAI",
    [llamaNewer, answered(small)],
    [gptOss, answered(small)],
    noResultImages,
  ],
]

test.each(rules)("refuses %s", (_, legal, illegal, message) => {
  const good = post(...legal)
  expect(good.status === 200 ? "" : textOf(good)).toBe("")
  const bad = post(...illegal)
  expect([bad.status, bad.headers["x-amzn-errortype"]]).toEqual([400, "ValidationException"])
  expect(JSON.parse(textOf(bad))).toEqual({ message })
})

test.each([
  ["Claude", claude, 1_000],
  ["Nova", nova, 1_150],
] as const)("counts an image for %s as the family does", (_, name, tokens) => {
  const spent = (value: object) =>
    (JSON.parse(textOf(post(name, value))) as { usage: { inputTokens: number } }).usage.inputTokens
  const cost = spent(said({ text: "x" }, image(png(1_000, 750)))) - spent(said({ text: "x" }))
  // A block has a few tokens around it.
  expect(cost).toBeGreaterThanOrEqual(tokens)
  expect(cost).toBeLessThan(tokens + 12)
})

test("loses cached messages to the first image, and keeps what comes before them", () => {
  const one = sim()
  const point = { cachePoint: { type: "default" } }
  const asked = (...content: readonly object[]) => ({
    system: [{ text: "s".repeat(8_000) }, point],
    messages: [
      { role: "user", content: [{ text: "m".repeat(8_000) }, point] },
      { role: "assistant", content: [{ text: "x" }] },
      { role: "user", content },
    ],
  })
  const reads = [asked({ text: "y" }), asked({ text: "y" }), asked(small)].map((value, index) => {
    one.respond(postTo(`/model/${encodeURIComponent(claude)}/converse`, value), index)
    return Math.round((one.log.at(-1)?.cache?.read ?? 0) / 2_000)
  })
  expect(reads).toEqual([0, 2, 1])
})
