/** Faults of the Messages API: statuses, words and events. */
import { overflowOf, retryAfter } from "../faults.ts"
import type { ApiErrorType, Fault } from "../faults.ts"
import type { FaultForms, FaultScene, RefusedFault } from "../sim-wire.ts"
import { textEvent } from "../stream.ts"
import { errorBody, refusal } from "./api-error.ts"
import { facts } from "./facts.ts"
import type { AnswerMessage } from "./message.ts"
import { event } from "./stream.ts"

export const faultForms: FaultForms<AnswerMessage> = {
  refusal: refusedFault,
  errorEvents(fault, { scene: { requestId } }) {
    // documented: errors can come after the 200, e.g. `overloaded_error`.
    const type = fault.type ?? "overloaded_error"
    const message = type === "overloaded_error" ? facts.overloaded : type
    const { error } = errorBody({ type, message }, requestId)
    return [event("error", { error, request_id: requestId })]
  },
  broken: textEvent(
    "broken",
    "other",
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_de\n\n',
  ),
  endless: (events) => ({
    head: [
      ...events.slice(0, 1),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    ],
    more: event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "and so on, " } }),
  }),
}

function refusedFault(fault: Fault, scene: FaultScene): RefusedFault | undefined {
  const refuse = (status: number, type: ApiErrorType, message: string, headers = {}) => ({
    refusal: refusal(status, type, message),
    headers,
  })
  switch (fault.kind) {
    case "rate-limited": // documented: 429 with `retry-after`.
      return refuse(429, "rate_limit_error", facts.rateLimited, retryAfter(fault, scene.nowMs))
    case "out-of-credit":
      return refuse(400, "invalid_request_error", facts.outOfCredit)
    case "overloaded":
      return refuse(529, "overloaded_error", facts.overloaded)
    case "server-error":
      return refuse(500, "api_error", facts.serverError)
    case "unauthorized":
      return refuse(401, "authentication_error", facts.keyInvalid)
    case "overflow": {
      const { tokens, tokensMax } = overflowOf(fault, scene)
      return refuse(400, "invalid_request_error", facts.overflow(tokens, tokensMax))
    }
    case "poisoned-image":
      return refuse(400, "invalid_request_error", facts.imageBroken)
    case "refused":
      return refuse(fault.status, fault.type, fault.message)
    default:
      return undefined
  }
}
