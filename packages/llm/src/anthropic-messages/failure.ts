/**
 * What a refusal of the Messages API means: status, error type and known texts to one typed failure
 * (TU4, TU5, LL6).
 */
import { buildFailure, codeOfHttp, refineCode } from "../failure/failure.ts"
import { retryAfterMs } from "../failure/wait.ts"
import { fieldsOf, meaningOf, parseJson, textOf } from "../json-fields.ts"
import type { FailureCode, ProviderFailure, Wire } from "../wire.ts"

export const failureOfAnswer: Wire["failure"] = (status, headers, body, nowMs) => {
  const error = parseError(body)
  const code = codeOf(status, error.type, error.message)
  return buildFailure(code, status, error.message, retryAfterMs(headers, nowMs))
}

/** An `error` event inside a stream whose status was 200. */
export const failureOfEvent = (type: string, message: string): ProviderFailure =>
  buildFailure(codeOf(null, type, message), null, message, null)

/** documented: `{type: "error", error: {type, message}}`. Proxies answer with anything. */
function parseError(body: string): Readonly<Record<"type" | "message", string>> {
  const value = parseJson(body)
  const error = fieldsOf(value)["error"] ?? value
  if (typeof error === "string") return { type: "", message: error }
  const { type, message } = fieldsOf(error)
  return { type: textOf(type), message: typeof message === "string" ? message : body }
}

/** documented: the error types of the Messages API. */
const codeOfType = meaningOf<FailureCode>({
  invalid_request: "invalid_request_error",
  authentication: "authentication_error",
  quota: "billing_error",
  permission: "permission_error",
  not_found: "not_found_error",
  request_too_large: "request_too_large",
  rate_limit: "rate_limit_error",
  server_error: "timeout_error api_error",
  overloaded: "overloaded_error",
})

const codeOf = (status: number | null, type: string, message: string): FailureCode =>
  refineCode(codeOfType(type) ?? codeOfHttp(status) ?? "unknown", message)
