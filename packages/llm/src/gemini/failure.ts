/**
 * What a refusal of the Gemini API means: status, reason and known texts to one typed failure
 * (TU4, TU5, LL6).
 *
 * documented: `{error: {code, message, status, details}}`, sometimes inside of a list. How long to
 * wait and which limit was passed stand in the details.
 */
import { buildFailure, codeOfHttp, refineCode } from "../failure/failure.ts"
import { retryAfterMs } from "../failure/wait.ts"
import { type Fields, fieldsOf, isFields, listOf, meaningOf, parseJson, textOf } from "../json-fields.ts"
import type { FailureCode, ProviderFailure, Wire } from "../wire.ts"

/** An answer whose status is not 200. */
export const failureOfAnswer: Wire["failure"] = (status, headers, body, nowMs) => {
  const error = readError(parseJson(body), body)
  return buildFailure(
    codeOf(status, error),
    status,
    error.words,
    waitMs(error) ?? retryAfterMs(headers, nowMs),
  )
}

/** An error inside a stream whose status was 200. */
export function failureOfError(value: unknown): ProviderFailure {
  const error = readError(value, "")
  return buildFailure(codeOf(null, error), null, error.words, waitMs(error))
}

interface SaidError {
  readonly status: string
  readonly code: number | null
  readonly words: string
  readonly details: readonly Fields[]
}

/** Proxies answer with anything; the status still says what kind of refusal it is. */
function readError(value: unknown, body: string): SaidError {
  const whole = fieldsOf(Array.isArray(value) ? value[0] : value)
  const error = isFields(whole["error"]) ? whole["error"] : whole
  const { code } = error
  return {
    status: textOf(error["status"]),
    code: typeof code === "number" ? code : null,
    words: textOf(error["message"]) || textOf(whole["error"]) || body,
    details: listOf(error["details"]).map(fieldsOf),
  }
}

/** documented: canonical codes of Google's APIs. */
const codeOfStatus = meaningOf<FailureCode>({
  invalid_request: "INVALID_ARGUMENT OUT_OF_RANGE",
  permission: "FAILED_PRECONDITION PERMISSION_DENIED",
  authentication: "UNAUTHENTICATED",
  not_found: "NOT_FOUND",
  rate_limit: "RESOURCE_EXHAUSTED",
  server_error: "CANCELLED ABORTED UNKNOWN INTERNAL DATA_LOSS DEADLINE_EXCEEDED",
  overloaded: "UNAVAILABLE",
})

/** Words that say more than the status; `source` as in the shared texts: all of them recorded. */
const known: readonly (readonly [pattern: RegExp, code: FailureCode])[] = [
  [/api[ _]key (?:not valid|expired|not found)|api_key_invalid/i, "authentication"],
  [/thought[ _]?signature/i, "signature_rejected"],
  [/(?:request payload size|content size) exceeds/i, "request_too_large"],
]

function codeOf(status: number | null, error: SaidError): FailureCode {
  const number = error.code ?? status
  const code = codeOfStatus(error.status) ?? codeOfHttp(number, { 503: "overloaded" }) ?? "unknown"
  if (code === "rate_limit") return limitOf(error)
  if (code === "invalid_request" || code === "permission" || code === "request_too_large") {
    const said = known.find(([pattern]) => pattern.test(`${error.words} ${reasonsOf(error)}`))
    if (said !== undefined) return said[1]
  }
  return refineCode(code, error.words)
}

/**
 * recorded: every limit, even one for a minute, is told in the words of a spent quota. The details
 * say which it is: a limit for a day is not waited for, one with a wait is.
 */
function limitOf(error: SaidError): FailureCode {
  const limits = error.details.flatMap((detail) => listOf(detail["violations"]).map(fieldsOf))
  const names = limits.map((limit) => `${textOf(limit["quotaId"])} ${textOf(limit["quotaMetric"])}`).join(" ")
  if (/per_?day/i.test(names) || /limit: 0\b/.test(error.words)) return "quota"
  if (waitMs(error) !== null || /per_?minute/i.test(names)) return "rate_limit"
  return refineCode("rate_limit", error.words)
}

const reasonsOf = ({ details }: SaidError): string =>
  details.map((detail) => textOf(detail["reason"])).join(" ")

/** documented: `RetryInfo.retryDelay`, such as `12.5s`; the words repeat it. */
function waitMs({ details, words }: SaidError): number | null {
  const delay = details.map((detail) => textOf(detail["retryDelay"])).find((text) => text !== "")
  const said = delay ?? /please retry in (\d+(?:\.\d+)?m?s)/i.exec(words)?.[1]
  const found = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(said ?? "")
  if (found === null) return null
  return Math.ceil(Number(found[1]) * (found[2] === "ms" ? 1 : 1_000))
}
