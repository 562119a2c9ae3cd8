/**
 * What the context says at a boundary, as facts: the first Epoch, one combined system message, a fresh
 * Baseline in its place, or nothing (EP2, EP4, EP8, EP13).
 */
import { Result } from "effect"
import { textTokens } from "@holdfast/llm/size"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { EpochCause } from "@holdfast/schema/fact/context"
import type { MessageId } from "@holdfast/schema/id"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Reason } from "@holdfast/schema/turn"
import { type ContextDefect, initialize, reconcile, replace } from "../../context/index.ts"
import type { BoundaryView } from "../boundary.ts"

type ContextView = Pick<BoundaryView, "state" | "observation" | "newId">

export interface ContextFacts {
  readonly kind: "facts"
  readonly facts: readonly Fact[]
  readonly cause: EpochCause | null
}

type ContextPlan = { readonly kind: "blocked"; readonly reason: Reason } | ContextFacts

export function planContext(view: ContextView): ContextPlan {
  const epoch = view.state.epoch
  if (epoch === null) {
    const started = initialize(view.observation)
    if (Result.isFailure(started)) return { kind: "blocked", reason: defectReason(started.failure) }
    if (started.success.kind === "blocked")
      return { kind: "blocked", reason: unavailableReason(started.success.keys) }
    return startEpoch(started.success.generation, causeOfNone(view.state))
  }
  const reconciled = reconcile(view.observation, epoch.snapshot)
  if (Result.isFailure(reconciled)) return { kind: "blocked", reason: defectReason(reconciled.failure) }
  const outcome = reconciled.success
  switch (outcome.kind) {
    case "unchanged":
    case "replacement-blocked": // EP8
      return { kind: "facts", facts: [], cause: null }
    case "updated": {
      const { text, texts, changes } = outcome
      const message = view.newId("msg") as MessageId
      const fact: Fact = { type: "context.updated", message, text, texts, changes, tokens: textTokens(text) }
      return { kind: "facts", facts: [fact], cause: null }
    }
    case "replacement-ready":
      return startEpoch(outcome.generation, "incompatible")
  }
}

const startEpoch = (
  { text, snapshot }: { readonly text: string; readonly snapshot: FactOf<"epoch.started">["snapshot"] },
  cause: EpochCause,
): ContextFacts => ({
  kind: "facts",
  facts: [{ type: "epoch.started", baseline: text, snapshot, cause }],
  cause,
})

/** Why there is no Epoch: none was yet, as before the first turn of our own, or behind whichever came last, a move or a revert. */
function causeOfNone({ items, summary }: SessionState): EpochCause {
  if (summary.epochSeq === 0) return "first"
  const reverted = [...items.reverts.values()].some(({ appliedSeq }) => (appliedSeq ?? 0) > summary.movedSeq)
  return reverted ? "reverted" : "moved"
}

/** The same observation as a fresh Baseline (EP13); null where a replacement is blocked or there is no Epoch to end. */
export function planCompaction({ state, observation }: ContextView): ContextFacts | null {
  if (state.epoch === null) return null
  const replaced = replace(observation, state.epoch.snapshot)
  if (Result.isFailure(replaced) || replaced.success.kind === "replacement-blocked") return null
  return startEpoch(replaced.success.generation, "compaction")
}

export const defectReason = (defect: Pick<ContextDefect, "message">): Reason => ({
  code: "context_defect",
  message: `${defect.message.replace(/[^.!?]$/, "$&.")} Nothing was sent; mend the source, then resume.`,
})

const unavailableReason = (keys: readonly string[]): Reason => ({
  code: "context_unavailable",
  message: `The context cannot be read just now: ${keys.join(", ")}. The prompt is kept; resume or send another to try again.`,
})
