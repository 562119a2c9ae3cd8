/**
 * Probe: whether the provider would take the next request without some of its messages (LL7).
 *
 * The request is planned as a preview plans it, with these messages taken out, and sent. Its answer is
 * not awaited: the first content shows that the request was taken. Nothing is committed but what it cost.
 */
import { Clock, Effect, type Scope } from "effect"
import { exchange } from "@holdfast/llm/exchange"
import type { StreamEvent } from "@holdfast/llm/wire"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { MessageId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { ProbeResult } from "@holdfast/schema/probe"
import { isContentRefusal } from "@holdfast/schema/state/added"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Attempt } from "@holdfast/schema/turn"
import type { SessionWindow } from "@holdfast/store/port"
import { requestFor, withoutSecrets } from "../config/credentials/credential.ts"
import { filledBody, unsendable } from "../media/body.ts"
import { type OpenedTurn, planBoundary } from "../session/boundary.ts"
import { budgetSpent } from "../session/limits/budget.ts"
import { lookAt } from "../session/look.ts"
import { makeMeter, readMeter, spentOn, usedBy } from "../session/meter.ts"
import { historianOf, limitsOf, type ModelSetup, type RuntimePorts } from "../session/ports.ts"
import { lastBlocks } from "../session/request/rebuild.ts"
import { modelOf } from "../session/request/request.ts"
import { planInput, recoveredState } from "./preview.ts"

export interface Probed {
  readonly result: ProbeResult
  /** Null where nothing was sent. */
  readonly fact: FactOf<"request.probed"> | null
}

export const probeRequest = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  window: SessionWindow,
  without: readonly MessageId[],
): Effect.fn.Return<Probed, StoreFailure, Scope.Scope> {
  const { session } = window
  const spent = budgetSpent(session, window.state.summary)
  if (spent !== null) return unsent(spent)
  const { state: recovered, ahead } = yield* recoveredState(ports, window, false)
  const state = withoutMessages(recovered, without)
  const look = yield* lookAt(ports, session, state, "speak", ahead)
  if (look.kind === "blocked") return unsent(look.reason)
  const { setup, selection } = look.selected
  const plan = planBoundary({
    session,
    state,
    promotion: planInput(state, false).promotion,
    resumes: null,
    observation: look.observation,
    selection,
    previousBlocks: yield* lastBlocks(ports, state),
    newId: (prefix) => `${prefix}_probe`,
    nowMs: yield* Clock.currentTimeMillis,
    refusal: null,
    historian: historianOf(ports),
    ...look.known,
    spending: { price: setup.price, lifetime: setup.lifetime ?? null },
  })
  if (plan.kind !== "ready") return unsent(plan.reason)
  const { result, attempt } = yield* send(ports, setup, plan.opened)
  const taken = result.kind === "taken"
  const model = modelOf(selection)
  const { costKnown: _, ...used } = spentOn([attempt], setup.price)
  return { result, fact: { type: "request.probed", model, without, taken, ...used } }
})

const unsent = (reason: { readonly code: string; readonly message: string }): Probed => ({
  result: { kind: "failed", reason },
  fact: null,
})

/** As they would be shown once they are taken out. */
function withoutMessages(state: SessionState, without: readonly MessageId[]): SessionState {
  const next = state.summary.seq + 1
  const messages = state.messages.map((message): Message =>
    without.includes(message.id) && message.kind !== "system" ? { ...message, quarantined: next } : message,
  )
  return { ...state, messages }
}

/** Ends an exchange whose answer has begun. */
const begun = unsendable("The answer was not awaited.")

const send = Effect.fnUntraced(function* (
  { store, transport, masks, ...ports }: RuntimePorts,
  setup: ModelSetup,
  { placed }: OpenedTurn,
): Effect.fn.Return<{ readonly result: ProbeResult; readonly attempt: Attempt }, StoreFailure> {
  const { credential } = setup
  const limits = limitsOf(setup, ports.limits)
  const redact = (text: string) => masks.text(withoutSecrets(text, credential))
  const meter = makeMeter(placed.record.markers)
  const take = (events: readonly StreamEvent[]) =>
    Effect.sync(() => {
      for (const event of events) {
        readMeter(meter, event)
        if (event.type === "failure") return event.failure
      }
      return events.some(({ type }) => type !== "start") ? begun : null
    })
  const failure = yield* Effect.scoped(
    Effect.gen(function* () {
      const body = yield* filledBody(store, placed)
      const nowMs = yield* Clock.currentTimeMillis
      const request = requestFor(setup, credential, { body, bytes: placed.bytes }, limits, nowMs)
      return yield* exchange({ transport, wire: setup.wire, request, limits, redact, take })
    }),
  ).pipe(
    Effect.catchTag("ProviderFailure", (failed) => Effect.succeed(failed)),
    Effect.catchTag("MediaLost", ({ message }) => Effect.succeed(unsendable(message))),
  )
  if (failure === null || failure === begun)
    return { result: { kind: "taken" }, attempt: { failure: null, waitMs: 0, ...usedBy(meter, null) } }
  const reason = { code: failure.code, message: redact(failure.message) }
  const kind = isContentRefusal(failure.code) ? "refused" : "failed"
  return { result: { kind, reason }, attempt: { failure: reason, waitMs: 0, ...usedBy(meter, failure) } }
})
