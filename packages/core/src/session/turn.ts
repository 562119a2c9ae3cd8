/**
 * The turn: one request to a provider and what is recorded of its answer.
 *
 *   observe ─▶ plan ─▶ commit boundary ─▶ attempts ─▶ answer ─▶ settle all ─▶ turn.settled
 *                │
 *                └─▶ blocked (nothing promoted)
 *
 * The result is a value; nothing here steers by exception. Store failures and a lost lease are
 * the only failures, and they end the drain: what is open then is settled by recovery.
 *
 *   TU2  every started call settles before the turn does
 *   TU4  attempts are bounded; none is repeated after durable output
 *   DR2  the model is sampled here, once
 *   DR3  an interrupt settles everything and keeps what there is
 *   DR9  no request begins on a spent budget
 */
import { Clock, Deferred, Effect } from "effect"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Fact } from "@holdfast/schema/event"
import type { ModelRef } from "@holdfast/schema/model"
import type { Attempt, Reason, TurnStatus } from "@holdfast/schema/turn"
import {
  type Answer,
  hasDurableOutput,
  keepCheckpoints,
  makeAnswer,
  openPartsOf,
  unrecorded,
} from "./answer.ts"
import { type AnswerEnd, runAttempts } from "./attempts.ts"
import { type BoundaryView, type OpenedTurn, planBoundary } from "./boundary.ts"
import { dueCalls, makeDueCalls } from "./request/prompt-calls.ts"
import { limitLearned } from "./request/request.ts"
import { catchUpNow, takeAnswers } from "./asking/answers.ts"
import { askingReason } from "./asking/ruling.ts"
import { awaitCalls, endAsking, interruptCalls, isAsking, isHeldBack } from "./calls.ts"
import { planSwitch, type Switch } from "./fallback.ts"
import { waitsOnce } from "../historian/wait.ts"
import { besideInput } from "./hint/beside.ts"
import { takeLeftOut } from "./hint/extra.ts"
import { hintFor } from "./hint/hint.ts"
import { planPromotion, type Promotion } from "./inbox.ts"
import { append, type AppendEnd, endWakes, type Lead, lookOn } from "./lead.ts"
import { block, blockHere, type Moved } from "./limits/block.ts"
import { budgetSpent } from "./limits/budget.ts"
import { type Heeded, heedPrice } from "./limits/price-ask.ts"
import { heedLimit, isSteered } from "./limits/steered.ts"
import { judgeTurn, limitReached, type TurnVerdict } from "./limits/verdict.ts"
import { askedModel, lookAt, type Selected } from "./look.ts"
import { spentOn, stoppedAttempt } from "./meter.ts"
import { historianOf, type ModelSetup } from "./ports.ts"
import { type Refusal, findRefusal, toldRefusal } from "./refusal/refusal.ts"
import { givenUp, putOff } from "./retry.ts"

export type TurnEnd =
  | { readonly kind: "nothing" }
  /** Somebody has to answer before anything runs (PE3). */
  | { readonly kind: "asking"; readonly reason: Reason }
  /** `released` if nothing was pending: then the lease went with the settlement. */
  | { readonly kind: "done"; readonly released: boolean }
  | { readonly kind: "continue" }
  | { readonly kind: "blocked"; readonly reason: Reason }
  | { readonly kind: "failed"; readonly reason: Reason }
  | { readonly kind: "stopped"; readonly reason: Reason }
  /** The stream broke after output; a new turn carries on from what is recorded. */
  | { readonly kind: "broken"; readonly breaks: Breaks }
  /** The provider found the request too long: reduce, then once more. */
  | { readonly kind: "reduce"; readonly refusal: Refusal }
  /** The provider refused what it had sealed: without it, then once more (LL4). */
  | { readonly kind: "strip"; readonly reason: Reason }
  /** Another model takes over (CA3). */
  | { readonly kind: "switch"; readonly reason: Reason }

export interface TurnMode {
  /** The model is due whether or not there is new input: a continuation or a resume. */
  readonly continuing: boolean
  /** Set on the first turn of a drain that goes on with what another left (PR8). */
  readonly resumes: BoundaryView["resumes"]
  /** Why the request has to be reduced, if the last one was refused for its size. */
  readonly refusal: Refusal | null
  /** How many models took over in a row. */
  readonly switches: number
  readonly breaks: Breaks
}

/** Streams that broke after output, in the turns right before this one. */
export interface Breaks {
  readonly inRow: number
  /** Of these, since the last completed part. */
  readonly withoutPart: number
}

type TurnFailure = StoreFailure | LeaseLost

const replansMax = 16

export const interruptReason: Reason = { code: "interrupted", message: "Interrupted on request." }

/** A turn, at the place where its Session is: a move that comes between is looked at anew (EP9). */
export const runTurn = Effect.fnUntraced(function* (
  lead: Lead,
  mode: TurnMode,
): Effect.fn.Return<TurnEnd, TurnFailure> {
  for (let looks = 0; looks < replansMax; looks++) {
    const end = yield* runTurnHere(lead, mode)
    if (end.kind !== "moved") return end
  }
  return yield* block(lead, unsteady)
})

const runTurnHere = Effect.fnUntraced(function* (
  lead: Lead,
  mode: TurnMode,
): Effect.fn.Return<TurnEnd | Moved, TurnFailure> {
  let promotion = yield* lookAround(lead, mode.continuing)
  if (isEnd(promotion)) return promotion
  const { ports, ahead } = lead
  lead.ahead = null
  const { movedSeq } = lead.loaded.state.summary
  const look = yield* lookAt(ports, lead.session, lead.loaded.state, "speak", ahead)
  if (look.kind === "blocked") return yield* blockHere(lead, look.reason, movedSeq)
  const { setup, sample, selection } = look.selected
  const speaker: Speaker = {
    ...look.selected,
    chosen: askedModel(lead.loaded.state.summary, sample.agent),
    switches: mode.switches,
    breaks: mode.breaks,
    reduced: mode.refusal !== null,
  }
  const waiting = waitsOnce(lead)
  const besideIt = besideInput(lead, sample)
  for (let replans = 0; replans < replansMax; replans++) {
    const { state, previousBlocks } = lead.loaded
    const plan = planBoundary({
      session: lead.session,
      state,
      promotion,
      beside: yield* besideIt(promotion),
      resumes: mode.resumes,
      observation: look.observation,
      selection,
      previousBlocks,
      newId: ports.newId,
      nowMs: yield* Clock.currentTimeMillis,
      refusal: mode.refusal,
      historian: { ...historianOf(ports), ...waiting.now() },
      ...look.known,
      spending: { price: setup.price, lifetime: setup.lifetime ?? null },
    })
    if (plan.kind === "blocked") return yield* blockHere(lead, plan.reason, movedSeq)
    const { waits } = plan.opened
    if (plan.kind === "refused" && !waits) {
      endWakes(lead)
      // It may have been too long, and cannot be made shorter: what the provider said stands.
      if (mode.refusal?.suspected === true) return { kind: "failed", reason: mode.refusal.reason }
    }
    const asks =
      plan.kind === "ready" ? heedPrice(lead, plan.opened.started, sample) : Effect.succeed("go" as const)
    const heeded: Heeded = yield* waits ? waiting.wait : asks
    if (typeof heeded !== "string") return heeded
    const end: AppendEnd =
      heeded === "again"
        ? { kind: "stale" }
        : yield* append(lead, plan.commit.facts, { ...plan.commit, movedAbove: movedSeq })
    if (end.kind === "interrupted") return { kind: "stopped", reason: interruptReason }
    if (end.kind === "appended") {
      if (plan.kind === "refused") return { kind: "failed", reason: plan.reason }
      return yield* speak(lead, speaker, plan.opened)
    }
    // Something was written while the boundary was planned; the one observation stands (EP13).
    const again: Promotion | TurnEnd = yield* lookAround(lead, mode.continuing)
    if (isEnd(again)) return again
    if (lead.loaded.state.summary.movedSeq !== movedSeq) return { kind: "moved" }
    promotion = again
  }
  return yield* block(lead, unsteady)
})

/** What is due at this moment, with everything folded in that others wrote; an end when the model need not be called. */
const lookAround = Effect.fnUntraced(function* (
  lead: Lead,
  continuing: boolean,
): Effect.fn.Return<Promotion | TurnEnd, TurnFailure> {
  if (lead.caughtUp !== lead.loaded && !(yield* catchUpNow(lead))) return { kind: "nothing" }
  lead.caughtUp = null // it holds for one look
  const { summary, inbox } = lead.loaded.state
  if (summary.asks > 0) return { kind: "asking", reason: askingReason }
  const promotion = planPromotion({ continuing, pending: inbox })
  if (promotion.kind === "none" && !continuing) return { kind: "nothing" }
  const spent = budgetSpent(lead.session, summary)
  return spent === null ? promotion : yield* block(lead, spent)
})

const isEnd = (found: Promotion | TurnEnd): found is TurnEnd =>
  found.kind === "nothing" || found.kind === "asking" || found.kind === "blocked"

/** Who speaks in a turn, and with what. */
interface Speaker extends Selected {
  /** What the Session asks for; null is the default. */
  readonly chosen: ModelRef | null
  readonly switches: number
  readonly breaks: Breaks
  /** The request was cut because the one before it was refused. */
  readonly reduced: boolean
}

const unsteady: Reason = {
  code: "input_unsteady",
  message: "Pending input changed each time the turn was about to start. Send or resume again.",
}

/** From the boundary on: attempts until the answer is on record, then the settlement. */
const speak = (lead: Lead, speaker: Speaker, opened: OpenedTurn) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { setup, sample } = speaker
      const scope = yield* Effect.scope
      lead.loaded = { ...lead.loaded, previousBlocks: opened.blocks }
      const { provider, model, endpoint } = setup.target
      const answer = makeAnswer(lead, opened, scope, sample, { provider, model, endpoint })
      yield* Effect.acquireRelease(
        Effect.sync(() => lead.ports.live.stream(lead.session, opened.turn, () => openPartsOf(answer))),
        (end) => Effect.sync(end),
      )
      yield* Effect.forkIn(keepCheckpoints(answer), scope)
      const startedAt = yield* Clock.currentTimeMillis
      const attempts: Attempt[] = []
      const due = dueCalls(lead.loaded.state.messages)
      const outcome = yield* Effect.raceFirst(
        due.length > 0 ? makeDueCalls(answer, due) : runAttempts(answer, setup, attempts),
        Effect.as(Deferred.await(lead.fence.signal), { kind: "stopped" as const }),
      )
      const settle = settler(answer, setup, startedAt, attempts)
      return yield* finishTurn(answer, outcome, settle, speaker)
    }),
  )

type Settle = (
  status: TurnStatus,
  reason: Reason | null,
  before?: readonly Fact[],
  after?: readonly Fact[],
) => Effect.Effect<{ readonly released: boolean }, TurnFailure>

function settler(answer: Answer, setup: ModelSetup, startedAt: number, attempts: readonly Attempt[]): Settle {
  return (status, reason, before = [], after = []) =>
    Effect.gen(function* () {
      const durationMs = Math.max(0, (yield* Clock.currentTimeMillis) - startedAt)
      const { meter, finish } = answer
      const made = meter === null ? attempts : [...attempts, stoppedAttempt(meter, reason)]
      const ledger = { ...spentOn(made, setup.price), attempts: made, durationMs, finish }
      const { turn } = answer.opened
      const leftOut = takeLeftOut(answer.lead)
      const settled: Fact = { type: "turn.settled", turn, status, reason, ledger, ...leftOut }
      if (status === "failed") endWakes(answer.lead)
      const end = yield* append(answer.lead, [...before, settled, ...after], {
        settling: true,
        clearsScratch: "all",
        release: status === "done" ? "when-idle" : "keep",
      })
      return { released: end.kind === "appended" && end.released }
    })
}

const finishTurn = Effect.fnUntraced(function* (
  answer: Answer,
  outcome: AnswerEnd | { readonly kind: "stopped" },
  settle: Settle,
  speaker: Speaker,
): Effect.fn.Return<TurnEnd, TurnFailure> {
  if (outcome.kind === "stopped") return yield* stopTurn(answer, settle)
  // Started calls run to their end, whatever became of the stream (TU2).
  const stopped = yield* Effect.raceFirst(
    Effect.as(awaitCalls(answer.calls), false),
    Effect.as(Deferred.await(answer.lead.fence.signal), true),
  )
  if (stopped || isHeldBack(answer.calls)) return yield* stopTurn(answer, settle)
  if (isAsking(answer.calls)) {
    const cut = yield* Effect.raceFirst(
      Effect.as(takeAnswers(answer.calls), false),
      Effect.as(Deferred.await(answer.lead.fence.signal), true),
    )
    if (cut || isHeldBack(answer.calls)) return yield* stopTurn(answer, settle)
    if (isAsking(answer.calls)) {
      yield* settle("asking", askingReason, unrecorded(answer))
      return { kind: "asking", reason: askingReason }
    }
  }
  if (outcome.kind === "answered") return yield* settleAnswered(answer, settle, speaker)
  const { failure } = outcome
  const began = hasDurableOutput(answer)
  const refusal = yield* findRefusal(answer.lead, answer.opened, failure)
  const said = toldRefusal(answer.lead, answer.opened, failure, speaker.reduced)
  if (began && failure.retryable) return yield* settleBroken(answer, settle, speaker, said)
  if (outcome.kind === "over-budget") {
    // The next boundary says why nothing follows, or goes on where the budget was raised meanwhile.
    yield* settle("failed", said, unrecorded(answer))
    return { kind: "continue" }
  }
  const next = began ? nobody : yield* afterFailure(answer, outcome, said, speaker)
  if (next.kind === "to") {
    yield* settle("failed", said, unrecorded(answer), [next.fact])
    return { kind: "switch", reason: said }
  }
  const reason = next.kind === "exhausted" ? next.reason : lastWord(outcome, said)
  // Settling clears a wait; this one outlives the turn.
  const waiting: readonly Fact[] =
    outcome.kind === "wait-too-long"
      ? [{ type: "session.updated", waiting: { until: outcome.until, reason } }]
      : []
  yield* settle("failed", reason, unrecorded(answer), waiting)
  if (refusal !== null) return { kind: "reduce", refusal: { ...refusal, reason } }
  const stripped = speaker.selection.target.options.traits.withoutNative === true
  if (failure.code === "signature_rejected" && !stripped && !began) return { kind: "strip", reason }
  return { kind: "failed", reason }
})

/** The turn is interrupted by its cause, also where none carries on from it and the work has failed (TU4). */
const settleBroken = Effect.fnUntraced(function* (
  answer: Answer,
  settle: Settle,
  speaker: Speaker,
  said: Reason,
): Effect.fn.Return<TurnEnd, TurnFailure> {
  const { inRow, withoutPart } = speaker.breaks
  const progressed = answer.recordedParts > 0
  const breaks = { inRow: inRow + 1, withoutPart: progressed ? 0 : withoutPart + 1 }
  const { reopensMax } = answer.lead.ports.limits.retry
  const rest = unrecorded(answer)
  const limit = limitReached(answer, speaker.sample.agent.turnsMax, rest)
  const limited = limit !== null && !(yield* isSteered(answer.lead))
  if (breaks.withoutPart <= reopensMax && !limited) {
    yield* settle("interrupted", said, rest)
    return { kind: "broken", breaks }
  }
  const reason = limited && limit.code === "calls_repeated" ? limit : givenUp(said, breaks.inRow)
  yield* settle("interrupted", reason, rest)
  return { kind: "failed", reason }
})

/** The reason of a failed turn, with what is left to do where a later attempt may succeed. */
function lastWord(outcome: Exclude<AnswerEnd, { kind: "answered" }>, said: Reason): Reason {
  if (outcome.kind === "wait-too-long") return putOff(said, outcome.waitMs)
  return outcome.failure.retryable ? givenUp(said, outcome.tries) : said
}

const nobody: Switch = { kind: "none" }

/** Whether another model may take over what this one could not begin (CA3). */
const afterFailure = (
  { lead }: Answer,
  outcome: Exclude<AnswerEnd, { kind: "answered" }>,
  reason: Reason,
  { setup, sample, chosen, switches }: Speaker,
): Effect.Effect<Switch, TurnFailure> => {
  const failed = { setup, reason, askedMs: outcome.failure.retryAfterMs ?? 0 }
  return planSwitch(lead.ports, lead.session, chosen, failed, switches, sample)
}

/** The fence is up. A lost lease leaves nothing that we may write; an interrupt settles all. */
const stopTurn = Effect.fnUntraced(function* (
  answer: Answer,
  settle: Settle,
): Effect.fn.Return<TurnEnd, TurnFailure> {
  const { calls, lead } = answer
  yield* interruptCalls(calls)
  if (isAsking(calls)) {
    yield* catchUpNow(lead)
    endAsking(calls)
  }
  yield* settle("interrupted", interruptReason, unrecorded(answer))
  return { kind: "stopped", reason: interruptReason }
})

const settleAnswered = Effect.fnUntraced(function* (
  answer: Answer,
  settle: Settle,
  speaker: Speaker,
): Effect.fn.Return<TurnEnd, TurnFailure> {
  const rest = unrecorded(answer)
  const { fails } = answer.calls
  const judged: TurnVerdict =
    fails === null ? judgeTurn(answer, speaker.sample.agent, rest) : { kind: "failed", reason: fails }
  const verdict = judged.kind === "limited" ? yield* heedLimit(answer.lead, judged.reason) : judged
  const reason = verdict.kind === "failed" ? verdict.reason : null
  const { windowSuspected } = answer.opened
  const learned = windowSuspected === null ? [] : [limitLearned(speaker.selection, windowSuspected)]
  const hint = verdict.kind === "done" ? yield* hintWithin(answer, speaker, rest) : null
  if (hint !== null) {
    yield* settle("continue", null, rest, [...learned, hint])
    return { kind: "continue" }
  }
  if (verdict.kind === "continue") yield* lookOn(answer.lead, rest)
  const { released } = yield* settle(verdict.kind, reason, rest, learned)
  return verdict.kind === "done" ? { kind: "done", released } : verdict
})

/** What is said to a call that stands in the answer as text; nothing where no further turn may follow. */
const hintWithin = (answer: Answer, { sample }: Speaker, rest: readonly Fact[]) =>
  limitReached(answer, sample.agent.turnsMax, rest) === null ? hintFor(answer) : Effect.succeed(null)
