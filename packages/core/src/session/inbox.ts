/**
 * Inbox: which admitted inputs become visible at a boundary.
 *
 * Admission is durable and may happen at any moment, from any process; visibility is decided
 * here, once per boundary, from values alone. The caller commits the plan.
 *
 *   PR3  Steers promote together in admission order; a queued prompt only when nothing else
 *        continues, one at a time.
 *   PR6  Order is the admission sequence, never a clock.
 */
import { type AdmittedInput, isNotice } from "@holdfast/schema/state/inbox"

export interface Boundary {
  readonly continuing: boolean
  readonly pending: readonly AdmittedInput[]
}

export type Promotion =
  | { readonly kind: "none" }
  | { readonly kind: "steers"; readonly inputs: readonly AdmittedInput[] }
  | { readonly kind: "queued"; readonly inputs: readonly AdmittedInput[] }

export function planPromotion(boundary: Boundary): Promotion {
  const inOrder = [...boundary.pending].sort((a, b) => a.admittedSeq - b.admittedSeq) // PR6
  const quiet = inOrder.filter(isQuiet)
  const calling = inOrder.filter((input) => !isQuiet(input))
  const steers = calling.filter(({ delivery }) => delivery === "steer")
  if (steers.length > 0) return { kind: "steers", inputs: together(steers, quiet) }
  if (boundary.continuing) return quiet.length > 0 ? { kind: "steers", inputs: quiet } : { kind: "none" }
  const next = calling.find(({ delivery }) => delivery === "queue")
  return next ? { kind: "queued", inputs: together([next], quiet) } : { kind: "none" }
}

/** A notice that calls for no turn rides on the next one there is. */
export const isQuiet = (input: AdmittedInput): boolean => isNotice(input) && !input.wakes

const together = (
  inputs: readonly AdmittedInput[],
  quiet: readonly AdmittedInput[],
): readonly AdmittedInput[] => [...inputs, ...quiet].sort((a, b) => a.admittedSeq - b.admittedSeq)

/** A turn that only makes the calls of its prompts is none of the agent's. */
export const turnsOf = (promotion: Promotion): number =>
  promotion.kind !== "none" && promotion.inputs.some((input) => !isNotice(input) && input.calls !== undefined)
    ? 0
    : 1
