/** Images on the Messages API: each rule with its legal neighbour and the literal refusal. */
import { expect, test } from "vitest"
import { base64, gif, jpeg, png, pngOfBytes, times, webp } from "../pictures.ts"
import { errorOf, post, readTool, strictSim, textOf } from "../requests.ts"
import { assistant, call, chat, expectRefused, result, tooled, user } from "../validate/conversations.ts"

const raw = (data: string, type = "image/png") => ({
  type: "image",
  source: { type: "base64", media_type: type, data },
})
const image = (bytes: Buffer, type?: string) => raw(base64(bytes), type)
const sent = (...blocks: readonly object[]) => chat(user(blocks))
const inResult = (...content: readonly object[]) =>
  tooled(user("a"), assistant([call("t1")]), user([result("t1", { content })]))
const text = { type: "text", text: "Look" }
const small = image(png(8, 8))

const encodedMax = 5 * 1024 * 1024
const fits = pngOfBytes((encodedMax / 4) * 3)
const tooLarge = pngOfBytes((encodedMax / 4) * 3 + 3)

const rules: readonly (readonly [title: string, legal: object, illegal: object, message: string])[] = [
  [
    "data that are no base64",
    sent(small),
    sent(raw("%%%%")),
    "messages.0.content.0.image.source.base64: invalid base64 data",
  ],
  [
    "a data URL where the data should be",
    sent(small),
    sent(text, raw(`data:image/png;base64,${base64(png(8, 8))}`)),
    "messages.0.content.1.image.source.base64: invalid base64 data",
  ],
  [
    "empty data",
    sent(small),
    sent(raw("")),
    "messages.0.content.0.image.source.base64: image cannot be empty",
  ],
  [
    "data that are no image",
    sent(small),
    sent(raw(base64(Buffer.from("<html></html>")))),
    "Could not process image",
  ],
  [
    "an image that was cut off",
    sent(small),
    sent(image(png(8, 8).subarray(0, -9))),
    "Could not process image",
  ],
  [
    "another type than the image has",
    sent(image(jpeg(8, 8), "image/jpeg"), image(gif(8, 8), "image/gif"), image(webp(8, 8), "image/webp")),
    sent(image(png(8, 8), "image/jpeg")),
    "messages.0.content.0.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image",
  ],
  [
    "another type inside a result",
    inResult(text, small),
    inResult(text, image(png(8, 8), "image/webp")),
    "messages.2.content.0.tool_result.content.1.image.source.base64: The image was specified using the image/webp media type, but the image appears to be a image/png image",
  ],
  [
    "an image whose base64 is too large",
    sent(text, image(fits)),
    sent(text, image(tooLarge)),
    "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes",
  ],
  [
    "a side that is too long",
    sent(image(png(8_000, 1))),
    sent(image(png(1, 8_001))),
    "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
  ],
  [
    "a long side among many images",
    sent(...times(20, image(png(2_001, 1)))),
    sent(...times(20, small), image(png(2_001, 1))),
    "messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
  ],
  [
    "too many images",
    sent(...times(100, small)),
    sent(...times(101, small)),
    "Too much media: 0 document pages + 101 images > 100",
  ],
  [
    "too many images in prompts and results together",
    inResult(...times(100, small)),
    tooled(user([small]), assistant([call("t1")]), user([result("t1", { content: times(100, small) })])),
    "Too much media: 0 document pages + 101 images > 100",
  ],
  [
    "a model that reads no images",
    { ...chat(user("x")), model: "blind" },
    { ...sent(small), model: "blind" },
    "messages: blind does not support image input",
  ],
]

test.each(rules)("refuses %s", (_, legal, illegal, message) => {
  const good = strictSim().respond(post(legal), 0)
  expect(good.status === 200 ? "" : errorOf(good).error.message).toBe("")
  expectRefused(illegal, message)
})

test("takes 600 images where the window is wide", () => {
  const respond = (count: number) =>
    strictSim().respond(post({ ...sent(...times(count, small)), model: "wide" }), 0).status
  expect([respond(600), respond(601)]).toEqual([200, 400])
})

test("refuses a request over 32 MB before it looks at anything in it", () => {
  const sized = (bytes: number) => strictSim().respond(post("", { body: new Uint8Array(bytes) }), 0)
  expect(sized(32 * 1024 * 1024).status).toBe(400)
  const response = sized(32 * 1024 * 1024 + 1)
  expect([response.status, errorOf(response).error]).toEqual([
    413,
    { type: "request_too_large", message: "Request exceeds the maximum size" },
  ])
})

const inputTokens = (value: object) =>
  (JSON.parse(textOf(strictSim().respond(post(value), 0))) as { usage: { input_tokens: number } }).usage
    .input_tokens

test.each([
  ["small", 300, 250, 100],
  ["of a round size", 1_000, 1_000, 1_334],
  ["too large for the model", 3_136, 1_500, 1_568],
  ["huge", 8_000, 8_000, 1_600],
])("counts an image that is %s by its pixels", (_, width, height, tokens) => {
  const picture = image(png(width, height))
  const without = inputTokens(sent(text))
  const spent = inputTokens(sent(text, picture)) - without
  // A block has a few tokens around it.
  expect(spent).toBeGreaterThanOrEqual(tokens)
  expect(spent).toBeLessThan(tokens + 12)
  expect(inputTokens(inResult(picture)) - inputTokens(inResult())).toBeGreaterThanOrEqual(tokens)
})

test("reads a cached image again, and not another of the same size", () => {
  const one = strictSim()
  const marked = (note: string) => ({
    ...chat(user([image(png(1_000, 1_000, note)), { ...text, cache_control: { type: "ephemeral" } }])),
    tools: [readTool],
  })
  const read = ["a", "b", "a"].map((note, index) => {
    one.respond(post(marked(note)), index)
    return (one.log.at(-1)?.cache?.read ?? 0) > 1_000
  })
  expect(read).toEqual([false, false, true])
})

test("loses cached messages to the first image, and keeps what comes before them", () => {
  const one = strictSim()
  const marker = { cache_control: { type: "ephemeral" } }
  const long = (letter: string) => ({ type: "text", text: letter.repeat(8_000), ...marker })
  const asked = (...blocks: readonly object[]) => ({
    ...chat(user([long("m")]), assistant("x"), user(blocks)),
    system: [long("s")],
  })
  const reads = [asked(text), asked(text), asked(small)].map((value, index) => {
    one.respond(post(value), index)
    return Math.round((one.log.at(-1)?.cache?.read ?? 0) / 2_000)
  })
  expect(reads).toEqual([0, 2, 1])
})
