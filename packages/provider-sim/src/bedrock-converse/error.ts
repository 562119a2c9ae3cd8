/** API errors of AWS: the type in a header, `{message}` in the body (recorded). */
import type { Refusal } from "../sim-wire.ts"

export function invalid(message: string): Refusal {
  return { status: 400, type: "ValidationException", message }
}

export function errorBody({ message }: Refusal) {
  return { message }
}
