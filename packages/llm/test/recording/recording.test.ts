/** Recordings: recognised, read, compared, and free of secrets. */
import { describe, expect, test } from "vitest"
import { findDifference } from "../../src/recording/difference.ts"
import { readRecording } from "../../src/recording/recording.ts"
import { replayAnswer, replayRequest } from "../../src/recording/replay.ts"
import { findSecrets, keepHeaders } from "../../src/recording/secrets.ts"
import { wireOfUrl } from "../../src/recording/wire-of-url.ts"
import type { Wire } from "../../src/wire.ts"
import { wires } from "../../src/wires.ts"
import { messageDelta, messageStart, messageStop } from "../fixtures/streams.ts"

describe("[LL1] the wire at an address", () => {
  test.each<readonly [url: string, wire: string | null, model: string | null]>([
    ["https://api.anthropic.com/v1/messages", "anthropic-messages", null],
    ["http://127.0.0.1:8080/messages", "anthropic-messages", null],
    ["https://api.openai.com/v1/responses", "openai-responses", null],
    ["https://openrouter.ai/api/v1/chat/completions", "openai-chat", null],
    ["https://api.groq.com/openai/v1/chat/completions?x=1", "openai-chat", null],
    [
      "https://host/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      "gemini",
      "gemini-2.5-flash",
    ],
    [
      "https://host/model/us.amazon.nova-micro-v1%3A0/converse-stream",
      "bedrock-converse",
      "us.amazon.nova-micro-v1:0",
    ],
    ["https://host/v1/embeddings", null, null],
    ["https://host/", null, null],
  ])("%s", (url, wire, model) => {
    const found = wireOfUrl(url)
    expect([found?.wire.name ?? null, found?.model ?? null]).toEqual([wire, model])
  })

  test("is found for every wire that has one, at the wire's own address", () => {
    for (const wire of Object.values(wires)) {
      if (wire.name === "ai-sdk") continue
      expect(wireOfUrl(wire.address("https://host/prefix", "a-model"))?.wire.name).toBe(wire.name)
    }
  })
})

test.each<readonly [problem: string, value: unknown]>([
  ["not a JSON object", []],
  ["It has the version 2; 1 can be read.", { version: 2 }],
  ["It says no version, so it is no recording.", { interactions: [] }],
  ["no interactions", { version: 1, interactions: [] }],
  ["interaction 0 lacks", { version: 1, interactions: [{}] }],
  ["no address", { version: 1, interactions: [{ request: { url: "x", body: "" }, response: {} }] }],
  [
    "without a status",
    { version: 1, interactions: [{ request: { url: "http://x", body: "" }, response: { body: "" } }] },
  ],
])("a file that is no recording says why: %s", (problem, value) =>
  expect(readRecording(JSON.stringify(value))).toContain(problem),
)

test.each<readonly [path: string | null, expected: unknown, found: unknown]>([
  [null, { a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] }],
  ["a[1].b", { a: [1, { b: null }] }, { a: [1, { b: 0 }] }],
  ["a[1]", { a: [1] }, { a: [1, 2] }],
  ["c", {}, { c: 1 }],
  ["", "x", ["x"]],
])("the first difference is told by its path: %s", (path, expected, found) =>
  expect(findDifference(expected, found)?.path ?? null).toBe(path),
)

const anthropic = wires["anthropic-messages"] as Wire
const url = "https://api.anthropic.com/v1/messages"
const ask = {
  model: "claude-test",
  max_tokens: 10,
  stream: true,
  messages: [{ role: "user", content: "Hi" }],
}
const exchange = (body: unknown, status = 200, answer = "", type = "text/event-stream") => ({
  request: { method: "POST", url, headers: {}, body: JSON.stringify(body) },
  response: { status, headers: { "content-type": type }, body: answer },
})

describe("[LL1] a replayed request", () => {
  test("means the same in shorthand", () =>
    expect(replayRequest(anthropic, exchange(ask))).toEqual({ kind: "same" }))
  test("names a member that no canonical request says", () =>
    expect(replayRequest(anthropic, exchange({ ...ask, stream: false }))).toEqual({
      kind: "unread",
      places: ["stream"],
    }))
  test("means the same written out, with another cache policy", () => {
    const content = [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }]
    expect(replayRequest(anthropic, exchange({ ...ask, messages: [{ role: "user", content }] }))).toEqual({
      kind: "same",
    })
  })
  test("says what it cannot read", () => {
    const content = [{ type: "image", source: {} }]
    expect(replayRequest(anthropic, exchange({ ...ask, messages: [{ role: "user", content }] }))).toEqual({
      kind: "unread",
      places: ["messages[0].content[0]: image"],
    })
    expect(replayRequest(anthropic, exchange({ input: "Hi" }))).toEqual({
      kind: "unread",
      places: ["the whole body"],
    })
  })
  test("is refused where the provider and a judge agree about it", () => {
    const illegal = { ...ask, messages: [{ role: "user", content: [result] }] }
    const judge = () => [{ message: "no call before it" }]
    expect(replayRequest(anthropic, exchange(illegal, 400), judge)).toEqual({
      kind: "refused",
      faults: [{ message: "no call before it" }],
    })
    expect(replayRequest(anthropic, exchange(illegal), judge).kind).toBe("unread")
    expect(replayRequest(anthropic, exchange(illegal, 400), () => []).kind).toBe("unread")
    expect(replayRequest(anthropic, exchange(ask, 400), judge).kind).toBe("same")
  })
  test("an answer without its type, or without its last blank line, is still read", () => {
    const whole = messageStart + messageDelta("end_turn") + messageStop.trimEnd()
    const { request, response } = exchange(ask, 200, whole)
    const bare = { request, response: { ...response, headers: {} } }
    for (const interaction of [{ request, response }, bare])
      expect(replayAnswer(anthropic, interaction, 0).map(({ type }) => type)).toEqual(["start", "finish"])
  })
  test("a refusal is one failure", () => {
    const body = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
    const events = replayAnswer(anthropic, exchange(ask, 529, body, "application/json"), 0)
    expect(events).toMatchObject([{ type: "failure", failure: { code: "overloaded" } }])
  })
})

const result = { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "x" }] }
describe("secrets", () => {
  test("only allowed headers are kept", () =>
    expect(
      keepHeaders({
        "Content-Type": "text/event-stream",
        "anthropic-version": "2023-06-01",
        "x-api-key": "k",
        Authorization: "Bearer k",
        "set-cookie": "session=1",
        "openai-organization": "org-1",
        "request-id": "req_1",
        "cf-ray": "1",
      }),
    ).toEqual({ "content-type": "text/event-stream", "anthropic-version": "2023-06-01" }))

  const key = 'canary/"key+1'
  test.each<readonly [kind: string, text: string]>([
    ["the key that was used", `said ${key}`],
    ["the key that was used", JSON.stringify({ text: key })],
    ["the key that was used", encodeURIComponent(key)],
    ["the key that was used", Buffer.from(key).toString("base64")],
    ["an API key", "sk-ant-api03-0123456789abcdef"],
    ["an API key of Google", `AIza${"x".repeat(35)}`],
    ["an access key of AWS", "AKIA0123456789ABCDEF"],
    ["a bearer token", "Authorization: Bearer abcdef0123456789"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----"],
    ["an organisation's id", "org-0123456789abcdef"],
  ])("%s is found in %s", (kind, text) => expect(findSecrets(["nothing", text], [key])).toContain(kind))

  test("ordinary traffic holds none", () =>
    expect(
      findSecrets(
        ['{"id":"msg_01XFDUDYJgAACzvnptvVoYEL","text":"Use an sk- prefix, task-force, none"}'],
        ["none", ""],
      ),
    ).toEqual([]))
})
