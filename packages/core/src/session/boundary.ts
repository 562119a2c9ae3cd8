/**
 * The boundary: the one plan that decides what a turn begins with, and the one commit that makes
 * it so. Everything here is decided from values; nothing is stored before the plan is whole.
 *
 *   pending input + observed sources ──▶ blocked | refused | ready
 *
 *   EP2   the first Epoch stands in the log before the first promotion
 *   EP3   later, promoted input comes first, then what the context says
 *   EP4   at most one combined system message
 *   EP7   a pass that is a completed compaction ends the Epoch, in the same commit
 *   EP8   a blocked replacement changes nothing; the pass goes on under the old Baseline
 *   EP13  if the Epoch ends, the observation becomes the Baseline and no message is written
 *   DR7   promoted input resets the allowance, once
 */
import type { Block, PlacedRequest } from "@holdfast/llm/wire"
import { inputTokens } from "@holdfast/llm/size"
import {
  addedTokens,
  type Candidate,
  type Idle,
  type HistorianState,
  type KnownMemory,
  longestLifetimeMs,
  ceilingTokens,
  gapBetween,
  type Pass,
  type PassCauses,
  type PassQuestion,
  type PlannedPass,
  type ProjectDoc,
  plan,
  type SizeRefusal,
  sizeTokens,
} from "@holdfast/recall"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { EpochCause } from "@holdfast/schema/fact/context"
import type { SyntheticPart } from "@holdfast/schema/fact/fact"
import type { IdPrefix, MessageId, PromptId, Seq, SessionId, SignalId, TurnId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { type AdmittedInput, isNotice } from "@holdfast/schema/state/inbox"
import { advanceAll, type SessionState, type TurnState } from "@holdfast/schema/state/state"
import type { Price } from "@holdfast/schema/model"
import { isUnsent, type Reason } from "@holdfast/schema/turn"
import type { BlobWrite } from "@holdfast/store/port"
import type { Observation } from "../context/index.ts"
import { isQuiet, type Promotion, turnsOf } from "./inbox.ts"
import { type ContextFacts, planCompaction, planContext } from "./request/context-facts.ts"
import type { LifetimeSetting } from "./request/lifetimes.ts"
import { placePriced } from "./request/placed.ts"
import { isQuarantinedSince } from "./request/past.ts"
import { unsentLedger } from "./recovery.ts"
import {
  encodeView,
  knownHistory,
  limitLearned,
  modelOf,
  type Selection,
  type SelectionBlobs,
  selectionBlobs,
  showsTags,
  viewOf,
  windowLimits,
} from "./request/request.ts"
import { illegalReason, oversizeReason } from "./refusal/unsendable.ts"

export interface BoundaryView {
  readonly session: SessionId
  /** With everything in it that the log holds now. */
  readonly state: SessionState
  readonly promotion: Promotion
  /** Why a turn is due without new input, where an earlier drain left it (PR8). */
  readonly resumes: FactOf<"turn.started">["resumes"] | null
  readonly observation: Observation
  readonly selection: Selection
  readonly previousBlocks: readonly Block[] | null
  readonly newId: (prefix: IdPrefix) => string
  readonly nowMs: number
  /** The provider said that the last request was too long. */
  readonly refusal: SizeRefusal | null
  /** Who writes what leaves the window. */
  readonly historian: HistorianState
  /** What the runtime says beside the first prompt that is promoted, apart from a gap (ND1); nothing unless given. */
  readonly beside?: readonly SyntheticPart[]
  /** What is known of the project (HB2). */
  readonly memory: KnownMemory | null
  /** Documents of the project, for a Baseline that is made now (HB2); none unless given. */
  readonly docs?: readonly ProjectDoc[]
  /** Stored messages that a cut hid and nothing stands for; none unless given. */
  readonly uncovered?: readonly Message[]
  /** What the model costs, and how long cached prefixes are to live; without it as the options say. */
  readonly spending?: { readonly price: Price | null; readonly lifetime: LifetimeSetting | null }
}

export interface BoundaryCommit {
  readonly facts: readonly Fact[]
  readonly blobs: readonly BlobWrite[]
  readonly promotes: readonly { readonly prompt: PromptId; readonly bodySeq: Seq }[]
  /** Set where a fact names a sequence of this very commit. */
  readonly followsSeq: number | null
}

export interface OpenedTurn {
  readonly turn: TurnId
  readonly message: MessageId
  readonly started: FactOf<"turn.started">
  readonly placed: PlacedRequest
  readonly blocks: readonly Block[]
  /** Settings outside of the blocks, as canonical JSON. */
  readonly params: string
  /** Dollars of its input; null where the price of the model is not known. */
  readonly costExpected: number | null
  /** What a request to this model may hold. */
  readonly inputTokensMax: number
  /** The window to believe in if this request is taken: where a refusal was only suspected to be of its size, or what was learned leaves it no room (TU5). */
  readonly windowSuspected: number | null
  /** First for the historian that is at work, then to be planned again (EG1). */
  readonly waits: boolean
}

export type BoundaryPlan = { readonly kind: "blocked"; readonly reason: Reason } | PlannedTurn

type PlannedTurn =
  /** The turn opens and fails in the same commit: nothing can be sent. */
  | {
      readonly kind: "refused"
      readonly commit: BoundaryCommit
      readonly opened: OpenedTurn
      readonly reason: Reason
    }
  | { readonly kind: "ready"; readonly commit: BoundaryCommit; readonly opened: OpenedTurn }

export function planBoundary(view: BoundaryView): BoundaryPlan {
  const context = planContext(view)
  if (context.kind === "blocked") return context
  const inputs = view.promotion.kind === "none" ? [] : view.promotion.inputs
  const first = inputs.find((input) => !isNotice(input))
  const promoted = inputs.map((input) =>
    promote(input, view.newId("msg") as MessageId, input === first ? besideFirst(view) : []),
  )
  const blobs = selectionBlobs(view.selection)
  const asIs = openWith(view, promoted, context)
  const compact = onDemand(() => {
    const replaced = planCompaction(view)
    return replaced === null ? null : openWith(view, promoted, replaced)
  })
  const limits = windowLimits(view.state, view.selection)
  const question = {
    asIs: asIs.candidate,
    compacted: () => compact()?.candidate ?? null,
    limits,
    history: knownHistory(view.state, view.selection, view),
    refusal: view.refusal,
    ...waitingOf(view),
    shortens: view.selection.textCompression === true && !showsTags(view.selection),
    previous: view.previousBlocks,
    causes: causesOf(view, blobs, context.cause),
  }
  const believed = plan(question)
  const tried = believed.kind === "stuck" ? planBeyond(question, view) : null
  const pass = tried ?? believed
  const opening = pass.kind !== "stuck" && pass.endsEpoch ? (compact() ?? asIs) : asIs
  const planned = commitOf(view, pass, opening.facts, inputs, blobs)
  if (tried === null) return planned
  const windowSuspected = sizeTokens(tried.encoded.tokens, limits) + limits.outputTokens
  return { ...planned, opened: { ...planned.opened, windowSuspected } }
}

/**
 * What was learned may be a guess, or outdated: a request that it leaves no room for is sent all the
 * same where the model states that it takes so much. The provider has the last word (TU5).
 */
function planBeyond(question: PassQuestion, { selection, refusal }: BoundaryView): PlannedPass | null {
  const { limits } = question
  if (refusal !== null || selection.contextTokensStated <= limits.contextTokens) return null
  const pass = plan({ ...question, limits: { ...limits, contextTokens: selection.contextTokensStated } })
  return pass.kind === "stuck" ? null : pass
}

/** What waits for a pass, and how long nothing was sent. */
function waitingOf({ state, nowMs, newId, historian }: BoundaryView) {
  const { lastTurn, items, summary } = state
  return {
    signals: [...items.signals.values()],
    executedSeq: items.executedSeq,
    todos: items.todos.list,
    newSignal: () => newId("sig") as SignalId,
    mode: summary.kind,
    idle: idleOf(lastTurn, nowMs, summary.rhythm.warmedAt),
    // What a job is about to publish is not written by a pass as well, until the turn has waited for it.
    historian: { ...historian, inline: historian.inline || historian.waited },
  }
}

/** Counted from the last request, as a provider's cache does; one that only kept it warm counts too. */
export const idleOf = (last: TurnState | null, nowMs: number, warmedAt = 0): Idle => ({
  ms: last === null ? null : Math.max(0, nowMs - Math.max(last.startedAt, warmedAt)),
  lifetimeMs: longestLifetimeMs(last?.started.request.markers ?? []),
})

/** A boundary that goes on with these words of the context: its facts, and what the model would read. */
interface Opening {
  readonly facts: readonly Fact[]
  readonly candidate: Candidate
}

function openWith(view: BoundaryView, promoted: readonly Fact[], { facts: said }: ContextFacts): Opening {
  const facts = view.state.epoch === null ? [...said, ...promoted] : [...promoted, ...said]
  const at = { session: view.session, firstSeq: view.state.summary.seq + 1, time: view.nowMs }
  const state = advanceAll(view.state, facts, at)
  const baseline = state.epoch?.baseline ?? ""
  return {
    facts,
    candidate: { view: viewOf(state), encode: (shown) => encodeView(baseline, shown, view.selection) },
  }
}

function onDemand<A>(make: () => A): () => A {
  let made: { readonly value: A } | null = null
  return () => (made ??= { value: make() }).value
}

function commitOf(
  view: BoundaryView,
  pass: PlannedPass,
  opening: readonly Fact[],
  inputs: readonly AdmittedInput[],
  blobs: SelectionBlobs,
): PlannedTurn {
  const { selection } = view
  const { learned: found, records } = pass
  const suspected = view.refusal?.suspected === true
  const learned = suspected ? null : found
  const opened = {
    ...openTurn(view, pass, blobs),
    windowSuspected: suspected ? found : null,
    waits: pass.waits,
  }
  const faults = pass.kind === "stuck" ? [] : selection.wire.lint(pass.encoded, selection.target)
  const commit: BoundaryCommit = {
    facts: [
      ...opening,
      ...(learned === null ? [] : [limitLearned(selection, learned)]),
      ...records,
      opened.started,
    ],
    blobs: unstoredBlobs(view.state, blobs),
    promotes: inputs.flatMap((input) =>
      isNotice(input) ? [] : [{ prompt: input.id, bodySeq: input.bodySeq }],
    ),
    followsSeq: mustFollow(pass, inputs, selection) ? view.state.summary.seq : null,
  }
  if (pass.kind === "stuck") {
    const limits = windowLimits(view.state, selection)
    const begun = opening.findLast((fact) => fact.type === "epoch.started")
    const { snapshot } = begun ?? view.state.epoch ?? {}
    return refuse(commit, opened, oversizeReason(pass.floor, limits, view.refusal !== null, snapshot))
  }
  return faults.length > 0 ? refuse(commit, opened, illegalReason(faults)) : { kind: "ready", commit, opened }
}

/**
 * The tag of a new input is a sequence: whatever is written before this commit would move it. And a pass that
 * breaks the prefix takes along what was published until it is stored, else that would break it once more (PS7).
 */
const mustFollow = ({ applied }: Pass, inputs: readonly AdmittedInput[], selection: Selection): boolean =>
  applied !== null || (inputs.length > 0 && showsTags(selection))

/** What the last turn named is stored already. */
function unstoredBlobs({ lastTurn }: SessionState, { tools, options }: SelectionBlobs): readonly BlobWrite[] {
  const last = lastTurn?.started
  return [
    ...(last?.tools === tools.hash ? [] : [tools]),
    ...(last?.options === options.hash ? [] : [options]),
  ]
}

const besideFirst = (view: BoundaryView): readonly SyntheticPart[] => [
  ...gapBefore(view),
  ...(view.beside ?? []),
]

/** How long nobody had said anything, where that is worth telling (ND2). */
function gapBefore({ state: { lastTurn, summary }, nowMs }: BoundaryView): readonly SyntheticPart[] {
  if (lastTurn === null || summary.kind === "job") return []
  const gap = gapBetween(lastTurn.startedAt + (lastTurn.settled?.ledger.durationMs ?? 0), nowMs)
  return gap === null ? [] : [gap]
}

function promote(input: AdmittedInput, message: MessageId, added: readonly SyntheticPart[]): Fact {
  const promoted = {
    message,
    bodySeq: input.bodySeq,
    tokens: inputTokens(input.text, isNotice(input) ? [] : input.images) + addedTokens(added),
    added,
  }
  return isNotice(input)
    ? { type: "notice.promoted", notice: input.notice, wakes: input.wakes, ...promoted }
    : { type: "prompt.promoted", prompt: input.id, ...promoted }
}

function causesOf(view: BoundaryView, blobs: SelectionBlobs, epochCause: EpochCause | null): PassCauses {
  const last = view.state.lastTurn
  const { target } = view.selection
  const { provider, model } = last?.started.model ?? target
  const sent = last?.settled === null || (last?.settled.ledger.attempts.length ?? 0) > 0
  return {
    first: last === null,
    modelChanged: provider !== target.provider || model !== target.model,
    toolsChanged: last !== null && last.started.tools !== blobs.tools.hash,
    optionsChanged: last !== null && last.started.options !== blobs.options.hash,
    previousParams: last?.started.request.params ?? null,
    epochCause,
    quarantined: isQuarantinedSince(view.state),
    unsent: sent ? null : (last?.started.break?.reason ?? null),
    unknown: view.previousBlocks === null ? causeOfUnknown(view, last) : null,
  }
}

/** Blocks of the past are known by encoding them again, which another version does in another way. */
function causeOfUnknown({ selection }: BoundaryView, last: TurnState | null): string | null {
  if (last === null || (last.settled !== null && isUnsent(last.settled.ledger))) return null
  return last.started.request.encoder === selection.wire.encoder ? "previous_unknown" : "encoder_changed"
}

function openTurn(
  view: BoundaryView,
  pass: PlannedPass,
  blobs: SelectionBlobs,
): Omit<OpenedTurn, "windowSuspected" | "waits"> {
  const { selection, state } = view
  const last = state.lastTurn?.started
  const { blocks, params } = pass.encoded
  const { placed, cacheExpected, costExpected, priceExpected } = placePriced(view, pass, blobs)
  const started: FactOf<"turn.started"> = {
    type: "turn.started",
    turn: view.newId("trn") as TurnId,
    message: view.newId("msg") as MessageId,
    model: modelOf(selection),
    agent: selection.agent,
    endpoint: selection.target.endpoint,
    tools: blobs.tools.hash,
    options: blobs.options.hash,
    pass: pass.kind === "stuck" ? "hold" : pass.kind,
    request: placed.record,
    seenSeq: state.summary.seq,
    allowanceUsed: resetsAllowance(view.promotion) ? turnsOf(view.promotion) : (last?.allowanceUsed ?? 0) + 1,
    ...(view.resumes && isWithoutInput(view.promotion) ? { resumes: view.resumes } : {}),
    break: pass.break,
    cacheExpected,
    ...(priceExpected && { priceExpected }),
  }
  const inputTokensMax = ceilingTokens(windowLimits(state, selection))
  const { turn, message } = started
  return { turn, message, started, placed, blocks, params, costExpected, inputTokensMax }
}

/** DR7, PR8: what somebody said resets it; a notice does not. */
const resetsAllowance = (promotion: Promotion): boolean =>
  promotion.kind !== "none" && promotion.inputs.some((input) => !isNotice(input))

/** New input ends a debt; a notice that only rides along does not (PR8). */
const isWithoutInput = (promotion: Promotion): boolean =>
  promotion.kind === "none" || promotion.inputs.every(isQuiet)

function refuse(commit: BoundaryCommit, opened: OpenedTurn, reason: Reason): PlannedTurn {
  const { turn } = opened.started
  const settled: Fact = { type: "turn.settled", turn, status: "failed", reason, ledger: unsentLedger }
  return { kind: "refused", commit: { ...commit, facts: [...commit.facts, settled] }, opened, reason }
}
