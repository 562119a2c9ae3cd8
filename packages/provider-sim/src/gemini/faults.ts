/** Faults of the Gemini API: statuses, words and what an error in a stream looks like. */
import { overflowOf, retryAfter } from "../faults.ts"
import type { ApiErrorType, Fault } from "../faults.ts"
import type { FaultForms, FaultScene, Refusal, RefusedFault } from "../sim-wire.ts"
import { textEvent } from "../stream.ts"
import { dataEvent } from "./answer.ts"
import type { GeminiAnswer } from "./answer.ts"
import { errorBody, invalid } from "./error.ts"
import { facts } from "./facts.ts"
import { keyRefused } from "./http.ts"

const overloaded: Refusal = { status: 503, type: "UNAVAILABLE", message: facts.overloaded }
const serverError: Refusal = { status: 500, type: "INTERNAL", message: facts.serverError }

export const faultForms: FaultForms<GeminiAnswer> = {
  refusal: refusedFault,
  // recorded: a response that is an error body.
  errorEvents: ({ type }) => [
    dataEvent("other", errorBody(type === undefined ? overloaded : translate(type, facts.serverError))),
  ],
  broken: textEvent("broken", "other", 'data: {"candidates": [{"content": {"parts": [{"te\r\n\r\n'),
  endless: () => ({
    head: [],
    more: dataEvent("delta", {
      candidates: [{ content: { parts: [{ text: "and so on, " }], role: "model" }, index: 0 }],
    }),
  }),
}

function refusedFault(fault: Fault, scene: FaultScene): RefusedFault | undefined {
  switch (fault.kind) {
    case "rate-limited":
      return {
        refusal: exhausted(facts.rateLimited, fault.retryAfter),
        // documented: the wait stands in the body; the header is for clients that know no better.
        headers: fault.asDate === true ? retryAfter(fault, scene.nowMs) : {},
      }
    case "out-of-credit":
      return { refusal: exhausted(facts.outOfCredit, undefined) }
    case "overloaded":
      return { refusal: overloaded }
    case "server-error":
      return { refusal: serverError }
    case "unauthorized":
      return { refusal: keyRefused }
    case "overflow": {
      const { tokens, tokensMax } = overflowOf(fault, scene)
      return { refusal: invalid(facts.overflow(tokens, tokensMax)) }
    }
    case "poisoned-image":
      return { refusal: invalid(facts.imageBroken) }
    case "refused":
      return { refusal: { ...translate(fault.type, fault.message), status: fault.status } }
    default:
      return undefined
  }
}

/** documented: what Google calls the kinds of error. */
function translate(type: ApiErrorType, message: string): Refusal {
  switch (type) {
    case "overloaded_error":
      return { ...overloaded, message: facts.overloaded }
    case "api_error":
      return { ...serverError, message }
    case "rate_limit_error":
      return exhausted(message, undefined)
    case "authentication_error":
      return { status: 401, type: "UNAUTHENTICATED", message }
    case "permission_error":
      return { status: 403, type: "PERMISSION_DENIED", message }
    case "not_found_error":
      return { status: 404, type: "NOT_FOUND", message }
    default:
      return invalid(message)
  }
}

/** recorded: when to come back is a detail. */
function exhausted(message: string, seconds: number | undefined): Refusal {
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` }
  const details = seconds === undefined ? {} : { details: [retry] }
  return { status: 429, type: "RESOURCE_EXHAUSTED", message, ...details }
}
