/** Why a request is not sent at all: it cannot be made to fit, or it would be illegal (TU6, LL3). */
import type { LintFault } from "@holdfast/llm/wire"
import { ceilingTokens, type FloorItem, type WindowLimits } from "@holdfast/recall"
import type { Reason } from "@holdfast/schema/turn"

export function oversizeReason(floor: readonly FloorItem[], limits: WindowLimits, refused: boolean): Reason {
  const named = floor.map((item) => `${item.name} ${item.tokens} tokens`).join(", ") || "the request"
  const largest = [...floor].sort((a, b) => b.tokens - a.tokens)[0]?.name ?? "request"
  const why = refused
    ? "The provider refused the request as too long"
    : `The request does not fit into the ${ceilingTokens(limits)} tokens that the model takes`
  return {
    code: "window_exceeded",
    message: `${why}, and what is left of it cannot be reduced: ${named}. Shorten the ${largest}, or choose a model with a larger window; holdfast models lists them.`,
  }
}

export const illegalReason = (faults: readonly LintFault[]): Reason => ({
  code: "illegal_request",
  message: `The request would break the provider's grammar and was not sent: ${faults.map((fault) => fault.message).join("; ")}`,
})
