/**
 * What a refusal of the Messages API means: status, error type and known texts to one typed failure
 * (TU4, TU5, LL6).
 */
import { buildFailure, codeOfHttp, refineCode } from "../failure/failure.ts"
import { retryAfterMs } from "../failure/wait.ts"
import type { FailureCode, ProviderFailure } from "../wire.ts"

export function failureOfAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  nowMs: number,
): ProviderFailure {
  const error = parseError(body)
  const code = codeOf(status, error.type, error.message)
  return buildFailure(code, status, error.message, retryAfterMs(headers, nowMs))
}

/** An `error` event inside a stream whose status was 200. */
export const failureOfEvent = (type: string, message: string): ProviderFailure =>
  buildFailure(codeOf(null, type, message), null, message, null)

interface ErrorBody {
  readonly type: string
  readonly message: string
}

/** documented: `{type: "error", error: {type, message}}`. Proxies answer with anything. */
function parseError(body: string): ErrorBody {
  try {
    const value = JSON.parse(body) as { error?: unknown; message?: unknown } | null
    const error = (value?.error ?? value) as { type?: unknown; message?: unknown } | string | null
    if (typeof error === "string") return { type: "", message: error }
    return {
      type: typeof error?.type === "string" ? error.type : "",
      message: typeof error?.message === "string" ? error.message : body,
    }
  } catch {
    // Not JSON: the status still says what kind of refusal it is.
    return { type: "", message: body }
  }
}

/** documented: the error types of the Messages API. */
const codeOfType: Readonly<Record<string, FailureCode>> = {
  invalid_request_error: "invalid_request",
  authentication_error: "authentication",
  billing_error: "quota",
  permission_error: "permission",
  not_found_error: "not_found",
  request_too_large: "request_too_large",
  rate_limit_error: "rate_limit",
  timeout_error: "server_error",
  api_error: "server_error",
  overloaded_error: "overloaded",
}

const codeOfStatus: Readonly<Record<number, FailureCode>> = {
  402: "quota",
  408: "transport",
  422: "invalid_request",
  529: "overloaded",
}

function codeOf(status: number | null, type: string, message: string): FailureCode {
  const known = Object.hasOwn(codeOfType, type) ? codeOfType[type] : undefined
  return refineCode(known ?? codeOfHttp(status, codeOfStatus) ?? "unknown", message)
}
