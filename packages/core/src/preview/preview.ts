/**
 * Preview: the boundary that would come now, planned and thrown away (PG3).
 *
 * It looks at exactly what a drain would look at (pending input by the promotion rules, a fresh
 * observation, the selection, the blocks of the last request) and commits nothing. A Session that
 * waits is looked at as a wake would find it; while a turn runs, as its continuation would.
 */
import { Effect, Result } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { ModelRef } from "@holdfast/schema/model"
import type { PlannedRequest } from "@holdfast/schema/planned-request"
import type { Reason } from "@holdfast/schema/turn"
import type { TurnRecord } from "@holdfast/schema/turn-record"
import { frozenCut, isRendered, unfinishedNotice } from "@holdfast/recall"
import type { SessionWindow } from "@holdfast/store/port"
import { ContextDefect, observe, type Observation } from "../context/index.ts"
import { type BoundaryPlan, defectReason, planBoundary } from "../session/boundary.ts"
import { chooseModel } from "../session/fallback.ts"
import { planPromotion, type Promotion } from "../session/inbox.ts"
import { countQuarantined, describeSegments, readLedger } from "./planned-request.ts"
import type { RuntimePorts } from "../session/ports.ts"
import { rememberBlocks } from "../session/rebuild.ts"
import { planRecovery } from "../session/recovery.ts"
import { assemble, encodeState, type Selection, selectionFor, windowOf } from "../session/request.ts"
import { advance, type SessionState, stateFromWindow } from "../session/state.ts"

/** Turns of the ledger read at once. */
const turnsStep = 200

/** `led`: whether a live owner works on the Session. */
export const previewRequest = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  window: SessionWindow,
  led: boolean,
): Effect.fn.Return<PlannedRequest, StoreFailure> {
  const { id, model: chosen } = window.session
  const turns = yield* readTurns(ports, id)
  const quarantined = countQuarantined(window.messages)
  const common = { session: id, quarantined, ...readLedger(turns) }
  const { promotion, due } = planInput(window, led)
  const setup = yield* sampleModel(ports, id, chosen)
  if (setup._tag === "Failure") {
    const { code = "model_not_found", message } = setup.failure
    return { ...common, ...nothingPlanned, due, obstacle: { code, message } }
  }
  const { ref: model, target } = setup.success
  const state = recovered(ports, window, led)
  const selection = selectionFor(setup.success, ports.tools.tools, ports.agentPrompt, state.lastTurn)
  const known = {
    ...common,
    model,
    due,
    limit: {
      contextTokens: windowOf(state, selection),
      outputTokens: target.options.generation.outputTokensMax,
    },
  }
  const observed = yield* observeSources(ports, state)
  if (observed.kind === "blocked") return { ...nothingPlanned, ...known, obstacle: observed.reason }
  const { previousBlocks } = yield* rememberBlocks(ports, { state, previousBlocks: null })
  const plan = planBoundary({
    state,
    promotion,
    observation: observed.observation,
    selection,
    previousBlocks,
    // Ids are in no request, and these are never stored.
    newId: (prefix) => `${prefix}_preview`,
    refusal: null,
  })
  if (plan.kind === "blocked") return { ...nothingPlanned, ...known, obstacle: plan.reason }
  return { ...known, ...describePlan(plan, state, selection, promotion, due) }
})

/** A model that is not found is part of the answer; a store that fails is not. */
const sampleModel = (ports: RuntimePorts, session: SessionId, chosen: ModelRef | null) =>
  chooseModel(ports, session, chosen).pipe(
    Effect.map((setup) => Result.succeed(setup)),
    Effect.catchTag("ModelNotFound", (failure) => Effect.succeed(Result.fail(failure))),
  )

/** Session History as the window holds it: what the model is shown of the conversation. */
export function historyOf(window: SessionWindow): readonly Message[] {
  const frozen = frozenCut(window.reductions)
  const epochSeq = window.epoch?.startedSeq ?? 0
  return window.messages.filter((message) => isRendered(message, epochSeq, frozen))
}

const nothingPlanned = {
  model: null,
  limit: null,
  hash: null,
  segments: [],
  tokens: 0,
  tokensCached: 0,
  images: 0,
  break: null,
} as const

/** What would be promoted now, and whether a turn would run at all. */
function planInput(
  { session, inbox }: SessionWindow,
  led: boolean,
): { readonly promotion: Promotion; readonly due: boolean } {
  const running = led && session.openTurn !== null
  const continuing = running || (inbox.length === 0 && session.owing)
  const promotion = planPromotion({ continuing, pending: inbox })
  return { promotion, due: continuing || promotion.kind !== "none" }
}

/** What a drain would settle before its first turn is taken as settled (DR4). */
function recovered(ports: RuntimePorts, window: SessionWindow, led: boolean): SessionState {
  const state = stateFromWindow(window)
  if (led) return state
  const isRepeatable = (name: string) => ports.tools.get(name)?.repeatable ?? false
  const facts = planRecovery(state, window.scratch, isRepeatable)
  return facts.reduce((folded, fact) => advance(folded, fact, folded.seq + 1), state)
}

type Observed =
  | { readonly kind: "observed"; readonly observation: Observation }
  | { readonly kind: "blocked"; readonly reason: Reason }

const observeSources = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  { location }: SessionState,
): Effect.fn.Return<Observed> {
  if (!(yield* ports.locationExists(location))) {
    const message = `The directory ${location.directory} is gone. Restore it, then resume.`
    return { kind: "blocked", reason: { code: "location_missing", message } }
  }
  const observed = yield* Effect.result(Effect.flatMap(ports.context(location), observe))
  if (observed._tag === "Success") return { kind: "observed", observation: observed.success }
  const { key, message } = observed.failure
  return { kind: "blocked", reason: defectReason(new ContextDefect({ key, message })) }
})

type Described = Pick<
  PlannedRequest,
  "obstacle" | "hash" | "segments" | "tokens" | "tokensCached" | "images" | "break"
>

function describePlan(
  plan: Exclude<BoundaryPlan, { kind: "blocked" }>,
  state: SessionState,
  selection: Selection,
  promotion: Promotion,
  due: boolean,
): Described {
  const opening = plan.commit.facts.filter(({ type }) => type !== "turn.started" && type !== "turn.settled")
  const after = opening.reduce(
    (folded, fact) => advance(folded, fact, folded.seq + 1, plan.commit.bodies),
    state,
  )
  const whole = plan.kind === "ready" ? plan.opened.blocks : encodeState(after, selection).blocks
  // Without anything due nobody is asked to carry on; the notice would not be sent.
  const asks = !due && assemble(after, selection).tail.at(-1)
  const blocks = isUnfinishedNotice(asks) ? whole.slice(0, -1) : whole
  const cacheExpected = plan.kind === "ready" ? plan.opened.cacheExpected : 0
  const promoted = promotion.kind === "none" ? 0 : promotion.prompts.length
  const images = plan.kind === "ready" ? plan.opened.placed.holes.length : 0
  const segments = describeSegments({ state: after, selection, blocks, cacheExpected, promoted, images })
  return {
    obstacle: plan.kind === "refused" ? plan.reason : null,
    hash: plan.kind === "ready" && due ? plan.opened.placed.record.hash : null,
    segments,
    tokens: segments.reduce((sum, segment) => sum + segment.tokens, 0),
    tokensCached: segments.reduce((sum, segment) => sum + segment.tokensCached, 0),
    images,
    break: plan.kind === "ready" ? plan.opened.break : null,
  }
}

const isUnfinishedNotice = (entry: unknown): boolean =>
  typeof entry === "object" && entry !== null && "text" in entry && entry.text === unfinishedNotice

const readTurns = Effect.fnUntraced(function* (ports: RuntimePorts, session: SessionId) {
  const turns: TurnRecord[] = []
  for (let afterSeq = 0; ;) {
    const page = yield* ports.store.turns(session, { afterSeq, limit: turnsStep })
    turns.push(...page)
    const last = page.at(-1)
    if (last === undefined) return turns
    afterSeq = last.startedSeq
    yield* Effect.yieldNow
  }
})
