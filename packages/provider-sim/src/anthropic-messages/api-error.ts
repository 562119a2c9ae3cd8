/** API errors: a refusal of the Messages API and its body on the wire. */
import type { ApiErrorType } from "../faults.ts"
import type { Refusal } from "../sim-wire.ts"

/** documented: 400 is the status of every malformed request. */
export function invalid(message: string): Refusal {
  return refusal(400, "invalid_request_error", message)
}

export function refusal(status: number, type: ApiErrorType, message: string): Refusal {
  return { status, type, message }
}

/** documented: `{type: "error", error: {type, message}, request_id}`. */
export function errorBody(error: Pick<Refusal, "type" | "message">, requestId: string) {
  return {
    type: "error",
    error: { type: error.type, message: error.message },
    request_id: requestId,
  } as const
}
