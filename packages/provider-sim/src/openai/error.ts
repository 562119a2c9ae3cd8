/** API errors of OpenAI: `{error: {message, type, param, code}}` (recorded). */
import type { Refusal } from "../sim-wire.ts"

/** documented: 400 is the status of every malformed request. */
export function invalid(message: string, param: string | null = null, code: string | null = null): Refusal {
  return { status: 400, type: "invalid_request_error", message, param, code }
}

export function errorBody(refusal: Refusal) {
  return { error: errorOf(refusal) }
}

export function errorOf({ message, type, param = null, code = null }: Refusal) {
  return { message, type, param, code }
}

/** recorded: the content types; documented: id and version are headers of every response. */
export function openaiHeaders(
  content: "json" | "stream",
  requestId: string,
): Readonly<Record<string, string>> {
  return {
    "content-type": content === "json" ? "application/json" : "text/event-stream; charset=utf-8",
    "x-request-id": requestId,
    "openai-version": "2020-10-01",
  }
}
