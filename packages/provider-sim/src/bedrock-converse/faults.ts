/** Faults of Converse: statuses, words, and exceptions in the middle of a stream. */
import { retryAfter } from "../faults.ts"
import type { ApiErrorType } from "../faults.ts"
import type { FaultForms, Refusal } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { eventFrame, exceptionFrame, frame } from "./event-stream.ts"
import { facts } from "./facts.ts"
import { identityRefused } from "./http.ts"

export const overflow: Refusal = invalid(facts.overflow)

const denied = { status: 403, type: "AccessDeniedException", message: facts.tokenInvalid }

/** documented: what Bedrock calls the kinds of error, and their statuses. */
const kinds: Readonly<Record<ApiErrorType, Refusal>> = {
  invalid_request_error: invalid(facts.bodyNotJson),
  authentication_error: denied,
  permission_error: denied,
  not_found_error: { status: 404, type: "ResourceNotFoundException", message: facts.modelUnknown },
  request_too_large: invalid(facts.bodyNotJson),
  rate_limit_error: { status: 429, type: "ThrottlingException", message: facts.rateLimited },
  api_error: { status: 500, type: "InternalServerException", message: facts.serverError },
  overloaded_error: { status: 503, type: "ServiceUnavailableException", message: facts.overloaded },
}

/** A refusal in the words of a model's own API, as Bedrock calls it. */
export const kindOf = (refusal: Refusal): Refusal => ({
  ...refusal,
  type: Object.hasOwn(kinds, refusal.type) ? kinds[refusal.type as ApiErrorType].type : refusal.type,
})

export const faultForms: FaultForms<unknown> = {
  kinds,
  outOfCredit: { status: 400, type: "ServiceQuotaExceededException", message: facts.outOfCredit },
  unauthorized: identityRefused,
  imageBroken: invalid(facts.imageBroken),
  rateLimited: (fault, { nowMs }) => ({
    refusal: kinds.rate_limit_error,
    headers: retryAfter(fault, nowMs),
  }),
  overflow: () => overflow,
  // documented: in a stream the name begins with a small letter.
  errorEvents: ({ type, message }) => [exceptionFrame(type.charAt(0).toLowerCase() + type.slice(1), message)],
  broken: {
    type: "broken",
    part: "other",
    afterMs: 0,
    bytes: frame(
      { ":event-type": "contentBlockDelta", ":content-type": "application/json", ":message-type": "event" },
      '{"contentBlockIndex":0,"delta":{"te',
    ),
  },
  endless: (events) => ({
    head: events.slice(0, 1),
    more: eventFrame("contentBlockDelta", "delta", {
      contentBlockIndex: 0,
      delta: { text: "and so on, " },
    }),
  }),
}
