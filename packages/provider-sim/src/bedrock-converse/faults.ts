/** Faults of Converse: statuses, words, and exceptions in the middle of a stream. */
import { retryAfter } from "../faults.ts"
import type { ApiErrorType, Fault } from "../faults.ts"
import type { FaultForms, FaultScene, Refusal, RefusedFault } from "../sim-wire.ts"
import type { ConverseAnswer } from "./answer.ts"
import { invalid } from "./error.ts"
import { eventFrame, exceptionFrame, frame } from "./event-stream.ts"
import { facts } from "./facts.ts"
import { identityRefused } from "./http.ts"

export const overflow: Refusal = invalid(facts.overflow)

/** documented: the types and their statuses. */
const throttled: Refusal = { status: 429, type: "ThrottlingException", message: facts.rateLimited }
const overloaded: Refusal = {
  status: 503,
  type: "ServiceUnavailableException",
  message: facts.overloaded,
}
const serverError: Refusal = {
  status: 500,
  type: "InternalServerException",
  message: facts.serverError,
}

export const faultForms: FaultForms<ConverseAnswer> = {
  refusal: refusedFault,
  errorEvents({ type }) {
    const { type: name, message } = type === undefined ? overloaded : translate(type)
    // documented: in a stream the name begins with a small letter.
    return [exceptionFrame(name.charAt(0).toLowerCase() + name.slice(1), message)]
  },
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

function refusedFault(fault: Fault, scene: FaultScene): RefusedFault | undefined {
  switch (fault.kind) {
    case "rate-limited":
      return { refusal: throttled, headers: retryAfter(fault, scene.nowMs) }
    case "out-of-credit":
      return {
        refusal: {
          status: 400,
          type: "ServiceQuotaExceededException",
          message: facts.outOfCredit,
        },
      }
    case "overloaded":
      return { refusal: overloaded }
    case "server-error":
      return { refusal: serverError }
    case "unauthorized":
      return { refusal: identityRefused }
    case "overflow":
      return { refusal: overflow }
    case "poisoned-image":
      return { refusal: invalid(facts.imageBroken) }
    case "refused":
      return { refusal: { ...translate(fault.type), status: fault.status, message: fault.message } }
    default:
      return undefined
  }
}

/** documented: what Bedrock calls the kinds of error. */
function translate(type: ApiErrorType): Refusal {
  switch (type) {
    case "overloaded_error":
      return overloaded
    case "api_error":
      return serverError
    case "rate_limit_error":
      return throttled
    case "authentication_error":
    case "permission_error":
      return { status: 403, type: "AccessDeniedException", message: facts.tokenInvalid }
    case "not_found_error":
      return { status: 404, type: "ResourceNotFoundException", message: facts.modelUnknown }
    default:
      return invalid(facts.bodyNotJson)
  }
}
