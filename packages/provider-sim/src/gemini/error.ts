/** API errors of Google: `{error: {code, message, status, details?}}` (recorded). */
import type { Refusal } from "../sim-wire.ts"

export function invalid(message: string): Refusal {
  return { status: 400, type: "INVALID_ARGUMENT", message }
}

/** recorded: which field is wrong stands in the details too. */
export function invalidField(message: string, field: string): Refusal {
  const violation = { ...(field === "" ? {} : { field }), description: message }
  return {
    ...invalid(message),
    details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [violation] }],
  }
}

export function errorBody({ status, message, type, details }: Refusal) {
  return { error: { code: status, message, status: type, ...(details === undefined ? {} : { details }) } }
}
