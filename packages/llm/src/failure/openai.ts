/**
 * What a refusal in OpenAI's form means, with the dialects of servers that speak it (TU4, TU5, LL6).
 *
 * documented: `{error: {message, type, param, code}}`. Others nest, flatten or rename it, put a
 * status into `code`, or answer in plain text; whatever words there are, they are read.
 */
import { type Fields, fieldsOf, isFields, listOf, meaningOf, parseFields, textOf } from "../json-fields.ts"
import type { FailureCode, ProviderFailure, Wire } from "../wire.ts"
import { buildFailure, codeOfHttp, refineCode } from "./failure.ts"
import { rateLimitResetMs, retryAfterMs, waitInWords } from "./wait.ts"

/** An answer whose status is not 200. */
export const failureOfAnswer: Wire["failure"] = (status, headers, body, nowMs) => {
  const said = readError(parseFields(body), body)
  const code = codeOf(status, said)
  const reset = code === "rate_limit" ? (rateLimitResetMs(headers, nowMs) ?? waitInWords(said.words)) : null
  return buildFailure(code, status, said.words, retryAfterMs(headers, nowMs) ?? reset)
}

/** An error inside a stream whose status was 200. */
export function failureOfError(error: unknown): ProviderFailure {
  const said = readError(isFields(error) ? error : null, textOf(error))
  return buildFailure(codeOf(null, said), null, said.words, waitInWords(said.words))
}

interface SaidError {
  /** `code` and `type`, the more exact one first. */
  readonly names: readonly string[]
  /** Some write a status into the error. */
  readonly status: number | null
  readonly words: string
}

function readError(value: Fields | null, body: string): SaidError {
  if (value === null) return { names: [], status: null, words: body }
  const error = isFields(value["error"]) ? value["error"] : value
  const code = error["code"] ?? value["code"]
  const words = [
    ...wordsOf(error["message"]),
    ...wordsOf(value["error"]),
    ...wordsOf(value["detail"]),
    // OpenRouter passes on what the provider behind it said.
    ...wordsOf(fieldsOf(error["metadata"])["raw"]),
  ]
  return {
    names: [textOf(code), textOf(error["type"]), textOf(value["type"])].filter((name) => name !== ""),
    status: typeof code === "number" && code >= 400 && code < 600 ? code : null,
    words: words.length === 0 ? body : words.join(" "),
  }
}

function wordsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return value === "" ? [] : [value]
  if (Array.isArray(value)) return listOf(value).flatMap((item) => wordsOf(fieldsOf(item)["msg"] ?? item))
  return isFields(value) && value["detail"] !== undefined ? wordsOf(value["detail"]) : []
}

/** documented by OpenAI or by those who speak its form, or recorded. */
const codeOfName = meaningOf<FailureCode>({
  // The second is recorded.
  context_overflow: "context_length_exceeded exceed_context_size_error",
  // One text of the body alone.
  request_too_large: "string_above_max_length",
  // The last two are recorded.
  quota:
    "insufficient_quota billing_hard_limit_reached billing_not_active insufficient_balance usage_limit_reached usage_not_included",
  signature_rejected: "invalid_encrypted_content", // recorded
  authentication: "invalid_api_key authentication_error invalid_authentication",
  permission: "permission_denied permission_error",
  not_found: "model_not_found not_found_error",
  rate_limit: "rate_limit_exceeded rate_limit_error too_many_requests",
  // The last is recorded, and that of an overload too.
  content_policy: "content_filter content_policy_violation invalid_prompt cyber_policy_violation",
  server_error: "server_error internal_error internal_server_error api_error timeout",
  overloaded: "overloaded overloaded_error slow_down service_unavailable server_is_overloaded",
  invalid_request: "invalid_request_error",
})

const codeOfStatus: Readonly<Record<number, FailureCode>> = {
  498: "overloaded", // documented: Groq, no capacity in this tier
  503: "overloaded",
}

function codeOf(status: number | null, said: SaidError): FailureCode {
  const names = said.names.map((name) => name.toLowerCase())
  const named = names.map(codeOfName).find((code) => code !== undefined)
  const number = said.status ?? status
  const byStatus = codeOfHttp(number, codeOfStatus)
  // A generic name says less than a status such as 413 or 429.
  const exact = named === "invalid_request" ? undefined : named
  const code = refineCode(exact ?? byStatus ?? named ?? "unknown", said.words)
  // recorded: Mistral and Cerebras refuse what does not fit without a word.
  const silent = said.words.trim() === "" && (number === 413 || number === 400)
  return silent ? "context_overflow" : code
}
