/** Faults of the Gemini API: statuses, words and what an error in a stream looks like. */
import { retryAfter } from "../faults.ts"
import type { ApiErrorType } from "../faults.ts"
import type { FaultForms, Refusal } from "../sim-wire.ts"
import { textEvent } from "../stream.ts"
import { dataEvent } from "./answer.ts"
import type { GeminiAnswer } from "./answer.ts"
import { errorBody, invalid } from "./error.ts"
import { facts } from "./facts.ts"
import { keyRefused } from "./http.ts"

/** documented: what Google calls the kinds of error. */
const kinds: Readonly<Record<ApiErrorType, Refusal>> = {
  invalid_request_error: invalid(facts.serverError),
  authentication_error: { status: 401, type: "UNAUTHENTICATED", message: facts.serverError },
  permission_error: { status: 403, type: "PERMISSION_DENIED", message: facts.serverError },
  not_found_error: { status: 404, type: "NOT_FOUND", message: facts.serverError },
  request_too_large: invalid(facts.serverError),
  rate_limit_error: exhausted(facts.rateLimited, undefined),
  api_error: { status: 500, type: "INTERNAL", message: facts.serverError },
  overloaded_error: { status: 503, type: "UNAVAILABLE", message: facts.overloaded },
}

export const faultForms: FaultForms<GeminiAnswer> = {
  kinds,
  outOfCredit: exhausted(facts.outOfCredit, undefined),
  unauthorized: keyRefused,
  imageBroken: invalid(facts.imageBroken),
  rateLimited: (fault, { nowMs }) => ({
    refusal: exhausted(facts.rateLimited, fault.retryAfter),
    // documented: the wait stands in the body; the header is for clients that know no better.
    headers: fault.asDate === true ? retryAfter(fault, nowMs) : {},
  }),
  overflow: (tokens, tokensMax) => invalid(facts.overflow(tokens, tokensMax)),
  // recorded: a response that is an error body.
  errorEvents: (refusal) => [dataEvent("other", errorBody(refusal))],
  broken: textEvent("broken", "other", 'data: {"candidates": [{"content": {"parts": [{"te\r\n\r\n'),
  endless: () => ({
    head: [],
    more: dataEvent("delta", {
      candidates: [{ content: { parts: [{ text: "and so on, " }], role: "model" }, index: 0 }],
    }),
  }),
}

/** recorded: when to come back is a detail. */
function exhausted(message: string, seconds: number | undefined): Refusal {
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` }
  const details = seconds === undefined ? {} : { details: [retry] }
  return { status: 429, type: "RESOURCE_EXHAUSTED", message, ...details }
}
