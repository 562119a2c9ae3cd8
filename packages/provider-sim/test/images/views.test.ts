/** What a model gets of an image, on every wire, and the image that no provider can read. */
import { expect, test } from "vitest"
import { createProviderSim, offlineAgent, poisoned, scripted, textReply } from "../../src/index.ts"
import type { RequestView, SimModel, SimRequest, WireName } from "../../src/index.ts"
import { postGemini } from "../clients.ts"
import { postTo } from "../openai/requests.ts"
import { base64, dataUrl, hashOf, jpeg, png } from "../pictures.ts"
import { post, readTool, textOf } from "../requests.ts"

const photo = jpeg(640, 480)
const drawing = png(800, 600)

const photoView = {
  mediaType: "image/jpeg",
  hash: hashOf(photo),
  bytes: photo.length,
  width: 640,
  height: 480,
  place: "prompt",
}
const drawingView = {
  mediaType: "image/png",
  hash: hashOf(drawing),
  bytes: drawing.length,
  width: 800,
  height: 600,
  place: "result",
}

/** A question with a photo, and what came of reading a drawing; Chat Completions has no place for that. */
interface Sender {
  readonly wire: WireName
  readonly hasResults: boolean
  ask(text: string | undefined): SimRequest
  result(): SimRequest
}

const source = (bytes: Buffer, type: string) => ({
  type: "image",
  source: { type: "base64", media_type: type, data: base64(bytes) },
})

const anthropic: Sender = {
  wire: "anthropic-messages",
  hasResults: true,
  ask: (text) =>
    post({
      model: "agent",
      max_tokens: 500,
      messages: [
        {
          role: "user",
          content: [source(photo, "image/jpeg"), ...(text === undefined ? [] : [{ type: "text", text }])],
        },
      ],
    }),
  result: () =>
    post({
      model: "agent",
      max_tokens: 500,
      tools: [readTool],
      messages: [
        { role: "user", content: [source(photo, "image/jpeg"), { type: "text", text: "Read a.png" }] },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "t", name: "read", input: { path: "a.png" } }],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t", content: [source(drawing, "image/png")] }],
        },
      ],
    }),
}

const inputImage = (bytes: Buffer, type: string) => ({
  type: "input_image",
  image_url: dataUrl(bytes, type),
})
const responses: Sender = {
  wire: "openai-responses",
  hasResults: true,
  ask: (text) =>
    postTo("/v1/responses", {
      model: "agent",
      input: [
        {
          role: "user",
          content: [
            inputImage(photo, "image/jpeg"),
            ...(text === undefined ? [] : [{ type: "input_text", text }]),
          ],
        },
      ],
    }),
  result: () =>
    postTo("/v1/responses", {
      model: "agent",
      input: [
        {
          role: "user",
          content: [inputImage(photo, "image/jpeg"), { type: "input_text", text: "Read a.png" }],
        },
        { type: "function_call", call_id: "c", name: "read", arguments: '{"path":"a.png"}' },
        { type: "function_call_output", call_id: "c", output: [inputImage(drawing, "image/png")] },
      ],
    }),
}

const chat: Sender = {
  wire: "openai-chat",
  hasResults: false,
  ask: (text) =>
    postTo("/v1/chat/completions", {
      model: "agent",
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: dataUrl(photo, "image/jpeg") } },
            ...(text === undefined ? [] : [{ type: "text", text }]),
          ],
        },
      ],
    }),
  result: () => expect.unreachable("a tool message holds no image"),
}

const inline = (bytes: Buffer, mimeType: string) => ({ inlineData: { mimeType, data: base64(bytes) } })
const geminiPath = "/v1beta/models/agent:generateContent"
const gemini: Sender = {
  wire: "gemini",
  hasResults: true,
  ask: (text) =>
    postGemini(geminiPath, {
      contents: [
        { role: "user", parts: [inline(photo, "image/jpeg"), ...(text === undefined ? [] : [{ text }])] },
      ],
    }),
  result: () =>
    postGemini(geminiPath, {
      contents: [
        { role: "user", parts: [inline(photo, "image/jpeg"), { text: "Read a.png" }] },
        {
          role: "model",
          parts: [
            {
              functionCall: { name: "read", args: { path: "a.png" } },
              thoughtSignature: "skip_thought_signature_validator",
            },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "read", response: {}, parts: [inline(drawing, "image/png")] } },
          ],
        },
      ],
    }),
}

const block = (bytes: Buffer, format: string) => ({ image: { format, source: { bytes: base64(bytes) } } })
const bedrock: Sender = {
  wire: "bedrock-converse",
  hasResults: true,
  ask: (text) =>
    postTo("/model/agent/converse", {
      messages: [
        { role: "user", content: [block(photo, "jpeg"), ...(text === undefined ? [] : [{ text }])] },
      ],
    }),
  result: () =>
    postTo("/model/agent/converse", {
      toolConfig: { tools: [{ toolSpec: { name: "read", inputSchema: { json: { type: "object" } } } }] },
      messages: [
        { role: "user", content: [block(photo, "jpeg"), { text: "Read a.png" }] },
        {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "t", name: "read", input: { path: "a.png" } } }],
        },
        {
          role: "user",
          content: [{ toolResult: { toolUseId: "t", content: [block(drawing, "png")] } }],
        },
      ],
    }),
}

const senders = [anthropic, responses, chat, gemini, bedrock]
const withResults = senders.filter((sender) => sender.hasResults)
const simOf = (agent: SimModel) => createProviderSim({ models: { agent } })

test.each(senders)("a model sees the image of a prompt over $wire", (sender) => {
  const views: RequestView[] = []
  const sim = simOf(
    scripted((view) => {
      views.push(view)
      return textReply("Hi.")
    }),
  )
  expect(sim.respond(sender.ask("What is this?"), 0).status).toBe(200)
  expect(views[0]?.images).toEqual([photoView])
  expect(views[0]?.messages[0]?.blocks[0]).toEqual({ type: "image", ...photoView })
  expect(sim.log[0]?.images).toEqual([photoView])
})

test.each(withResults)("a model sees the image of a result over $wire", (sender) => {
  const sim = simOf(scripted(() => textReply("Hi."), { thinking: true }))
  const response = sim.respond(sender.result(), 0)
  expect(response.status === 200 ? "" : textOf(response)).toBe("")
  expect(sim.log[0]?.images).toEqual([photoView, drawingView])
})

test.each(senders)("the offline agent tells of an image over $wire", (sender) => {
  const sim = simOf(offlineAgent())
  sim.respond(sender.ask("What do you see?"), 0)
  sim.respond(sender.ask(undefined), 0)
  const seen = "I see an image: image/jpeg, 640 × 480."
  expect(sim.log.map((record) => record.reply?.text)).toEqual([seen, seen])
})

test.each(withResults)("the offline agent tells of an image that it read over $wire", (sender) => {
  const sim = simOf(offlineAgent())
  sim.respond(sender.result(), 0)
  const text = sim.log[0]?.reply?.text ?? ""
  expect(text).toContain("I see an image: image/jpeg, 640 × 480.")
  expect(text).toContain("`a.png` shows an image: image/png, 800 × 600.")
})

test("the offline agent tells of an image that came beside a result", () => {
  const sim = simOf(offlineAgent())
  const call = { id: "c", type: "function", function: { name: "read", arguments: '{"path":"a.png"}' } }
  const messages = [
    { role: "user", content: "Read a.png" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "An image." },
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: dataUrl(drawing) } },
        { type: "text", text: "<notice>This image belongs to the result above.</notice>" },
      ],
    },
  ]
  sim.respond(postTo("/v1/chat/completions", { model: "agent", messages }), 0)
  expect(sim.log[0]?.reply?.text).toContain("I see an image: image/png, 800 × 600.")
  expect(sim.log[0]?.reply?.text).toContain("`a.png`")
})

const words: Readonly<Record<WireName, string>> = {
  "anthropic-messages": "Could not process image",
  "openai-responses":
    "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
  "openai-chat": "You uploaded an unsupported image. Please make sure your image is valid.",
  gemini:
    "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  "bedrock-converse": "The model returned the following errors: Could not process image",
}

test.each(senders)("a poisoned image is refused as long as it is there over $wire", (sender) => {
  const message = (response: { status: number }, text: string) =>
    response.status === 200 ? "" : (/"message":\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1] ?? text)
  const play = (model: SimModel) => {
    const response = simOf(model).respond(sender.ask("Look"), 0)
    return [response.status, message(response, textOf(response))]
  }
  const refused = [400, JSON.stringify(words[sender.wire])]
  expect(play(poisoned(offlineAgent(), { hash: photoView.hash }))).toEqual(refused)
  expect(play(poisoned(offlineAgent(), { hash: photoView.hash.slice(0, 12) }))).toEqual(refused)
  expect(play(poisoned(offlineAgent(), { index: 0 }))).toEqual(refused)
  expect(play(poisoned(offlineAgent(), { index: 1 }))).toEqual([200, ""])
  expect(play(poisoned(offlineAgent(), { hash: drawingView.hash }))).toEqual([200, ""])
})

test.each(withResults)("a poisoned image is refused inside a result over $wire", (sender) => {
  const sim = simOf(poisoned(offlineAgent(), { hash: drawingView.hash }))
  expect(sim.respond(sender.result(), 0).status).toBe(400)
  expect(sim.log[0]?.reply?.fault).toBe("poisoned-image")
  expect(sim.respond(sender.ask("Look"), 0).status).toBe(200)
})

test("an image that is elsewhere is seen without a size", () => {
  const sim = simOf(offlineAgent())
  const content = [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }]
  sim.respond(postTo("/v1/chat/completions", { model: "agent", messages: [{ role: "user", content }] }), 0)
  expect(sim.log[0]?.images).toEqual([
    { mediaType: "", hash: "", bytes: 0, width: 0, height: 0, place: "prompt" },
  ])
  expect(sim.log[0]?.reply?.text).toBe("I see an image: one that is elsewhere.")
})
