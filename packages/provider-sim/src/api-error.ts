/**
 * API errors: a refusal as a value, and its body on the wire.
 *
 * Every rule of this package carries a mark that says where it comes from:
 *   documented  the provider's documentation states it;
 *   recorded    the literal text was seen in real traffic, ours or quoted in a public report;
 *   assumed     the behaviour is certain enough to simulate, the wording is ours.
 */
import type { SimResponse } from "./exchange.ts"

/** documented: the error types of the Messages API. */
export type ApiErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "permission_error"
  | "not_found_error"
  | "request_too_large"
  | "rate_limit_error"
  | "api_error"
  | "overloaded_error"

export interface Refusal {
  readonly status: number
  readonly type: ApiErrorType
  readonly message: string
}

/** documented: 400 is the status of every malformed request. */
export function invalid(message: string): Refusal {
  return { status: 400, type: "invalid_request_error", message }
}

/** documented: `{type: "error", error: {type, message}, request_id}`. */
export function errorBody(error: Omit<Refusal, "status">, requestId: string) {
  return {
    type: "error",
    error: { type: error.type, message: error.message },
    request_id: requestId,
  } as const
}

/** The response that carries a refusal; `headers` adds to the usual ones. */
export function errorResponse(
  refusal: Refusal,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
  headersAfterMs = 0,
): SimResponse {
  return jsonResponse(
    refusal.status,
    errorBody(refusal, requestId),
    requestId,
    {
      // recorded: the service tells its own clients whether a repeat can help.
      "x-should-retry": refusal.status === 429 || refusal.status >= 500 ? "true" : "false",
      ...headers,
    },
    headersAfterMs,
  )
}

/** A whole JSON document as a response. */
export function jsonResponse(
  status: number,
  value: unknown,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
  headersAfterMs = 0,
): SimResponse {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return {
    status,
    headers: {
      "content-type": "application/json",
      "content-length": String(bytes.length),
      "request-id": requestId,
      ...headers,
    },
    headersAfterMs,
    frames: [{ kind: "bytes", afterMs: 0, bytes }],
  }
}
