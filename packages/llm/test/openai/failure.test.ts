/** Refusals in OpenAI's form and its dialects to typed failures. Texts are marked with their source. */
import { describe, expect, test } from "vitest"
import { overflow } from "../../src/failure/texts.ts"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import type { FailureCode } from "../../src/wire.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const error = (message: string, more: object = {}) => JSON.stringify({ error: { message, ...more } })
const fail = (status: number, body: string, headers: Record<string, string> = {}) =>
  openaiChat.failure(status, headers, body, now)

describe("a refusal", () => {
  test.each<[FailureCode, boolean, number, string]>([
    ["authentication", false, 401, error("Incorrect API key provided", { code: "invalid_api_key" })], // documented
    ["permission", false, 403, error("Country, region, or territory not supported")], // documented
    ["not_found", false, 404, error("The model `x` does not exist", { code: "model_not_found" })], // documented
    ["rate_limit", true, 429, error("Rate limit reached for gpt-5", { code: "rate_limit_exceeded" })], // documented
    ["rate_limit", true, 429, "slow down please"], // assumed
    ["quota", false, 429, error("You exceeded your current quota", { code: "insufficient_quota" })], // documented
    ["quota", false, 429, error("x", { code: "insufficient_quota" })], // documented
    ["quota", false, 402, error("Insufficient Balance", { type: "unknown_error" })], // recorded: DeepSeek
    ["quota", false, 402, error("This request requires more credits", { code: 402 })], // recorded: OpenRouter
    ["server_error", true, 500, error("The server had an error", { type: "server_error" })], // documented
    ["server_error", true, 502, "<html>Bad Gateway</html>"], // assumed
    ["overloaded", true, 503, error("The engine is currently overloaded")], // documented
    ["overloaded", true, 498, error("Flex tier capacity exceeded")], // documented: Groq
    ["transport", true, 408, ""], // assumed
    ["invalid_request", false, 400, error("Unknown parameter: 'x'", { type: "invalid_request_error" })], // recorded
    ["invalid_request", false, 422, JSON.stringify({ detail: [{ msg: "Extra inputs are not permitted" }] })], // recorded: Mistral
    [
      "content_policy",
      false,
      400,
      error("flagged as potentially violating our usage policy", { code: "invalid_prompt" }),
    ], // recorded
    ["content_policy", false, 400, error("The response was filtered due to the content management policy")], // recorded: Azure
    [
      "signature_rejected",
      false,
      400,
      error("The encrypted content gAAA...DQ== could not be verified.", {
        code: "invalid_encrypted_content",
      }),
    ], // recorded
    [
      "signature_rejected",
      false,
      400,
      error("Item 'rs_0a' of type 'reasoning' was provided without its required following item."),
    ], // recorded
    [
      "signature_rejected",
      false,
      400,
      error(
        "Item 'fc_0a' of type 'function_call' was provided without its required 'reasoning' item: 'rs_0b'.",
      ),
    ], // recorded
    [
      "signature_rejected",
      false,
      404,
      error("Item with id 'rs_0a' not found. Items are not persisted when `store` is set to false.", {
        type: "invalid_request_error",
      }),
    ], // recorded
    ["request_too_large", false, 413, "<html>413 Request Entity Too Large</html>"], // recorded
    ["unknown", false, 418, "short and stout"], // assumed
  ])("[TU4] is %s (retryable: %s) for status %i: %s", (code, retryable, status, body) => {
    expect(fail(status, body)).toMatchObject({ code, retryable, status })
    expect(openaiResponses.failure(status, {}, body, now)).toMatchObject({ code, retryable, status })
  })

  test.each<[string, number, string]>([
    ["OpenAI, documented", 400, error("x", { code: "context_length_exceeded" })],
    [
      "OpenAI, recorded",
      400,
      error("Your input exceeds the context window of this model. Please adjust your input and try again."),
    ],
    [
      "OpenAI, recorded",
      400,
      error(
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130011 tokens.",
      ),
    ],
    [
      "OpenAI, recorded",
      429,
      error(
        "Request too large for gpt-4o in organization org-abc123def on tokens per min (TPM): Limit 30000, Requested 42000.",
        { code: "rate_limit_exceeded" },
      ),
    ],
    ["Groq, recorded", 400, error("Please reduce the length of the messages or completion.")],
    [
      "Groq, recorded",
      413,
      error("Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 9000", {
        code: "rate_limit_exceeded",
      }),
    ],
    [
      "xAI, recorded",
      400,
      JSON.stringify({
        code: "Client specified an invalid argument",
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      }),
    ],
    [
      "OpenRouter, recorded",
      400,
      error("Provider returned error", {
        code: 400,
        metadata: { raw: "This endpoint's maximum context length is 65536 tokens." },
      }),
    ],
    [
      "DeepSeek, recorded",
      400,
      error("This model's maximum context length is 131072 tokens. However, you requested 140000 tokens"),
    ],
    [
      "Mistral, recorded",
      400,
      JSON.stringify({
        object: "error",
        message: "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
      }),
    ],
    ["Mistral, recorded", 413, ""],
    ["Cerebras, recorded", 400, ""],
    [
      "vLLM, recorded",
      400,
      JSON.stringify({
        object: "error",
        message: "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        code: 400,
      }),
    ],
    [
      "llama.cpp, recorded",
      400,
      error("the request exceeds the available context size, try increasing it", {
        type: "exceed_context_size_error",
      }),
    ],
    ["llama.cpp, recorded", 500, error("the request exceeds the available context size")],
    [
      "LM Studio, recorded",
      400,
      JSON.stringify({
        error: "The number of tokens to keep from the initial prompt is greater than the context length.",
      }),
    ],
    ["Ollama, recorded", 400, error("prompt too long; exceeded max context length by 12 tokens")],
    ["plain text, assumed", 400, "input is too long for requested model"],
    ["plain text, assumed", 413, "prompt is too long: 213462 tokens > 200000 maximum"],
  ])("[TU5] of %s (%i) is an overflow: %s", (_, status, body) => {
    expect(fail(status, body)).toMatchObject({ code: "context_overflow", retryable: false })
  })

  test("[TU5] is told from a limit that waiting lifts", () => {
    expect(fail(429, error("Too many tokens, please wait before trying again."))).toMatchObject({
      code: "rate_limit",
    })
    expect(overflow.every(({ by, source }) => by !== "" && source !== undefined)).toBe(true)
  })

  test.each([
    "null",
    "[]",
    '{"error":null}',
    '{"error":"text"}',
    '{"error":{"type":7,"code":{}}}',
    "{",
    '{"detail":{"detail":[]}}',
  ])("[LL6] with the body %s is still typed by its status", (body) =>
    expect(fail(503, body)).toMatchObject({ code: "overloaded" }),
  )

  test("[TU4] says what to do, and hides keys and accounts", () => {
    const key = `sk-proj-${"aB3".repeat(20)}`
    const said = `Incorrect API key provided: ${key}, sk-abcd********wxyz of org-Abc123Def456 proj_Abc123Def456 user-Abc123 ${"word ".repeat(500)}`
    const { message } = fail(401, error(said))
    expect(message).toContain("Check the key")
    for (const secret of ["aB3aB3", "abcd", "wxyz", "Abc123"]) expect(message).not.toContain(secret)
    expect(message.length).toBeLessThan(700)
  })

  test.each<[Record<string, string>, string, number | null]>([
    [{}, "", null],
    [{ "retry-after": "2" }, "", 2_000],
    [{ "retry-after-ms": "150", "retry-after": "9" }, "", 150],
    [{ "retry-after": "1", "x-ratelimit-reset-tokens": "6m0s" }, "", 1_000],
    [{ "x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s" }, "", 1_000],
    [
      {
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-reset-tokens": "6m0.5s",
        "x-ratelimit-remaining-tokens": "0",
      },
      "",
      360_500,
    ],
    [
      {
        "x-ratelimit-reset-requests": "1s",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-remaining-tokens": "0",
      },
      "",
      360_000,
    ],
    [{ "x-ratelimit-reset-requests": "17ms" }, "", 17],
    [{ "x-ratelimit-reset": "1767225630000" }, "", 30_000],
    [{ "x-ratelimit-reset": "1767225630" }, "", 30_000],
    [{ "x-ratelimit-reset-tokens": "soon" }, "Please try again in 1m2.5s.", 62_500],
    [{}, "Please try again in 20ms.", 20],
  ])("[TU4] tells how long to wait: %j %s", (headers, words, wait) => {
    expect(fail(429, error(words || "limit"), headers).retryAfterMs).toBe(wait)
  })
})

test.each([
  ["https://api.openai.com", "https://api.openai.com/v1/chat/completions"],
  ["https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"],
  ["https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1/chat/completions"],
  ["https://x.example/api/paas/v4", "https://x.example/api/paas/v4/chat/completions"],
  ["http://127.0.0.1:1/v1/chat/completions", "http://127.0.0.1:1/v1/chat/completions"],
])("[LL1] is spoken at the address of %s", (base, address) => {
  expect(openaiChat.address(base)).toBe(address)
  expect(openaiResponses.address("https://api.openai.com")).toBe("https://api.openai.com/v1/responses")
  expect(openaiChat.headers("k")).toMatchObject({ authorization: "Bearer k" })
})
