/** Stream parts of AI SDK models as canonical events, and their errors as failures. */
import { expect, test } from "vitest"
import { describeError, failureOfDescribed } from "../../src/ai-sdk/failure.ts"
import { aiSdk } from "../../src/ai-sdk/index.ts"
import { callAt, decode, noUsage, piecesOf, reasoningAt, textAt } from "../answers.ts"
import { failsTyped } from "../any-wire/answer-rules.ts"

const linesOf = (parts: readonly object[]) =>
  Buffer.from(parts.map((part) => `${JSON.stringify(part)}\n`).join(""))

const read = (...pieces: readonly Uint8Array[]) => decode(aiSdk, pieces, "application/jsonl")
const readParts = (parts: readonly object[]) => read(linesOf(parts))

const usage = {
  inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
  outputTokens: { total: 7, text: 5, reasoning: 2 },
}

const whole = [
  { type: "stream-start", warnings: [{ type: "other", message: "x" }] },
  { type: "response-metadata", id: "resp_1", modelId: "large-1" },
  { type: "reasoning-start", id: "0" },
  { type: "reasoning-delta", id: "0", delta: "hm 😀" },
  { type: "reasoning-end", id: "0", providerMetadata: { a: { signature: "s" } } },
  { type: "text-start", id: "0", providerMetadata: { a: { itemId: "m" } } },
  { type: "text-delta", id: "0", delta: "Yes" },
  { type: "text-end", id: "0" },
  { type: "tool-input-start", id: "t1", toolName: "read" },
  { type: "tool-input-delta", id: "t1", delta: '{"path"' },
  {
    type: "tool-call",
    toolCallId: "t1",
    toolName: "read",
    input: '{"path":"a"}',
    providerMetadata: { a: { sig: 1 } },
  },
  { type: "tool-call", toolCallId: "s1", toolName: "search", input: '{"q":1}', providerExecuted: true },
  { type: "tool-result", toolCallId: "s1", toolName: "search", result: ["early"], preliminary: true },
  { type: "tool-result", toolCallId: "s1", toolName: "search", result: ["y"] },
  { type: "source", sourceType: "url", url: "https://example.com" },
  { type: "something-later", value: 1 },
  { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_use" }, usage },
]

test("[LL1 LL4 LL6 LL8] an answer of version 3 and 4 is read in pieces of any size", () => {
  const events = readParts(whole)
  expect(events).toEqual([
    { type: "start", nativeId: "resp_1", usage: noUsage },
    ...reasoningAt(0, ["hm 😀"], { type: "reasoning", providerMetadata: { a: { signature: "s" } } }),
    ...textAt(1, ["Yes"], { opaque: { type: "text", providerMetadata: { a: { itemId: "m" } } } }),
    ...callAt(2, [7], {
      nativeId: "t1",
      name: "read",
      input: { path: "a" },
      raw: '{"path":"a"}',
      opaque: { type: "call", toolCallId: "t1", providerMetadata: { a: { sig: 1 } } },
    }),
    {
      type: "hosted",
      index: 3,
      name: "search",
      opaque: {
        type: "tool-call",
        toolCallId: "s1",
        toolName: "search",
        input: { q: 1 },
        providerExecuted: true,
      },
    },
    {
      type: "hosted",
      index: 4,
      name: "search",
      opaque: { type: "tool-result", toolCallId: "s1", toolName: "search", result: ["y"] },
    },
    {
      type: "finish",
      reason: "calls",
      nativeReason: "tool_use",
      usage: { input: 30, output: 7, cacheRead: 60, cacheWrite: 10 },
    },
  ])
  for (const size of [1, 7, 64]) expect(read(...piecesOf(linesOf(whole), size))).toEqual(events)
})

test("[LL1] version 2 says its finish as a word and its usage as totals", () => {
  const totals = { inputTokens: 100, outputTokens: 7, cachedInputTokens: 60 }
  const parts = [
    { type: "text-delta", id: "0", delta: "Yes" },
    { type: "finish", finishReason: "length", usage: totals },
  ]
  expect(readParts(parts).slice(-2)).toEqual([
    { type: "text-end", index: 0, text: "Yes" },
    {
      type: "finish",
      reason: "length",
      nativeReason: "length",
      usage: { input: 40, output: 7, cacheRead: 60, cacheWrite: 0 },
    },
  ])
})

failsTyped(readParts, [
  ["an end before the finish", [{ type: "text-start", id: "0" }], "stream_cut"],
  [
    "an error as its part",
    [{ type: "error", error: { value: { type: "overloaded_error", message: "Overloaded" } } }],
    "overloaded",
  ],
  [
    "an error as its finish",
    [{ type: "finish", finishReason: { unified: "error" }, usage: {} }],
    "server_error",
  ],
])

test("[LL6] a line that is no object is a malformed stream", () => {
  const decoder = aiSdk.decoder("application/jsonl")
  expect(decoder.push(Buffer.from("[1]\n"))).toMatchObject([
    { type: "failure", failure: { code: "malformed_stream" } },
  ])
  expect(decoder.end()).toEqual([])
})

/** An error in the shape of the AI SDK's own. */
const apiError = (fields: object) =>
  Object.assign(new Error("It failed"), { name: "AI_APICallError", ...fields })

test.each<readonly [code: string, retryable: boolean, error: unknown]>([
  [
    "rate_limit",
    true,
    apiError({ statusCode: 429, responseHeaders: { "Retry-After": "2" }, responseBody: "{}" }),
  ],
  [
    "context_overflow",
    false,
    apiError({ statusCode: 400, responseBody: '{"error":{"message":"prompt is too long"}}' }),
  ],
  ["authentication", false, apiError({ statusCode: 401, responseBody: "" })],
  ["transport", true, apiError({ isRetryable: true })],
  ["transport", true, Object.assign(new TypeError("fetch failed"), { cause: { code: "ECONNREFUSED" } })],
  ["authentication", false, Object.assign(new Error("key is missing"), { name: "AI_LoadAPIKeyError" })],
  [
    "invalid_request",
    false,
    Object.assign(new Error("no files"), { name: "AI_UnsupportedFunctionalityError" }),
  ],
  ["unknown", false, new Error("whatever")],
  ["unknown", false, "whatever"],
  ["overloaded", true, { type: "overloaded_error", message: "later" }],
])("[TU4 TU5] %s, retryable %s", (code, retryable, error) => {
  const failure = failureOfDescribed(describeError(error), "unknown", 0)
  expect([failure.code, failure.retryable]).toEqual([code, retryable])
})

test("[TU4] a wait that the provider asks for is kept, and no key of its words", () => {
  const body = '{"error":{"message":"bad key sk-ant-0123456789abcdef0123"}}'
  const error = apiError({ statusCode: 429, responseHeaders: { "retry-after": "2" }, responseBody: body })
  const failure = failureOfDescribed(describeError(error), "unknown", 0)
  expect(failure.retryAfterMs).toBe(2_000)
  expect(failure.message).not.toContain("0123456789")
})
