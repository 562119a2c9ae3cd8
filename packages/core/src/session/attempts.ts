/**
 * Attempts: the same bytes sent until an answer is on record, or no attempt may follow (TU4).
 *
 * A wait is bounded and shown. A credential that the provider refuses is asked for once more where
 * it may have changed; it stands in headers, made for each attempt, so the request stays the same.
 */
import { Clock, Effect, Random } from "effect"
import { exchange } from "@holdfast/llm/exchange"
import { ProviderFailure } from "@holdfast/llm/wire"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Attempt, Reason } from "@holdfast/schema/turn"
import { type Credential, requestFor, withoutSecrets } from "../config/credentials/credential.ts"
import { filledBody, unsendable } from "../media/body.ts"
import type { Masks } from "../secrets/masks.ts"
import { type Answer, hasDurableOutput, resetAttempt, takeEvents } from "./answer.ts"
import { append, type Lead } from "./lead.ts"
import { budgetSpent, withAttempts } from "./limits/budget.ts"
import { makeMeter, usedBy } from "./meter.ts"
import { limitsOf, type ModelSetup } from "./ports.ts"
import { planRetry } from "./retry.ts"

export type AnswerEnd =
  | { readonly kind: "answered" }
  | {
      /** `over-budget` where it could be tried again, had the attempts not spent what there was (DR9). */
      readonly kind: "failed" | "over-budget"
      readonly failure: ProviderFailure
      readonly tries: number
    }
  | {
      readonly kind: "wait-too-long"
      readonly failure: ProviderFailure
      readonly until: number
      readonly waitMs: number
    }

export const runAttempts = Effect.fnUntraced(function* (
  answer: Answer,
  setup: ModelSetup,
  attempts: Attempt[],
): Effect.fn.Return<AnswerEnd, StoreFailure | LeaseLost> {
  const { lead } = answer
  let { credential } = setup
  let renewals = 0
  for (;;) {
    const failure = yield* runAttempt(answer, setup, credential)
    const reason = failure && { code: failure.code, message: failure.message }
    const made: Attempt = { failure: reason, waitMs: 0, ...usedBy(answer.meter ?? makeMeter(), failure) }
    attempts.push(made)
    answer.meter = null
    if (failure === null || reason === null) return { kind: "answered" }
    const tries = attempts.length
    if (hasDurableOutput(answer)) return { kind: "failed", failure, tries }
    if (isOverBudget(lead, attempts, setup)) return { kind: "over-budget", failure, tries }
    const fresh =
      failure.code === "authentication" && renewals++ < renewalsMax ? yield* renew(setup, credential) : null
    if (fresh !== null) {
      resetAttempt(answer)
      credential = fresh
      continue
    }
    const plan = planRetry(failure, tries, yield* Random.next, lead.ports.limits.retry)
    const waitMs = plan.kind === "give-up" ? (failure.retryAfterMs ?? 0) : plan.waitMs
    attempts[attempts.length - 1] = { ...made, waitMs }
    if (plan.kind === "give-up") return { kind: "failed", failure, tries }
    const now = yield* Clock.currentTimeMillis
    if (plan.kind === "too-long") return { kind: "wait-too-long", failure, until: now + waitMs, waitMs }
    resetAttempt(answer)
    const { session } = lead
    lead.ports.live.publish({ session, type: "attempt-failed", turn: answer.opened.turn, reason, waitMs })
    yield* waitVisibly(lead, now + waitMs, waitMs, reason)
  }
})

const isOverBudget = (
  { session, loaded }: Lead,
  attempts: readonly Attempt[],
  { price }: ModelSetup,
): boolean => budgetSpent(session, withAttempts(loaded.state.summary, attempts, price)) !== null

/** How often a turn asks for another credential. */
const renewalsMax = 1

const renew = (setup: ModelSetup, refused: Credential): Effect.Effect<Credential | null> =>
  setup.renew?.(refused) ?? Effect.succeed(null)

const waitVisibly = Effect.fnUntraced(function* (lead: Lead, until: number, waitMs: number, reason: Reason) {
  const visible = waitMs >= lead.ports.limits.retry.waitMsVisible
  if (visible)
    yield* append(lead, [{ type: "session.updated", waiting: { until, reason } }], { settling: true })
  yield* Effect.sleep(waitMs)
  if (visible) yield* append(lead, [{ type: "session.updated", waiting: null }], { settling: true })
})

/** One request. Null when the answer came to its end. */
const runAttempt = (
  answer: Answer,
  setup: ModelSetup,
  credential: Credential,
): Effect.Effect<ProviderFailure | null, StoreFailure | LeaseLost> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ports, fence } = answer.lead
      if (fence.raised !== null) return yield* Effect.never
      const { placed } = answer.opened
      const body = yield* filledBody(ports.store, placed)
      const nowMs = yield* Clock.currentTimeMillis
      const limits = limitsOf(setup, ports.limits)
      answer.meter = makeMeter(placed.record.markers)
      return yield* exchange({
        transport: ports.transport,
        wire: setup.wire,
        limits,
        request: requestFor(setup, credential, { body, bytes: placed.bytes }, limits, nowMs),
        redact: (text) => ports.masks.text(withoutSecrets(text, credential)),
        take: (events) => takeEvents(answer, events),
      })
    }),
  ).pipe(
    Effect.catchTag("ProviderFailure", (failure) => Effect.succeed(failure)),
    Effect.catchTag("MediaLost", ({ message }) => Effect.succeed(unsendable(message))),
    Effect.map((failure) => failure && toldFailure(failure, credential, answer.lead.ports.masks)),
  )

/** As it may be told (AU1). */
function toldFailure(failure: ProviderFailure, credential: Credential, masks: Masks): ProviderFailure {
  const unkeyed = credential === null && failure.code === "authentication"
  const message = unkeyed ? keyWanted : masks.text(withoutSecrets(failure.message, credential))
  if (message === failure.message) return failure
  const { code, retryable, retryAfterMs, status, unsent = false } = failure
  return new ProviderFailure({ code, message, retryable, retryAfterMs, status, unsent })
}

/** Nothing was sent that could be checked, so the usual advice would lead astray. */
const keyWanted =
  "The provider wants a key, and none is configured for it. Say in holdfast.jsonc where its key is: apiKeyEnv, apiKeyFile or apiKeyCommand."
