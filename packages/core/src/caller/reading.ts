/**
 * Reading: what models read of a Session, and what anybody may ask or change about it: the next request,
 * who would get it, a message taken out (LL7), a cut (TU6), what waits done now (PS7), its history written anew (HI7),
 * the receipts of its breaks, and whether a provider would take it.
 */
import { Effect } from "effect"
import type { MessageNotFound, ModelNotFound, StoreFailure } from "@holdfast/schema/error"
import type { MessageId, SignalId } from "@holdfast/schema/id"
import type { ModelInfo } from "@holdfast/schema/model"
import type { BreakReceipt, RebuildResult } from "@holdfast/schema/instance/window"
import type { PlannedRequest } from "@holdfast/schema/planned-request"
import type { ProbeResult } from "@holdfast/schema/probe"
import type { SessionInfo } from "@holdfast/schema/session"
import type { SessionRow } from "@holdfast/store/port"
import { describeModel } from "../config/models.ts"
import { rebuildHistory, type RebuildSpan } from "../historian/rebuild.ts"
import type { JobRunner } from "../jobs/runner.ts"
import { previewRequest } from "../preview/preview.ts"
import { probeRequest } from "../preview/probe.ts"
import { readReceipts } from "../preview/receipts.ts"
import { contribute } from "../session/contribute.ts"
import { type Coordinator, sessionNotFound } from "../session/coordinator/coordinator.ts"
import { chooseModel } from "../session/fallback.ts"
import { askedModel } from "../session/look.ts"
import { historianSet, lookAtSettings, type RuntimePorts } from "../session/ports.ts"
import { busy, decodeMessageId, type KnownFailure, messageNotFound } from "./given.ts"

export interface Reading {
  /** What the next boundary would send, planned and not committed; `content` tells what each block says (PG3). */
  readonly request: (
    sessionID: string,
    options?: { readonly content?: boolean | undefined },
  ) => Effect.Effect<PlannedRequest, KnownFailure>
  /** Who would take the next turn: the model of the Session, or another while that one rests (CA3). */
  readonly answering: (sessionID: string) => Effect.Effect<ModelInfo, ModelNotFound | KnownFailure>
  /** Takes one message out of what models read, for good; it stays stored (LL7). */
  readonly quarantine: (
    sessionID: string,
    message: string,
  ) => Effect.Effect<void, MessageNotFound | KnownFailure>
  /** Cuts the conversation that the next request shows, whatever its size; it stays stored (TU6). */
  readonly fold: (sessionID: string) => Effect.Effect<void, KnownFailure>
  /** Lets the next request do what waits: the Delta is rendered anew, drops are made, nothing is folded (PS7). */
  readonly flush: (sessionID: string) => Effect.Effect<void, KnownFailure>
  /** Makes compartments anew from the messages that they cover (HI7). */
  readonly rebuild: (sessionID: string, span: RebuildSpan) => Effect.Effect<RebuildResult, KnownFailure>
  /** What each break kept, dropped and summed up (SU4). */
  readonly receipts: (sessionID: string) => Effect.Effect<readonly BreakReceipt[], KnownFailure>
  /** Sends the next request without some of its messages, to see whether the provider takes it; it may cost money. */
  readonly probe: (
    sessionID: string,
    without: readonly string[],
  ) => Effect.Effect<ProbeResult, MessageNotFound | KnownFailure>
}

export function makeReading(
  ports: RuntimePorts,
  coordinator: Pick<Coordinator, "resume" | "answered">,
  known: (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>,
  describe: (row: SessionRow) => Effect.Effect<SessionInfo, StoreFailure>,
  runner: JobRunner,
): Reading {
  /** What the window holds, and whether somebody works on it. */
  const watchedWindow = Effect.fnUntraced(function* (sessionID: string) {
    const { status, id } = yield* describe(yield* known(sessionID))
    const window = yield* ports.store.window(id)
    if (window === null) return yield* sessionNotFound(sessionID)
    const { openTurn } = window.state.summary
    const led = status.state === "running" || (status.state === "waiting" && openTurn !== null)
    return { window, led }
  })
  const raise = Effect.fnUntraced(function* (sessionID: string, kind: "fold" | "flush") {
    const { id: session } = yield* known(sessionID)
    const signal = ports.newId("sig") as SignalId
    yield* contribute(ports, coordinator, session, { type: "signal.raised", signal, kind, detail: null })
  })
  return {
    request: Effect.fnUntraced(function* (sessionID, { content = false } = {}) {
      const { window, led } = yield* watchedWindow(sessionID)
      return yield* Effect.scoped(previewRequest(ports, window, led, content))
    }),
    answering: Effect.fnUntraced(function* (sessionID) {
      const row = yield* known(sessionID)
      const sample = yield* ports.sample(row.location, row.agent)
      const { setup, insteadOf } = yield* chooseModel(ports, row.id, askedModel(row, sample.agent), sample)
      if (insteadOf === null) return describeModel(setup)
      return { ...describeModel(setup), insteadOf: { model: insteadOf.model, until: insteadOf.until } }
    }),
    quarantine: Effect.fnUntraced(function* (sessionID, message) {
      const { id: session } = yield* known(sessionID)
      const wanted = decodeMessageId(message)
      if (wanted._tag === "None") return yield* messageNotFound(sessionID, message)
      const fact = { type: "message.quarantined", message: wanted.value } as const
      const outcome = yield* contribute(ports, coordinator, session, fact)
      if (outcome.kind === "refused") return yield* messageNotFound(sessionID, message)
    }),
    fold: (sessionID) => raise(sessionID, "fold"),
    flush: (sessionID) => raise(sessionID, "flush"),
    rebuild: Effect.fnUntraced(function* (sessionID, span) {
      const { id } = yield* known(sessionID)
      yield* lookAtSettings(ports)
      const settings = historianSet(ports)
      return yield* rebuildHistory(ports, coordinator, id, span, settings && { settings, runner })
    }),
    receipts: Effect.fnUntraced(function* (sessionID) {
      return yield* readReceipts(ports.store, (yield* known(sessionID)).id)
    }),
    probe: Effect.fnUntraced(function* (sessionID, without) {
      const { window, led } = yield* watchedWindow(sessionID)
      const { session } = window
      if (led) return yield* busy(`Session ${session} is at work. Wait until it is not, or interrupt it.`)
      const shown = new Set<string>(window.state.messages.map(({ id }) => id))
      const strange = without.find((message) => !shown.has(message))
      if (strange !== undefined) return yield* messageNotFound(sessionID, strange)
      const { result, fact } = yield* Effect.scoped(
        probeRequest(ports, window, without as readonly MessageId[]),
      )
      if (fact !== null) yield* contribute(ports, coordinator, session, fact)
      return result
    }),
  }
}
