/** Why a request is not sent at all: it cannot be made to fit, or it would be illegal (TU6, LL3). */
import { Schema } from "effect"
import { estimateTokens } from "@holdfast/llm/size"
import type { LintFault } from "@holdfast/llm/wire"
import { ceilingTokens, type FloorItem, type WindowLimits } from "@holdfast/recall"
import type { ContextSnapshot } from "@holdfast/schema/context"
import type { Reason } from "@holdfast/schema/turn"
import { InstructionSet, instructionsKey } from "../../instructions/source.ts"

export function oversizeReason(
  floor: readonly FloorItem[],
  limits: WindowLimits,
  refused: boolean,
  snapshot: ContextSnapshot = {},
): Reason {
  const named = floor.map((item) => `${item.name} ${item.tokens} tokens`).join(", ") || "the request"
  const largest = [...floor].sort((a, b) => b.tokens - a.tokens)[0]?.name ?? "request"
  const files = largest === "Baseline" ? filesText(snapshot) : ""
  const why = refused
    ? "The provider refused the request as too long"
    : `The request does not fit into the ${ceilingTokens(limits)} tokens that the model takes`
  return {
    code: "window_exceeded",
    message: `${why}, and what is left of it cannot be reduced: ${named}.${files} Shorten the ${largest}, or choose a model with a larger window; holdfast models lists them.`,
  }
}

/** Files in one sentence. */
const filesMax = 3

/** What a person can shorten of the Baseline: the largest of the instruction files. */
function filesText(snapshot: ContextSnapshot): string {
  const { value } = snapshot[instructionsKey] ?? {}
  if (!isInstructionSet(value)) return ""
  const sizes = value.map(({ path, text }) => ({
    path,
    tokens: estimateTokens(Buffer.byteLength(text), "prose"),
  }))
  const largest = sizes.toSorted((a, b) => b.tokens - a.tokens).slice(0, filesMax)
  const named = largest.map(({ path, tokens }) => `${path} about ${tokens} tokens`).join(", ")
  return named === "" ? "" : ` The Baseline holds instruction files (${instructionsKey}): ${named}.`
}

const isInstructionSet = Schema.is(InstructionSet)

export const illegalReason = (faults: readonly LintFault[]): Reason => ({
  code: "illegal_request",
  message: `The request would break the provider's grammar and was not sent: ${faults.map((fault) => fault.message).join("; ")}`,
})
