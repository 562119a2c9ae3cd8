/** Bedrock Converse: its rules, its frames and its faults. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import type { Fault, Reply, SimResponse } from "../../src/index.ts"
import { signThinking } from "../../src/signature.ts"
import { postTo } from "../openai/requests.ts"
import { base64, png } from "../pictures.ts"
import { textOf } from "../requests.ts"
import { framesOf } from "./frames.ts"

function bedrockSim(reply: Reply = textReply("Hi.")) {
  const model = scripted(() => reply, { limit: { context: 5_000, output: 4_000 }, thinking: true })
  const modern = { ...model, prefill: false }
  return createProviderSim({ models: { "us.m-v1:0": model, modern } })
}

const path = "/model/us.m-v1%3A0/converse"
const user = { role: "user", content: [{ text: "Hello" }] }
const body = (changes: object = {}) => ({ messages: [user], ...changes })
const tool = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: "object" } } } })
const toolConfig = { tools: [tool("read")] }
const calling = (...ids: readonly string[]) => ({
  role: "assistant",
  content: ids.map((toolUseId) => ({ toolUse: { toolUseId, name: "read", input: {} } })),
})
const results = (...ids: readonly string[]) => ({
  role: "user",
  content: ids.map((toolUseId) => ({ toolResult: { toolUseId, content: [{ text: "x" }] } })),
})
const talk = (...messages: readonly object[]) => body({ toolConfig, messages: [user, ...messages] })
const said = (text: string) => ({ role: "assistant", content: [{ text }] })
const thought = (signature: string) => ({
  role: "assistant",
  content: [{ reasoningContent: { reasoningText: { text: "hm", signature } } }, { text: "Hi" }],
})
const picture = base64(png(8, 8))
const point = { cachePoint: { type: "default" } }
const points = (count: number) =>
  body({ system: Array.from({ length: count }, () => [{ text: "x" }, point]).flat() })

const rules: readonly (readonly [title: string, legal: object, illegal: object, message: string])[] = [
  [
    "no messages",
    body(),
    {},
    "1 validation error detected: Value at 'messages' failed to satisfy constraint: Member must not be null",
  ],
  [
    "an assistant first",
    body(),
    body({ messages: [said("x"), user] }),
    "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
  ],
  [
    "two users in a row",
    talk(said("x"), user),
    talk(user),
    "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
  ],
  [
    "a temperature below zero",
    body({ inferenceConfig: { temperature: 0 } }),
    body({ inferenceConfig: { temperature: -1 } }),
    "1 validation error detected: Value '-1' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value greater than or equal to 0",
  ],
  [
    "an unknown role",
    body(),
    body({ messages: [{ role: "system", content: [] }] }),
    "1 validation error detected: Value 'system' at 'messages.0.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]",
  ],
  [
    "empty content",
    body(),
    body({ messages: [{ role: "user", content: [] }] }),
    "The content field in the Message object at messages.0 is empty. Add a ContentBlock object to the content field and try again.",
  ],
  [
    "a blank text",
    body(),
    body({ messages: [{ role: "user", content: [{ text: " " }] }] }),
    "The text field in the ContentBlock object at messages.0.content.0 is blank. Add text to the text field, and try again.",
  ],
  [
    "a blank instruction",
    body({ system: [{ text: "x" }] }),
    body({ system: [{ text: "" }] }),
    "The text field in the SystemContentBlock object at system.0 is blank. Add text to the text field, and try again.",
  ],
  [
    "a block of nothing",
    body(),
    body({ messages: [{ role: "user", content: [{}] }] }),
    "ContentBlock object at messages.0.content.0 must set one of the following keys: text, image, document, video, toolUse, toolResult, reasoningContent, cachePoint, guardContent, citationsContent.",
  ],
  [
    "a result that is missing",
    talk(calling("a", "b"), results("b", "a")),
    talk(calling("a", "b"), results("a")),
    "Expected toolResult blocks at messages.2.content for the following Ids: b",
  ],
  [
    "a call at the end",
    talk(calling("a"), results("a")),
    talk(calling("a")),
    "Expected toolResult blocks at messages.2.content for the following Ids: a",
  ],
  [
    "a result too many",
    talk(calling("a"), results("a")),
    talk(said("x"), results("a")),
    "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
  ],
  [
    "a failure without words",
    talk(calling("a"), results("a")),
    talk(calling("a"), {
      role: "user",
      content: [{ toolResult: { toolUseId: "a", content: [], status: "error" } }],
    }),
    "The content field at messages.2.content.0.toolResult cannot be empty when status value is error.",
  ],
  [
    "a result that is no text",
    talk(calling("a"), results("a")),
    talk(calling("a"), {
      role: "user",
      content: [{ toolResult: { toolUseId: "a", content: [{ text: 1 }] } }],
    }),
    "The value at messages.2.content.0.toolResult.content.0.text is not of the expected type.",
  ],
  [
    "calls without tools",
    talk(calling("a"), results("a")),
    { messages: [user, calling("a"), results("a")] },
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  ],
  [
    "a name that no tool may have",
    body({ toolConfig }),
    body({ toolConfig: { tools: [tool("read file")] } }),
    "1 validation error detected: Value 'read file' at 'toolConfig.tools.0.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
  ],
  [
    "a tool twice",
    body({ toolConfig: { tools: [tool("a"), tool("b")] } }),
    body({ toolConfig: { tools: [tool("a"), tool("a")] } }),
    "The tool name a is used more than once.",
  ],
  [
    "the choice of a tool that is not there",
    body({ toolConfig: { ...toolConfig, toolChoice: { tool: { name: "read" } } } }),
    body({ toolConfig: { ...toolConfig, toolChoice: { tool: { name: "write" } } } }),
    "The tool write of toolChoice is not defined in toolConfig.",
  ],
  [
    "an image of an unknown type",
    body({
      messages: [{ role: "user", content: [{ image: { format: "png", source: { bytes: picture } } }] }],
    }),
    body({
      messages: [{ role: "user", content: [{ image: { format: "tiff", source: { bytes: picture } } }] }],
    }),
    "1 validation error detected: Value 'tiff' at 'messages.0.content.0.image.format' failed to satisfy constraint: Member must satisfy enum value set: [gif, jpeg, png, webp]",
  ],
  [
    "too much output",
    body({ inferenceConfig: { maxTokens: 4_000 } }),
    body({ inferenceConfig: { maxTokens: 4_001 } }),
    "The maximum tokens you requested exceeds the model limit of 4000. Try again with a maximum tokens value that is lower than 4000.",
  ],
  [
    "too high a temperature",
    body({ inferenceConfig: { temperature: 1 } }),
    body({ inferenceConfig: { temperature: 2 } }),
    "1 validation error detected: Value '2' at 'inferenceConfig.temperature' failed to satisfy constraint: Member must have value less than or equal to 1",
  ],
  [
    "too many cache points",
    points(4),
    points(5),
    "The model returned the following errors: A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [
    "thinking that was not issued",
    talk(thought(signThinking("us.m-v1:0", "hm")), user),
    talk(thought("sig_x"), user),
    "The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block",
  ],
  [
    "more than the window holds",
    body(),
    body({ system: [{ text: "x".repeat(25_000) }] }),
    "Input is too long for requested model.",
  ],
]

test.each(rules)("refuses %s", (_, legal, illegal, message) => {
  const sim = bedrockSim()
  const good = sim.respond(postTo(path, legal), 0)
  expect(good.status === 200 ? "" : textOf(good)).toBe("")
  const bad = sim.respond(postTo(path, illegal), 0)
  expect([bad.status, bad.headers["x-amzn-errortype"]]).toEqual([400, "ValidationException"])
  expect(JSON.parse(textOf(bad))).toEqual({ message })
})

test("refuses a final answer of the assistant from a model without prefill, and an unknown model", () => {
  const sim = bedrockSim()
  const prefill = body({ messages: [user, said("And")] })
  expect(sim.respond(postTo(path, prefill), 0).status).toBe(200)
  expect(textOf(sim.respond(postTo("/model/modern/converse", prefill), 0))).toContain(
    "assistant message prefill",
  )
  expect(textOf(sim.respond(postTo("/model/nobody/converse", body()), 0))).toContain(
    "model identifier is invalid",
  )
})

const signed = {
  authorization:
    "AWS4-HMAC-SHA256 Credential=AKIA/20261115/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=00",
  "x-amz-date": "20261115T000000Z",
}

test.each([
  ["nothing", { authorization: "" }, 403, "MissingAuthenticationTokenException"],
  [
    "a signature without its parts",
    { authorization: "AWS4-HMAC-SHA256 Credential=a", "x-amz-date": "x" },
    403,
    "IncompleteSignatureException",
  ],
  [
    "a signature without a date",
    { authorization: signed.authorization },
    403,
    "IncompleteSignatureException",
  ],
  ["a signature", signed, 200, undefined],
  ["a key", { authorization: "Bearer key" }, 200, undefined],
])("asks for an identity and is given %s", (_, headers, status, type) => {
  const response = bedrockSim().respond(postTo(path, body(), { headers }), 0)
  expect([response.status, response.headers["x-amzn-errortype"]]).toEqual([status, type])
})

const bytesOf = (response: SimResponse) =>
  Buffer.concat([...response.frames].flatMap((frame) => (frame.kind === "bytes" ? [frame.bytes] : [])))

const rich: Reply = {
  blocks: [
    { type: "thinking", text: "First I look." },
    { type: "text", text: "Grüße, 😀 world" },
    { type: "tool_use", name: "read", input: { path: "ä.md" } },
  ],
  chunkChars: 3,
}
const stream = (reply: Reply) => bedrockSim(reply).respond(postTo(`${path}-stream`, body()), 0)

test("streams frames that parse back to the whole answer, split at every byte", () => {
  const response = stream({ ...rich, bytesPerWrite: 1 })
  expect(response.headers["content-type"]).toBe("application/vnd.amazon.eventstream")
  const frames = framesOf(bytesOf(response))
  const deltas = frames.flatMap((frame) =>
    frame.type === "contentBlockDelta" ? [frame.payload as unknown as { delta: DeltaJson }] : [],
  )
  const whole = JSON.parse(textOf(bedrockSim(rich).respond(postTo(path, body()), 0))) as {
    output: { message: { content: [WholeThought, { text: string }, { toolUse: { input: object } }] } }
    stopReason: string
    usage: object
  }
  const [thinking, text, call] = whole.output.message.content
  const join = (pick: (delta: DeltaJson) => string | undefined) =>
    deltas.map(({ delta }) => pick(delta) ?? "").join("")
  expect(join((delta) => delta.reasoningContent?.text)).toBe(thinking.reasoningContent.reasoningText.text)
  expect(join((delta) => delta.reasoningContent?.signature)).toBe(
    thinking.reasoningContent.reasoningText.signature,
  )
  expect(join((delta) => delta.text)).toBe(text.text)
  expect(JSON.parse(join((delta) => delta.toolUse?.input))).toEqual(call.toolUse.input)
  expect(frames.at(-2)).toMatchObject({ type: "messageStop", payload: { stopReason: whole.stopReason } })
  expect(frames.at(-1)).toMatchObject({ type: "metadata", payload: { usage: whole.usage } })
})

interface WholeThought {
  readonly reasoningContent: { readonly reasoningText: { readonly text: string; readonly signature: string } }
}
interface DeltaJson {
  readonly text?: string
  readonly toolUse?: { readonly input: string }
  readonly reasoningContent?: { readonly text?: string; readonly signature?: string }
}

const faults: readonly (readonly [Fault, number, string])[] = [
  [{ kind: "rate-limited", retryAfter: 3 }, 429, "ThrottlingException"],
  [{ kind: "out-of-credit" }, 400, "ServiceQuotaExceededException"],
  [{ kind: "overloaded" }, 503, "ServiceUnavailableException"],
  [{ kind: "server-error" }, 500, "InternalServerException"],
  [{ kind: "unauthorized" }, 403, "UnrecognizedClientException"],
  [{ kind: "overflow" }, 400, "ValidationException"],
  [
    { kind: "refused", status: 404, type: "not_found_error", message: "No." },
    404,
    "ResourceNotFoundException",
  ],
]

test.each(faults)("answers %o with its status and type", (fault, status, type) => {
  const response = stream({ ...rich, fault })
  expect([response.status, response.headers["x-amzn-errortype"]]).toEqual([status, type])
})

test("breaks a stream where it is told to", () => {
  const broken = (fault: Fault) => stream({ ...textReply("abcdef"), chunkChars: 2, fault })
  const failed = framesOf(bytesOf(broken({ kind: "error-event", afterDeltas: 1 })))
  expect(failed.at(-1)).toMatchObject({ isException: true, type: "serviceUnavailableException" })
  expect(failed.filter((frame) => frame.type === "contentBlockDelta")).toHaveLength(1)
  expect(framesOf(bytesOf(broken({ kind: "no-stop" }))).at(-1)?.type).toBe("messageStop")
  expect(() => framesOf(bytesOf(broken({ kind: "malformed-json" })))).toThrow(SyntaxError)
  expect(() => framesOf(bytesOf(broken({ kind: "cut" })))).toThrow(/bytes after the last frame/)
})

test("reads at a cache point what was written there, for five minutes or an hour", () => {
  const sim = bedrockSim()
  const send = (ttl: object, nowMs: number) => {
    const system = [{ text: "rule ".repeat(1_000) }, { cachePoint: { type: "default", ...ttl } }]
    sim.respond(postTo(path, body({ system })), nowMs)
    return sim.log.at(-1)?.cache
  }
  const written = send({}, 0)?.write ?? 0
  expect(written).toBeGreaterThan(1_024)
  expect(send({}, 299_999)).toMatchObject({ read: written, write: 0 })
  expect(send({}, 599_999)).toMatchObject({ read: 0, write: written })
  const long = bedrockSim()
  const system = [{ text: "rule ".repeat(1_000) }, { cachePoint: { type: "default", ttl: "1h" } }]
  for (const nowMs of [0, 3_599_999]) long.respond(postTo(path, body({ system })), nowMs)
  expect(long.log[1]?.cache?.read).toBe(written)
  expect(textOf(long.respond(postTo(path, body({ system })), 3_600_000))).toContain('"cacheReadInputTokens":')
})
