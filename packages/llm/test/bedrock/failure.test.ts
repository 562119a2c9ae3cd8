/** Refusals of Bedrock to typed failures. Texts are marked with their source. */
import { expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import type { FailureCode } from "../../src/wire.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const said = (message: string) => JSON.stringify({ message })

test.each<[FailureCode, boolean, number, string, string]>([
  ["context_overflow", false, 400, "ValidationException", said("Input is too long for requested model.")], // recorded
  [
    "context_overflow",
    false,
    400,
    "ValidationException:http://internal.amazon.com/coral/",
    said("The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum"),
  ], // recorded
  [
    "signature_rejected",
    false,
    400,
    "ValidationException",
    said(
      "The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
  ], // recorded
  [
    "context_overflow",
    false,
    400,
    "ValidationException",
    said("Input Tokens Exceeded: Number of input tokens exceeds maximum length"),
  ], // recorded
  ["request_too_large", false, 413, "ValidationException", said("request body too large")], // recorded
  ["request_too_large", false, 413, "", "<html>Request Entity Too Large</html>"], // assumed
  ["context_overflow", false, 413, "ValidationException", said("Input is too long for requested model.")], // assumed
  ["not_found", false, 400, "ValidationException", said("The provided model identifier is invalid.")], // recorded
  [
    "invalid_request",
    false,
    400,
    "ValidationException",
    said("Cache point cannot be inserted after reasoning block."),
  ], // recorded
  ["rate_limit", true, 429, "ThrottlingException", said("Too many tokens, please wait before trying again.")], // recorded
  ["rate_limit", true, 400, "ThrottlingException:http://internal.amazon.com/coral/", said("Rate exceeded")], // recorded
  ["quota", false, 400, "ServiceQuotaExceededException", said("Your request exceeds the service quota.")], // documented
  ["overloaded", true, 429, "ModelNotReadyException", said("The model is not ready.")], // documented
  ["server_error", true, 408, "ModelTimeoutException", said("The model timed out.")], // documented
  ["server_error", true, 424, "ModelErrorException", said("The request failed in the model.")], // documented
  ["overloaded", true, 503, "ServiceUnavailableException", said("The service is not available.")], // documented
  ["server_error", true, 500, "InternalServerException", said("An internal error.")], // documented
  ["permission", false, 403, "AccessDeniedException", said("You don't have access to the model.")], // recorded
  [
    "authentication",
    false,
    403,
    "AccessDeniedException",
    JSON.stringify({ Message: "Authentication failed: Please make sure your API Key is valid." }),
  ], // recorded
  ["authentication", false, 403, "ExpiredTokenException", said("The security token included is expired.")], // documented
  ["authentication", false, 403, "UnrecognizedClientException", said("The security token is invalid.")], // documented
  [
    "authentication",
    false,
    403,
    "InvalidSignatureException",
    said("The request signature we calculated does not match"),
  ], // documented
  ["not_found", false, 404, "ResourceNotFoundException", said("Could not resolve the foundation model.")], // documented
  [
    "rate_limit",
    true,
    429,
    "",
    JSON.stringify({ __type: "com.amazon#ThrottlingException", message: "slow" }),
  ], // recorded
  ["server_error", true, 502, "", "<html>Bad Gateway</html>"], // assumed
  ["unknown", false, 418, "constructor", "short and stout"], // assumed
])("[TU4 TU5] is %s (retryable: %s) for status %i, %s: %s", (code, retryable, status, type, body) => {
  const headers = type === "" ? {} : { "x-amzn-errortype": type }
  expect(bedrockConverse.failure(status, headers, body, now)).toMatchObject({ code, retryable, status })
})

test("[TU4] reads how long to wait, and repeats no token of the session", () => {
  const token = "FwoGZXIvYXdzE".repeat(5)
  const headers = { "x-amzn-errortype": "ThrottlingException", "retry-after": "3" }
  const failure = bedrockConverse.failure(429, headers, said(`slow down, ${token}`), now)
  expect(failure.retryAfterMs).toBe(3_000)
  expect(failure.message).not.toContain(token)
})
