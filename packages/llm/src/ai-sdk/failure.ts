/**
 * What a model object threw or streamed as an error, as one of our failures (TU4, TU5, LL6).
 *
 * Errors of the AI SDK are told by their shape: an answer with a status is read like any provider's,
 * the rest by name. Only words of the answer are quoted, and those without anything like a key.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { buildFailure, refineCode } from "../failure/failure.ts"
import { failureOfAnswer, failureOfError } from "../failure/openai.ts"
import { fieldsOf, headersOf, isFields, meaningOf, textOf } from "../json-fields.ts"
import type { FailureCode, ProviderFailure } from "../wire.ts"

/** An error as it travels from the transport to the decoder: words and facts, no object of anybody's. */
export function describeError(error: unknown): JsonObject {
  if (!isFields(error)) return { message: textOf(error) }
  const { name, message, statusCode, responseHeaders, responseBody, isRetryable, cause } = error
  if (!(error instanceof Error) && statusCode === undefined) return { value: plainOf(error) }
  return {
    name: textOf(name),
    message: textOf(message),
    ...(typeof statusCode === "number" ? { status: statusCode } : {}),
    ...(isFields(responseHeaders) ? { headers: plainOf(responseHeaders) } : {}),
    ...(typeof responseBody === "string" ? { body: responseBody } : {}),
    ...(typeof isRetryable === "boolean" ? { retryable: isRetryable } : {}),
    ...(isFields(cause) && typeof cause["code"] === "string" ? { cause: cause["code"] } : {}),
  }
}

/** `otherwise` is what an error means that says nothing of itself. */
export function failureOfDescribed(
  described: unknown,
  otherwise: FailureCode,
  nowMs: number,
): ProviderFailure {
  const { value, name, message, status, headers, body, retryable, cause } = fieldsOf(described)
  if (value !== undefined) return failureOfError(value)
  const words = textOf(message)
  if (typeof status === "number") {
    const said = textOf(body) === "" ? words : textOf(body)
    return failureOfAnswer(status, headersOf(headers), said, nowMs)
  }
  const named = codeOfName(textOf(name))
  const network = retryable === true || typeof cause === "string" ? ("transport" as const) : undefined
  const code = refineCode(named ?? network ?? otherwise, words)
  return buildFailure(code, null, words, null)
}

/** documented: names of the AI SDK's errors. */
const codeOfName = meaningOf<FailureCode>({
  authentication: "AI_LoadAPIKeyError AI_LoadSettingError",
  not_found: "AI_NoSuchModelError",
  invalid_request:
    "AI_InvalidPromptError AI_InvalidArgumentError AI_UnsupportedFunctionalityError AI_UnsupportedModelVersionError",
  malformed_stream:
    "AI_EmptyResponseBodyError AI_InvalidResponseDataError AI_JSONParseError AI_TypeValidationError",
})

/** A value as JSON; what cannot be written is left out. */
export function plainOf(value: unknown): Json {
  try {
    return (JSON.parse(JSON.stringify(value) ?? "null") as Json) ?? null
  } catch {
    // A ring or a number that JSON has no word for; nothing of it can be told.
    return null
  }
}
