/** Refusals to typed failures. Texts are marked with where they come from. */
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { retryAfterMs } from "../src/failure/wait.ts"
import type { FailureCode } from "../src/wire.ts"
import { wires } from "../src/wires.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const bodyOf = (type: string, message: string) => JSON.stringify({ type: "error", error: { type, message } })
const fail = (status: number, body: string, headers: Record<string, string> = {}) =>
  anthropicMessages.failure(status, headers, body, now)

test.each([
  ["Could not process image", "Detail: Could not process image."],
  ["Overloaded.", "Detail: Overloaded."],
  ["Is it there?", "Detail: Is it there?"],
])("the words of a provider end as a sentence, since others may follow: %s", (words, said) =>
  expect(fail(400, bodyOf("invalid_request_error", words)).message.endsWith(said)).toBe(true),
)

describe("a refusal", () => {
  test.each<[FailureCode, boolean, number, string]>([
    ["rate_limit", true, 429, bodyOf("rate_limit_error", "Number of requests has exceeded your limit")], // documented
    ["overloaded", true, 529, bodyOf("overloaded_error", "Overloaded")], // documented
    ["overloaded", true, 529, "upstream busy"], // assumed
    ["server_error", true, 500, bodyOf("api_error", "Internal server error")], // documented
    ["server_error", true, 502, "<html>Bad Gateway</html>"], // assumed
    ["server_error", true, 503, ""], // assumed
    ["server_error", true, 504, bodyOf("timeout_error", "Timed out")], // documented
    ["transport", true, 408, ""], // assumed
    ["authentication", false, 401, bodyOf("authentication_error", "invalid x-api-key")], // recorded
    ["permission", false, 403, bodyOf("permission_error", "no access to this model")], // documented
    ["not_found", false, 404, bodyOf("not_found_error", "model: nope")], // recorded
    ["request_too_large", false, 413, bodyOf("request_too_large", "Request exceeds the maximum size")], // documented
    [
      "invalid_request",
      false,
      400,
      bodyOf("invalid_request_error", "messages: at least one message is required"),
    ], // recorded
    [
      "context_overflow",
      false,
      400,
      bodyOf("invalid_request_error", "prompt is too long: 203524 tokens > 200000 maximum"),
    ], // recorded
    [
      "context_overflow",
      false,
      400,
      bodyOf(
        "invalid_request_error",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
      ),
    ], // recorded
    ["context_overflow", false, 413, bodyOf("request_too_large", "Prompt is too long")], // assumed
    [
      "signature_rejected",
      false,
      400,
      bodyOf("invalid_request_error", "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ], // recorded
    [
      "signature_rejected",
      false,
      400,
      bodyOf(
        "invalid_request_error",
        "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
      ),
    ], // recorded
    [
      "quota",
      false,
      400,
      bodyOf("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    ], // recorded
    ["quota", false, 402, bodyOf("billing_error", "payment required")], // documented
    ["quota", false, 429, bodyOf("rate_limit_error", "You exceeded your current quota")], // assumed
    [
      "content_policy",
      false,
      400,
      bodyOf("invalid_request_error", "Output blocked by content filtering policy"),
    ], // recorded
    ["unknown", false, 418, "short and stout"], // assumed
    ["unknown", false, 301, ""], // assumed
  ])("[TU4] is %s (retryable: %s) for status %i", (code, retryable, status, body) => {
    expect(fail(status, body)).toMatchObject({ code, retryable, status })
  })

  test.each(["null", "[]", '{"error":null}', '{"error":"text"}', '{"error":{"type":7}}', "{"])(
    "[LL6] with the body %s is still typed by its status",
    (body) => expect(fail(503, body)).toMatchObject({ code: "server_error" }),
  )

  test("[TU4] says what to do, quotes little and hides what looks like a key", () => {
    const key = `sk-ant-api03-${"aB3".repeat(20)}`
    const { message } = fail(401, bodyOf("authentication_error", `bad key ${key} ${"word ".repeat(500)}`))
    expect(message).toContain("Check the key")
    expect(message).toContain("[hidden]")
    expect(message).not.toContain("aB3aB3")
    expect(message.length).toBeLessThan(700)
  })

  test.each<[Record<string, string>, number | null]>([
    [{}, null],
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, 30_000],
    [{ "retry-after": "Thu, 01 Jan 2025 00:00:00 GMT" }, 0],
    [{ "retry-after-ms": "150", "retry-after": "9" }, 150],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9_000],
    [{ "retry-after": "-5" }, null],
    [{ "retry-after": "later" }, null],
  ])("[TU4] tells how long to wait: %j", (headers, wait) => {
    expect(retryAfterMs(headers, now)).toBe(wait)
    expect(fail(429, "", headers).retryAfterMs).toBe(wait)
  })
})

test.each([
  "Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
  "Input length 140000 exceeds maximum length 131072",
  "Prompt exceeds max length",
  "Range of input length should be [1, 129024]",
])("[TU5] is an overflow in plain words, on every wire: %s", (words) => {
  for (const wire of Object.values(wires)) {
    expect(wire.failure(400, {}, words, now).code).toBe("context_overflow")
    expect(wire.failure(413, {}, words, now).code).toBe("context_overflow")
  }
})
