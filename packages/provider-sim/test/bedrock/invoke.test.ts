/** InvokeModel: what a model of Anthropic reads and says, in Bedrock's paths, errors and frames. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import type { Reply } from "../../src/index.ts"
import { postTo } from "../openai/requests.ts"
import { textOf } from "../requests.ts"
import { framesOf } from "./frames.ts"

const model = "us.anthropic.claude-v1:0"
const at = (operation: string) => `/model/${encodeURIComponent(model)}/${operation}`
const body = (changes: object = {}) => ({
  anthropic_version: "bedrock-2023-05-31",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello" }],
  ...changes,
})
const sim = (reply: Reply = textReply("Hi.")) =>
  createProviderSim({ models: { [model]: scripted(() => reply, { thinking: true }) } })

test("answers whole, in the words of the model", () => {
  const response = sim().respond(postTo(at("invoke"), body({ anthropic_beta: ["context-1m-2025-08-07"] })), 0)
  expect(response.headers).toMatchObject({ "content-type": "application/json" })
  expect(JSON.parse(textOf(response))).toMatchObject({
    type: "message",
    model,
    content: [{ type: "text", text: "Hi." }],
    stop_reason: "end_turn",
  })
})

test("streams the events of the model inside of frames", () => {
  const response = sim().respond(postTo(at("invoke-with-response-stream"), body()), 0)
  expect(response.headers["content-type"]).toBe("application/vnd.amazon.eventstream")
  const bytes = Buffer.concat(
    [...response.frames].flatMap((one) => (one.kind === "bytes" ? [one.bytes] : [])),
  )
  const frames = framesOf(bytes)
  expect(new Set(frames.map(({ type }) => type))).toEqual(new Set(["chunk"]))
  const events = frames.map(
    ({ payload }) =>
      JSON.parse(Buffer.from(String(payload["bytes"]), "base64").toString()) as { readonly type: string },
  )
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["message_start", "message_stop"])
  expect(events).toContainEqual({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: "Hi." },
  })
})

test.each([
  ["no version", { anthropic_version: undefined }, /required key \[anthropic_version\] not found/],
  ["a model beside that of the path", { model: "x" }, /extraneous key \[model\] is not permitted/],
  ["what the model refuses", { messages: [] }, /messages/],
  ["a parameter whose beta is not named", { mcp_servers: [] }, /mcp_servers/],
])("refuses %s as Bedrock does", (_, changes, message) => {
  const response = sim().respond(postTo(at("invoke"), body(changes)), 0)
  expect(response.status).toBe(400)
  expect(response.headers["x-amzn-errortype"]).toBe("ValidationException")
  expect((JSON.parse(textOf(response)) as { message: string }).message).toMatch(message)
})

test.each([
  ["goes on without an end", { kind: "endless-deltas" }],
  ["holds what is no JSON", { kind: "malformed-json" }],
] as const)("a stream that %s is told in frames too", (_, fault) => {
  const reply = { ...textReply("Hi."), fault }
  const response = sim(reply).respond(postTo(at("invoke-with-response-stream"), body()), 0)
  const texts: string[] = []
  for (const one of response.frames) {
    if (one.kind === "bytes") texts.push(Buffer.from(one.bytes).toString("latin1"))
    if (texts.length > 4) break
  }
  expect(texts.every((text) => text.includes(":event-type\x07\x00\x05chunk"))).toBe(true)
})
