/** Faults that both wires of OpenAI share: the refusals that replace an answer. */
import { retryAfter } from "../faults.ts"
import type { ApiErrorType, RateFault } from "../faults.ts"
import type { FaultScene, Refusal, RefusedFault } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

const limited = (type: string, code: string, message: string) => ({
  ...invalid(message, null, code),
  status: 429,
  type,
})

/** documented: what OpenAI calls the kinds of error; recorded: the last two. */
const kinds: Readonly<Record<ApiErrorType, Refusal>> = {
  invalid_request_error: invalid(facts.serverError),
  authentication_error: { ...invalid(facts.serverError, null, "invalid_api_key"), status: 401 },
  permission_error: invalid(facts.serverError),
  not_found_error: invalid(facts.serverError),
  request_too_large: invalid(facts.serverError),
  rate_limit_error: limited("tokens", "rate_limit_exceeded", facts.serverError),
  api_error: { ...invalid(facts.serverError), status: 500, type: "server_error" },
  overloaded_error: {
    ...invalid(facts.overloaded, null, "server_is_overloaded"),
    status: 503,
    type: "service_unavailable_error",
  },
}

export const sharedForms = {
  kinds,
  // recorded: the status of a rate limit, and no `retry-after`.
  outOfCredit: limited("insufficient_quota", "insufficient_quota", facts.outOfCredit),
  unauthorized: { ...invalid(facts.keyWrong("***"), null, "invalid_api_key"), status: 401 },
  rateLimited: (fault: RateFault, scene: FaultScene): RefusedFault => ({
    refusal: limited("tokens", "rate_limit_exceeded", rateMessage(fault, scene)),
    headers: { ...limitHeaders(fault), ...retryAfter(fault, scene.nowMs) },
  }),
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
