/** Refusals of the Gemini API to typed failures. Texts are marked with their source. */
import { expect, test } from "vitest"
import { gemini } from "../../src/gemini/index.ts"
import type { FailureCode } from "../../src/wire.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const error = (code: number, status: string, message: string, details: readonly object[] = []) =>
  JSON.stringify({ error: { code, message, status, details } })
const fail = (status: number, body: string, headers: Record<string, string> = {}) =>
  gemini.failure(status, headers, body, now)

const spent = "You exceeded your current quota, please check your plan and billing details."
const limit = (quotaId: string) => ({
  "@type": "type.googleapis.com/google.rpc.QuotaFailure",
  violations: [
    { quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests", quotaId },
  ],
})
const wait = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay })

test.each<[FailureCode, boolean, number, string]>([
  [
    "authentication",
    false,
    400,
    error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      { reason: "API_KEY_INVALID" },
    ]),
  ], // recorded
  ["authentication", false, 401, error(401, "UNAUTHENTICATED", "Request had invalid credentials.")], // documented
  ["permission", false, 403, error(403, "PERMISSION_DENIED", "Generative Language API has not been used")], // recorded
  [
    "permission",
    false,
    400,
    error(400, "FAILED_PRECONDITION", "User location is not supported for the API use."),
  ], // recorded
  ["not_found", false, 404, error(404, "NOT_FOUND", "models/x is not found for API version v1beta")], // recorded
  [
    "rate_limit",
    true,
    429,
    error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
  ], // recorded
  [
    "rate_limit",
    true,
    429,
    error(429, "RESOURCE_EXHAUSTED", spent, [limit("PerMinutePerProject"), wait("9s")]),
  ], // recorded
  ["rate_limit", true, 429, error(429, "RESOURCE_EXHAUSTED", `${spent} Please retry in 7.5s.`)], // recorded
  ["quota", false, 429, error(429, "RESOURCE_EXHAUSTED", spent)], // recorded
  [
    "quota",
    false,
    429,
    error(429, "RESOURCE_EXHAUSTED", spent, [limit("GenerateRequestsPerDayPerProjectPerModel"), wait("9s")]),
  ], // recorded
  ["server_error", true, 500, error(500, "INTERNAL", "An internal error has occurred.")], // recorded
  [
    "server_error",
    true,
    504,
    error(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
  ], // recorded
  ["overloaded", true, 503, error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")], // recorded
  ["server_error", true, 502, "<html>Bad Gateway</html>"], // assumed
  ["invalid_request", false, 400, error(400, "INVALID_ARGUMENT", 'Unknown name "x": Cannot find field.')], // recorded
  [
    "context_overflow",
    false,
    400,
    error(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1048800) exceeds the maximum number of tokens allowed (1048576).",
    ),
  ], // recorded
  [
    "signature_rejected",
    false,
    400,
    error(400, "INVALID_ARGUMENT", "Function call is missing a thought_signature in functionCall parts."),
  ], // recorded
  ["signature_rejected", false, 400, error(400, "INVALID_ARGUMENT", "Corrupted thought signature.")], // recorded
  [
    "request_too_large",
    false,
    400,
    error(400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes."),
  ], // recorded
  ["overloaded", true, 503, `[${error(503, "UNAVAILABLE", "busy")}]`], // recorded: inside of a list
  ["unknown", false, 418, "short and stout"], // assumed
])("[TU4 TU5] is %s (retryable: %s) for status %i: %s", (code, retryable, status, body) => {
  expect(fail(status, body)).toMatchObject({ code, retryable, status })
})

test.each<[string, Record<string, string>, number | null]>([
  [error(429, "RESOURCE_EXHAUSTED", "slow", [wait("12.5s")]), {}, 12_500],
  [error(429, "RESOURCE_EXHAUSTED", "slow", [wait("12.5s")]), { "retry-after": "3" }, 12_500],
  [error(429, "RESOURCE_EXHAUSTED", "Please retry in 850.5ms."), {}, 851],
  [error(429, "RESOURCE_EXHAUSTED", "slow"), { "retry-after": "3" }, 3_000],
  [error(429, "RESOURCE_EXHAUSTED", "slow", [wait("soon")]), {}, null],
])("[TU4] reads from %s how long to wait", (body, headers, waitMs) => {
  expect(fail(429, body, headers).retryAfterMs).toBe(waitMs)
})

test("[TU4] quotes the provider without a key", () => {
  const body = error(400, "INVALID_ARGUMENT", `API key not valid: ${"AIza"}${"x".repeat(40)}`)
  expect(fail(400, body).message).not.toContain("xxxx")
})
