/** Faults of the Messages API: statuses, words and events. */
import { retryAfter } from "../faults.ts"
import type { ApiErrorType } from "../faults.ts"
import type { FaultForms, Refusal } from "../sim-wire.ts"
import { textEvent } from "../stream.ts"
import { errorBody, invalid, refusal } from "./api-error.ts"
import { facts } from "./facts.ts"
import type { AnswerMessage } from "./message.ts"
import { event } from "./stream.ts"

const kinds: Readonly<Record<ApiErrorType, Refusal>> = {
  invalid_request_error: invalid(facts.bodyNotObject),
  authentication_error: refusal(401, "authentication_error", facts.keyInvalid),
  permission_error: refusal(403, "permission_error", facts.keyInvalid),
  not_found_error: refusal(404, "not_found_error", facts.notFound),
  request_too_large: refusal(413, "request_too_large", facts.bodyTooLarge),
  rate_limit_error: refusal(429, "rate_limit_error", facts.rateLimited),
  api_error: refusal(500, "api_error", facts.serverError),
  overloaded_error: refusal(529, "overloaded_error", facts.overloaded),
}

export const faultForms: FaultForms<AnswerMessage> = {
  kinds,
  outOfCredit: invalid(facts.outOfCredit),
  unauthorized: kinds.authentication_error,
  imageBroken: invalid(facts.imageBroken),
  // documented: 429 with `retry-after`.
  rateLimited: (fault, { nowMs }) => ({
    refusal: kinds.rate_limit_error,
    headers: retryAfter(fault, nowMs),
  }),
  overflow: (tokens, tokensMax) => invalid(facts.overflow(tokens, tokensMax)),
  // documented: errors can come after the 200, e.g. `overloaded_error`.
  errorEvents(refused, { scene: { requestId } }) {
    return [event("error", { error: errorBody(refused, requestId).error, request_id: requestId })]
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
