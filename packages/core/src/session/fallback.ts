/**
 * Fallback: which model takes a turn when the chosen one cannot (CA3).
 *
 *   chosen ──fails before output──▶ cools down ──▶ the first of the list that does not takes over
 *      ▲                                                     │
 *      └───────────── its cool-down is over ◀────────────────┘  at the next turn
 *
 * Who cools down is read from the turns on record: whose newest one failed, by what, and how long
 * ago. So a restart forgets nothing, and every process on the store decides alike. A turn on another
 * model is planned as after a manual switch; never in the middle of an answer (TU4).
 */
import { Clock, Effect, Result } from "effect"
import type { ModelNotFound, StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import type { Reason } from "@holdfast/schema/turn"
import type { TurnRecord } from "@holdfast/schema/turn-record"
import { isLoopbackUrl } from "../config/models.ts"
import type { ModelSetup, RuntimePorts, TurnSettings } from "./ports.ts"

/** A model that failed lately. */
export interface Cooling {
  readonly model: ModelRef
  readonly until: number
  readonly reason: Reason
}

/** How long a model rests, unless its provider asks for more. */
export const coolDownMs = 60_000
/** Money does not come back within a minute. */
export const quotaCoolDownMs = 900_000
/** No request to wait is honoured for longer. */
export const coolDownMsMax = 3_600_000
/** How far back a failure is looked for. */
const turnsMax = 32

/** Whatever is wrong with one provider or the way to it; another is asked at another address. */
const anotherMayHelp: ReadonlySet<string> = new Set([
  "overloaded",
  "rate_limit",
  "server_error",
  "quota",
  "transport",
  "first_byte_timeout",
  "idle_timeout",
  "stream_cut",
  "malformed_stream",
])

export const isSwitchable = ({ code }: Pick<Reason, "code">): boolean => anotherMayHelp.has(code)

/** Until when a model rests that failed now. */
export function coolUntil(failedAt: number, reason: Reason, askedMs: number): number {
  const restMs = reason.code === "quota" ? quotaCoolDownMs : coolDownMs
  return failedAt + Math.min(coolDownMsMax, Math.max(restMs, askedMs))
}

/** Models whose newest settled turn failed by something that another model may not have. */
export function coolingModels(turns: readonly TurnRecord[], nowMs: number): readonly Cooling[] {
  // A clock that was set back must not make a rest endless.
  return failedModels(turns).filter(({ until }) => until > nowMs && until <= nowMs + coolDownMsMax)
}

function failedModels(turns: readonly TurnRecord[]): readonly Cooling[] {
  const newest = new Map<string, Cooling | null>()
  for (const { started, startedAt, settled } of turns) {
    if (settled === null) continue
    const { status, ledger } = settled
    // The reason of the turn may be that of the whole list.
    const { failure = null, waitMs = 0 } = ledger.attempts.at(-1) ?? {}
    const cooling =
      status === "failed" && failure !== null && isSwitchable(failure)
        ? { until: coolUntil(startedAt + ledger.durationMs, failure, waitMs), reason: failure }
        : null
    newest.set(formatModelRef(started.model), cooling && { model: started.model, ...cooling })
  }
  return [...newest.values()].filter((cooling) => cooling !== null)
}

/** The first model that does not rest; where all do, the one that was chosen. */
export function planModel<M extends { readonly target: ModelRef }>(
  candidates: readonly [M, ...M[]],
  cooling: readonly Cooling[],
): M {
  return candidates.find(({ target }) => !isCooling(target, cooling)) ?? candidates[0]
}

const isCooling = (model: ModelRef, cooling: readonly Cooling[]): boolean =>
  cooling.some((each) => isSame(each.model, model))

const isSame = (a: ModelRef, b: ModelRef): boolean => a.provider === b.provider && a.model === b.model

/** Why nobody is left, with every reason. */
export function exhaustedReason(failed: readonly Cooling[]): Reason {
  const each = failed.map(({ model, reason }) => `${formatModelRef(model)}: ${reason.message}`)
  return {
    code: "fallback_exhausted",
    message: `No model of the fallback list can answer now. ${each.join(" ")} Resume later, or choose another model.`,
  }
}

/** Who takes the next turn. */
export interface Chosen {
  readonly setup: ModelSetup
  /** The one that was asked for, where it rests and another answers for it. */
  readonly insteadOf: Cooling | null
}

/** The model of the next turn, sampled once (DR2). */
export const chooseModel = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
  asked: ModelRef | null,
  { fallback = [] }: TurnSettings,
  purpose?: "speak",
): Effect.fn.Return<Chosen, ModelNotFound | StoreFailure> {
  const preferred: Chosen = { setup: yield* ports.model(asked, purpose), insteadOf: null }
  if (fallback.length === 0) return preferred
  const cooling = coolingModels(yield* readTurns(ports, session), yield* Clock.currentTimeMillis)
  const resting = cooling.find(({ model }) => isSame(model, preferred.setup.target))
  if (resting === undefined) return preferred
  const next = planModel([preferred.setup, ...(yield* usable(ports, fallback))], cooling)
  if (next === preferred.setup) return preferred
  const insteadOf = { ...resting, model: preferred.setup.ref }
  return yield* Effect.match(ports.model(next.ref, purpose), {
    // If its key cannot be had after all, the one that rests is still worth an attempt.
    onFailure: () => preferred,
    onSuccess: (setup): Chosen => ({ setup, insteadOf }),
  })
})

export type Switch =
  | { readonly kind: "none" }
  | { readonly kind: "to"; readonly fact: FactOf<"session.updated"> }
  | { readonly kind: "exhausted"; readonly reason: Reason }

/** What follows a failed turn of this model. `switches`: how many took over since the last answer. */
export const planSwitch = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
  chosen: ModelRef | null,
  failed: { readonly setup: ModelSetup; readonly reason: Reason; readonly askedMs: number },
  switches: number,
  { fallback: list = [] }: TurnSettings,
): Effect.fn.Return<Switch, StoreFailure> {
  if (list.length === 0 || !isSwitchable(failed.reason)) return { kind: "none" }
  const now = yield* Clock.currentTimeMillis
  const { provider, model } = failed.setup.target
  const until = coolUntil(now, failed.reason, failed.askedMs)
  const turns = yield* readTurns(ports, session)
  const withThis = (others: readonly Cooling[]): readonly Cooling[] => [
    ...others.filter((each) => !isSame(each.model, failed.setup.target)),
    { model: { provider, model }, until, reason: failed.reason },
  ]
  const cooling = withThis(coolingModels(turns, now))
  const preferred = yield* Effect.result(ports.model(chosen))
  const candidates = [
    ...(Result.isSuccess(preferred) ? [preferred.success] : []),
    ...(yield* usable(ports, list)),
  ]
  const isCandidate = (each: Cooling) => candidates.some(({ target }) => isSame(target, each.model))
  const next = candidates.find(({ target }) => !isCooling(target, cooling))
  if (next === undefined || switches >= list.length)
    return { kind: "exhausted", reason: exhaustedReason(withThis(failedModels(turns)).filter(isCandidate)) }
  const paid = !isLoopbackUrl(next.url)
  const fallback = { from: failed.setup.ref, to: next.ref, until, reason: failed.reason, paid }
  return { kind: "to", fact: { type: "session.updated", fallback } }
})

/** Models of the list that could be spoken to; one without its key is passed over. */
const usable = Effect.fnUntraced(function* (ports: RuntimePorts, list: readonly ModelRef[]) {
  const found: ModelSetup[] = []
  for (const ref of list) {
    const setup = yield* Effect.result(ports.model(ref))
    if (Result.isSuccess(setup)) found.push(setup.success)
  }
  return found
})

const readTurns = (ports: RuntimePorts, session: SessionId) =>
  ports.store.turns(session, { afterSeq: 0, beforeSeq: Number.MAX_SAFE_INTEGER, limit: turnsMax })
