/**
 * The boundary: the one plan that decides what a turn begins with, and the one commit that makes
 * it so. Everything here is decided from values; nothing is stored before the plan is whole.
 *
 *   pending input + observed sources ──▶ nothing | blocked | refused | ready
 *
 *   EP2   the first Epoch stands in the log before the first promotion
 *   EP3   later, promoted input comes first, then what the context says
 *   EP4   at most one combined system message
 *   EP8   a blocked replacement changes nothing; the pass goes on under the old Baseline
 *   EP13  if the Epoch ends, the observation becomes the Baseline and no message is written
 *   DR7   promoted input resets the allowance, once
 */
import { Result } from "effect"
import { expectedCacheRead } from "@holdfast/llm/cache-expectation"
import type { Block, PlacedRequest } from "@holdfast/llm/wire"
import type { SizeRefusal } from "@holdfast/recall"
import type { Fact } from "@holdfast/schema/event"
import type { IdPrefix, MessageId, PromptId, Seq, TurnId } from "@holdfast/schema/id"
import type { AdmittedPrompt } from "@holdfast/schema/prompt"
import type { Break, Reason } from "@holdfast/schema/turn"
import type { BlobWrite } from "@holdfast/store/port"
import { type ContextDefect, initialize, type Observation, reconcile } from "../context/index.ts"
import type { Promotion } from "./inbox.ts"
import { describeBreak, explainByUnsent } from "./ledger.ts"
import { unsettledLedger } from "./recovery.ts"
import {
  planRequest,
  type RequestPlan,
  type Selection,
  type SelectionBlobs,
  selectionBlobs,
} from "./request.ts"
import { advance, type PromptBodies, type SessionState, quarantinedSince } from "./state.ts"

export interface BoundaryView {
  /** With the sequence at which the log ends now. */
  readonly state: SessionState
  readonly promotion: Promotion
  readonly observation: Observation
  readonly selection: Selection
  readonly previousBlocks: readonly Block[] | null
  readonly newId: (prefix: IdPrefix) => string
  /** The provider said that the last request was too long. */
  readonly refusal: SizeRefusal | null
}

export interface BoundaryCommit {
  readonly facts: readonly Fact[]
  readonly blobs: readonly BlobWrite[]
  readonly promotes: readonly { readonly prompt: PromptId; readonly bodySeq: Seq }[]
  /** Set where a fact names a sequence of this very commit. */
  readonly followsSeq: number | null
  readonly bodies: PromptBodies
}

export interface OpenedTurn {
  readonly turn: TurnId
  readonly message: MessageId
  readonly placed: PlacedRequest
  readonly blocks: readonly Block[]
  readonly break: Break | null
  readonly allowanceUsed: number
  readonly cacheExpected: number
}

export type BoundaryPlan =
  | { readonly kind: "blocked"; readonly reason: Reason }
  /** The turn opens and fails in the same commit: nothing can be sent. */
  | { readonly kind: "refused"; readonly commit: BoundaryCommit; readonly reason: Reason }
  | { readonly kind: "ready"; readonly commit: BoundaryCommit; readonly opened: OpenedTurn }

export function planBoundary(view: BoundaryView): BoundaryPlan {
  const context = planContext(view)
  if (context.kind === "blocked") return context
  const prompts = view.promotion.kind === "none" ? [] : view.promotion.prompts
  const promoted = prompts.map((prompt) => promote(prompt, view.newId("msg") as MessageId))
  const first = view.state.epoch === null
  const opening: Fact[] = first ? [...context.facts, ...promoted] : [...promoted, ...context.facts]
  const bodies = new Map(prompts.map((prompt) => [prompt.id, prompt]))
  const before = foldTentative(view.state, opening, bodies)
  const plan = planRequest(before, view.selection, view.refusal)
  const reduction = plan.kind === "ready" ? plan.reduction : null
  const blobs = selectionBlobs(view.selection)
  const opened = openTurn(view, plan, blobs, context.cause, reduction?.reason ?? null)
  const facts: Fact[] = [
    ...opening,
    ...(reduction === null ? [] : [{ type: "reduction.applied", reduction } as const]),
    {
      type: "turn.started",
      turn: opened.turn,
      message: opened.message,
      model: { provider: view.selection.target.provider, model: view.selection.target.model },
      endpoint: view.selection.target.endpoint,
      tools: blobs.tools.hash,
      options: blobs.options.hash,
      pass:
        reduction !== null || context.cause !== null ? "fold" : opened.break === null ? "hold" : "refresh",
      request: opened.placed.record,
      allowanceUsed: opened.allowanceUsed,
    },
  ]
  const commit: BoundaryCommit = {
    facts,
    blobs: unstoredBlobs(view.state, blobs),
    promotes: prompts.map((prompt) => ({ prompt: prompt.id, bodySeq: prompt.bodySeq })),
    followsSeq: reduction === null ? null : view.state.seq,
    bodies,
  }
  if (plan.kind === "ready") return { kind: "ready", commit, opened }
  return refuse(commit, opened, refusalReason(plan))
}

/** What the last turn named is stored already. */
function unstoredBlobs({ lastTurn }: SessionState, { tools, options }: SelectionBlobs): readonly BlobWrite[] {
  const last = lastTurn?.started
  return [
    ...(last?.tools === tools.hash ? [] : [tools]),
    ...(last?.options === options.hash ? [] : [options]),
  ]
}

type ContextPlan =
  | { readonly kind: "blocked"; readonly reason: Reason }
  | {
      readonly kind: "facts"
      readonly facts: readonly Fact[]
      readonly cause: "first" | "incompatible" | null
    }

function planContext(view: BoundaryView): ContextPlan {
  const epoch = view.state.epoch
  if (epoch === null) {
    const started = initialize(view.observation)
    if (Result.isFailure(started)) return { kind: "blocked", reason: defectReason(started.failure) }
    if (started.success.kind === "blocked")
      return { kind: "blocked", reason: unavailableReason(started.success.keys) }
    const { text, snapshot } = started.success.generation
    return {
      kind: "facts",
      facts: [{ type: "epoch.started", baseline: text, snapshot, cause: "first" }],
      cause: "first",
    }
  }
  const reconciled = reconcile(view.observation, epoch.snapshot)
  if (Result.isFailure(reconciled)) return { kind: "blocked", reason: defectReason(reconciled.failure) }
  const outcome = reconciled.success
  switch (outcome.kind) {
    case "unchanged":
    case "replacement-blocked": // EP8
      return { kind: "facts", facts: [], cause: null }
    case "updated": {
      const { text, keys, changes } = outcome
      const message = view.newId("msg") as MessageId
      return {
        kind: "facts",
        facts: [{ type: "context.updated", message, text, keys, changes }],
        cause: null,
      }
    }
    case "replacement-ready": {
      const { text, snapshot } = outcome.generation
      const fact: Fact = { type: "epoch.started", baseline: text, snapshot, cause: "incompatible" }
      return { kind: "facts", facts: [fact], cause: "incompatible" }
    }
  }
}

export const defectReason = (defect: ContextDefect): Reason => ({
  code: "context_defect",
  message: `${defect.message} Nothing was sent; mend the source, then resume.`,
})

const unavailableReason = (keys: readonly string[]): Reason => ({
  code: "context_unavailable",
  message: `The context cannot be read just now: ${keys.join(", ")}. The prompt is kept; resume or send another to try again.`,
})

const promote = (prompt: AdmittedPrompt, message: MessageId): Fact => ({
  type: "prompt.promoted",
  prompt: prompt.id,
  message,
  bodySeq: prompt.bodySeq,
})

function foldTentative(state: SessionState, facts: readonly Fact[], bodies: PromptBodies): SessionState {
  return facts.reduce((folded, fact) => advance(folded, fact, folded.seq + 1, bodies), state)
}

/** documented: shorter prefixes are not cached; larger models ask for more. */
const cachedTokensMin = 1_024

function openTurn(
  view: BoundaryView,
  plan: RequestPlan,
  blobs: SelectionBlobs,
  epochCause: string | null,
  reduction: string | null,
): OpenedTurn {
  const last = view.state.lastTurn?.started
  const { target } = view.selection
  const causes = {
    modelChanged:
      last !== undefined && (last.model.provider !== target.provider || last.model.model !== target.model),
    toolsChanged: last !== undefined && last.tools !== blobs.tools.hash,
    optionsChanged: last !== undefined && last.options !== blobs.options.hash,
    paramsChanged: last?.request.params !== undefined && last.request.params !== plan.placed.record.params,
    epochCause,
    reduction,
    quarantined: quarantinedSince(view.state).length > 0,
  }
  const found = explainByUnsent(
    describeBreak(view.previousBlocks, plan.blocks, causes),
    view.state.lastTurn?.settled?.ledger ?? null,
  )
  return {
    turn: view.newId("trn") as TurnId,
    message: view.newId("msg") as MessageId,
    placed: plan.placed,
    blocks: plan.blocks,
    break: found,
    cacheExpected: expectedCacheRead({
      previous: last?.request ?? null,
      commonBlocks: found?.block ?? last?.request.blocks ?? 0,
      blocks: plan.blocks,
      markers: plan.placed.record.markers,
      // documented: models with marks of OpenAI's kind mark the newest message by themselves.
      ...(last !== undefined && target.options.traits.cacheMarkers === "openai"
        ? { newestMarked: last.request.blocks - 1 }
        : {}),
      sameSettings: !causes.modelChanged && !causes.optionsChanged && !causes.paramsChanged,
      tokensMin: cachedTokensMin,
    }),
    allowanceUsed: view.promotion.kind === "none" ? (last?.allowanceUsed ?? 0) + 1 : 1,
  }
}

function refusalReason(plan: Exclude<RequestPlan, { kind: "ready" }>): Reason {
  if (plan.kind === "oversize") {
    return {
      code: "window_exceeded",
      message: `The request does not fit the model's window, and this cannot be reduced: ${plan.floor}. Shorten it or choose a model with a larger window.`,
    }
  }
  const faults = plan.faults.map((fault) => fault.message).join("; ")
  return {
    code: "illegal_request",
    message: `The request would break the provider's grammar and was not sent: ${faults}`,
  }
}

function refuse(commit: BoundaryCommit, opened: OpenedTurn, reason: Reason): BoundaryPlan {
  const settled: Fact = {
    type: "turn.settled",
    turn: opened.turn,
    status: "failed",
    reason,
    ledger: { ...unsettledLedger, break: opened.break },
  }
  return { kind: "refused", commit: { ...commit, facts: [...commit.facts, settled] }, reason }
}
