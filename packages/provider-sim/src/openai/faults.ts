/** Faults that both wires of OpenAI share: the refusals that replace an answer. */
import { retryAfter } from "../faults.ts"
import type { ApiErrorType, Fault } from "../faults.ts"
import type { FaultScene, Refusal, RefusedFault } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

/** recorded: a full server, as a status and in a stream. */
export const overloaded: Refusal = {
  status: 503,
  type: "service_unavailable_error",
  message: facts.overloaded,
  param: null,
  code: "server_is_overloaded",
}

/** recorded. */
export const serverError: Refusal = {
  status: 500,
  type: "server_error",
  message: facts.serverError,
  param: null,
  code: null,
}

/** The two refusals whose words differ between the wires. */
export interface OwnRefusals {
  overflow(fault: Extract<Fault, { kind: "overflow" }>): Refusal
  readonly imageBroken: Refusal
}

export function refusedFault(fault: Fault, scene: FaultScene, own: OwnRefusals): RefusedFault | undefined {
  switch (fault.kind) {
    case "rate-limited":
      return {
        refusal: limited("tokens", "rate_limit_exceeded", rateMessage(fault, scene)),
        headers: { ...limitHeaders(fault), ...retryAfter(fault, scene.nowMs) },
      }
    case "out-of-credit":
      // recorded: the status of a rate limit, and no `retry-after`.
      return { refusal: limited("insufficient_quota", "insufficient_quota", facts.outOfCredit) }
    case "overloaded":
      return { refusal: overloaded }
    case "server-error":
      return { refusal: serverError }
    case "unauthorized":
      return { refusal: { ...invalid(facts.keyWrong("***"), null, "invalid_api_key"), status: 401 } }
    case "overflow":
      return { refusal: own.overflow(fault) }
    case "poisoned-image":
      return { refusal: own.imageBroken }
    case "refused":
      return { refusal: { ...translate(fault.type, fault.message), status: fault.status } }
    default:
      return undefined
  }
}

/** documented: what OpenAI calls the kinds of error. */
export function translate(type: ApiErrorType, message: string): Refusal {
  switch (type) {
    case "overloaded_error":
      return { ...overloaded, message }
    case "api_error":
      return { ...serverError, message }
    case "rate_limit_error":
      return limited("tokens", "rate_limit_exceeded", message)
    case "authentication_error":
      return { ...invalid(message, null, "invalid_api_key"), status: 401 }
    default:
      return invalid(message)
  }
}

interface RateFault {
  readonly retryAfter?: number
  readonly asDate?: boolean
}

function limited(type: string, code: string, message: string): Refusal {
  return { status: 429, type, message, param: null, code }
}

function rateMessage(fault: RateFault, scene: FaultScene): string {
  return facts.rateLimited(scene.model, waitOf(fault.retryAfter))
}

/** documented: the headers of the limits, on a request that has used up its tokens. */
function limitHeaders(fault: RateFault): Readonly<Record<string, string>> {
  const seconds = fault.asDate === true ? undefined : fault.retryAfter
  return {
    "x-ratelimit-limit-requests": "500",
    "x-ratelimit-limit-tokens": "30000",
    "x-ratelimit-remaining-requests": "499",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-requests": "120ms",
    "x-ratelimit-reset-tokens": waitOf(fault.retryAfter),
    // recorded: beside `retry-after`, in milliseconds.
    ...(seconds === undefined ? {} : { "retry-after-ms": String(Math.round(seconds * 1_000)) }),
  }
}

/** recorded: `174ms`, `3.89s`, `6m0s`. */
function waitOf(seconds: number | undefined): string {
  const wait = seconds ?? 0.174
  if (wait < 1) return `${Math.round(wait * 1_000)}ms`
  return wait < 60 ? `${wait}s` : `${Math.floor(wait / 60)}m${wait % 60}s`
}
