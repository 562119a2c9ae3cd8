/**
 * Inbox: which admitted prompts become visible at a boundary.
 *
 * Admission is durable and may happen at any moment, from any process; visibility is decided
 * here, once per boundary, from values alone. The caller commits the plan.
 *
 *   PR3  Steers promote together in admission order; a queued prompt only when nothing else
 *        continues, one at a time.
 *   PR6  Order is the admission sequence, never a clock.
 */
import type { AdmittedPrompt } from "@holdfast/schema/prompt"

export interface Boundary {
  readonly continuing: boolean
  readonly pending: readonly AdmittedPrompt[]
}

export type Promotion =
  | { readonly kind: "none" }
  | { readonly kind: "steers"; readonly prompts: readonly AdmittedPrompt[] }
  | { readonly kind: "queued"; readonly prompts: readonly [AdmittedPrompt] }

export function planPromotion(boundary: Boundary): Promotion {
  const inOrder = [...boundary.pending].sort((a, b) => a.admittedSeq - b.admittedSeq) // PR6
  const steers = inOrder.filter((prompt) => prompt.delivery === "steer")
  if (steers.length > 0) return { kind: "steers", prompts: steers }
  if (boundary.continuing) return { kind: "none" }
  const next = inOrder.find((prompt) => prompt.delivery === "queue")
  return next ? { kind: "queued", prompts: [next] } : { kind: "none" }
}
