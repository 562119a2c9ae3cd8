/**
 * Preview: the boundary that would come now, planned and thrown away (PG3).
 *
 * It looks at exactly what a drain would look at (pending input by the promotion rules, a fresh
 * observation, the selection, the blocks of the last request) and commits nothing. A Session that
 * waits is looked at as a wake would find it; while a turn runs, as its continuation would.
 */
import { Clock, Effect, Fiber, type Scope } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { PlannedRequest } from "@holdfast/schema/planned-request"
import { advanceAll, type SessionState } from "@holdfast/schema/state/state"
import { tokensAsCounted, recallStatus, shownCompartments, unfinishedNotice } from "@holdfast/recall"
import { goesOn, isEligible } from "@holdfast/schema/state/summary"
import type { SessionWindow } from "@holdfast/store/port"
import { type BoundaryPlan, planBoundary } from "../session/boundary.ts"
import { planPromotion, type Promotion } from "../session/inbox.ts"
import { type Ahead, lookAhead, lookAt, type Selected } from "../session/look.ts"
import { historianOf, type RuntimePorts } from "../session/ports.ts"
import { lastBlocks } from "../session/request/rebuild.ts"
import { planRecovery } from "../session/recovery.ts"
import {
  assemble,
  contextTokensOf,
  type Selection,
  viewOf,
  windowLimits,
} from "../session/request/request.ts"
import { countQuarantined, describeLedger, describeSegments } from "./planned-request.ts"

/** `led`: whether a live owner works on the Session. `content`: whether blocks are told with what they say. */
export const previewRequest = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  window: SessionWindow,
  led: boolean,
  content: boolean,
): Effect.fn.Return<PlannedRequest, StoreFailure, Scope.Scope> {
  const { session } = window
  const { state, ahead } = yield* recoveredState(ports, window, led)
  const common = { session, ...describeLedger(state.summary), quarantined: countQuarantined(state.messages) }
  const { promotion, due } = planInput(state, led && window.state.summary.openTurn !== null)
  const look = yield* lookAt(ports, session, state, undefined, ahead)
  if (look.kind === "blocked" && look.selected === null)
    return { ...common, ...nothingPlanned, due, obstacle: look.reason }
  const { setup, selection } = look.selected as Selected
  const known = {
    ...common,
    model: setup.ref,
    due,
    limit: {
      contextTokens: contextTokensOf(state, selection),
      outputTokens: setup.target.options.generation.outputTokensMax,
    },
  }
  if (look.kind === "blocked") return { ...nothingPlanned, ...known, obstacle: look.reason }
  const nowMs = yield* Clock.currentTimeMillis
  const plan = planBoundary({
    session,
    state,
    promotion,
    resumes: null,
    observation: look.observation,
    selection,
    previousBlocks: yield* lastBlocks(ports, state),
    // Ids are in no request, and these are never stored.
    newId: (prefix) => `${prefix}_preview`,
    nowMs,
    refusal: null,
    historian: historianOf(ports),
    ...look.known,
    spending: { price: setup.price, lifetime: setup.lifetime ?? null },
  })
  if (plan.kind === "blocked") return { ...nothingPlanned, ...known, obstacle: plan.reason }
  return { ...known, ...describePlan(plan, { session, state, selection, promotion, due, nowMs, content }) }
})

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

/** What would be promoted now, and whether a turn would run at all: by a wake where it finds input, else by a resume. */
export function planInput(
  { summary, inbox }: SessionState,
  running: boolean,
): { readonly promotion: Promotion; readonly due: boolean } {
  const continuing = running || goesOn(summary, !isEligible(summary)) !== null
  const promotion = planPromotion({ continuing, pending: inbox })
  return { promotion, due: summary.asks === 0 && (continuing || promotion.kind !== "none") }
}

/** What a drain would settle before its first turn is taken as settled (DR4), by the one sample of the look. */
export const recoveredState = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  { session, state, scratch }: SessionWindow,
  led: boolean,
): Effect.fn.Return<{ readonly state: SessionState; readonly ahead: Ahead }, never, Scope.Scope> {
  const ahead = yield* lookAhead(ports, state, yield* Effect.scope)
  if (led) return { state, ahead }
  const { tools } = yield* Fiber.join(ahead.sampling)
  const { seq, updatedAt: time } = state.summary
  const facts = planRecovery(state, scratch, tools.get)
  return { state: advanceAll(state, facts, { session, firstSeq: seq + 1, time }), ahead }
})

type Described = Pick<
  PlannedRequest,
  | "obstacle"
  | "hash"
  | "segments"
  | "settings"
  | "tokens"
  | "tokensCached"
  | "tokensBefore"
  | "images"
  | "break"
  | "compartments"
  | "recall"
  | "costExpected"
  | "priceExpected"
>

interface Previewed {
  readonly session: SessionId
  readonly state: SessionState
  readonly selection: Selection
  readonly promotion: Promotion
  readonly due: boolean
  readonly nowMs: number
  readonly content: boolean
}

function describePlan(plan: Exclude<BoundaryPlan, { kind: "blocked" }>, view: Previewed): Described {
  const { session, state, selection, promotion, due, content, nowMs: time } = view
  const opening = plan.commit.facts.filter(({ type }) => type !== "turn.started" && type !== "turn.settled")
  const after = advanceAll(state, opening, { session, firstSeq: state.summary.seq + 1, time })
  const { blocks: whole, params, placed, started } = plan.opened
  // Without anything due nobody is asked to carry on; the notice would not be sent.
  const asks = !due && assemble("", viewOf(after), selection).tail.at(-1)
  const blocks = isUnfinishedNotice(asks) ? whole.slice(0, -1) : whole
  const unsentTokens = estimatedOf(whole) - estimatedOf(blocks)
  const ready = plan.kind === "ready"
  const applied = opening.find((fact) => fact.type === "pass.applied")
  const promoted = promotion.kind === "none" ? 0 : promotion.inputs.length
  const images = ready ? placed.holes.length : 0
  const cacheExpected = ready ? started.cacheExpected : 0
  const limits = windowLimits(state, selection)
  const counted = (tokens: number) => tokensAsCounted(tokens, limits.answered)
  const segments = describeSegments({
    counted,
    state: after,
    selection,
    blocks,
    cacheExpected,
    promoted,
    images,
    content,
  })
  return {
    obstacle: plan.kind === "refused" ? plan.reason : null,
    hash: ready && due ? placed.record.hash : null,
    segments,
    ...(content && { settings: params }),
    tokens: segments.reduce((sum, segment) => sum + segment.tokens, 0),
    tokensCached: segments.reduce((sum, segment) => sum + segment.tokensCached, 0),
    ...(applied !== undefined && { tokensBefore: counted(applied.tokensBefore - unsentTokens) }),
    images,
    break: ready ? started.break : null,
    compartments: shownCompartments(after.frozen, [...after.items.compartments.values()]).map((part) => ({
      ...part,
      tokens: counted(part.tokens),
    })),
    recall: recallStatus(viewOf(after), after.items, limits, estimatedOf(blocks)),
    costExpected: plan.opened.costExpected,
    priceExpected: (ready ? started.priceExpected : null) ?? null,
  }
}

const estimatedOf = (blocks: readonly { readonly tokens: number }[]): number =>
  blocks.reduce((sum, { tokens }) => sum + tokens, 0)

const isUnfinishedNotice = (entry: unknown): boolean =>
  typeof entry === "object" && entry !== null && "text" in entry && entry.text === unfinishedNotice
