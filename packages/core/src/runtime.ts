/**
 * The runtime: one process's Holdfast over one store. Everything a surface can ask for is here,
 * with the names of the contract; surfaces add transport, not behaviour.
 */
import { Clock, Deferred, Effect, type Scope } from "effect"
import {
  InvalidId,
  LocationMissing,
  type ModelNotFound,
  type NothingOwed,
  PromptConflict,
  PromptNotFound,
  PromptNotPending,
  PromptRefused,
  type SessionNotFound,
  StoreFailure,
} from "@holdfast/schema/error"
import type { Event } from "@holdfast/schema/event"
import { PromptId, SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { ModelRef } from "@holdfast/schema/model"
import {
  type AdmittedPrompt,
  type Delivery,
  findTextFault,
  type PromptReceipt,
} from "@holdfast/schema/prompt"
import type { RestartPolicy, SessionInfo } from "@holdfast/schema/session"
import type { OutcomeOf, EditPrompt, SessionList, TurnRecord } from "@holdfast/store/port"
import { Schema } from "effect"
import type { Location } from "@holdfast/schema/location"
import { makeCoordinator, sessionNotFound } from "./session/coordinator.ts"
import type { DrainEnd } from "./session/drain.ts"
import { awaitOtherHolder } from "./session/lease.ts"
import type { RuntimePorts } from "./session/ports.ts"
import { type VerifiedTurn, verifyTurns } from "./session/rebuild.ts"
import { type RunResult, runResult } from "./session/result.ts"
import { describeSession } from "./session/status.ts"

export interface CreateSession {
  readonly directory: string
  readonly title?: string
  readonly model?: ModelRef
  readonly policy?: RestartPolicy
}

export interface SendPrompt {
  readonly sessionID: string
  readonly text: string
  /** Chosen by the caller, it makes the call safe to repeat (PR2). */
  readonly id?: string
  readonly delivery?: Delivery
  /** False admits only (PR5). */
  readonly resume?: boolean
}

export interface Runtime {
  readonly create: (
    input: CreateSession,
  ) => Effect.Effect<SessionInfo, LocationMissing | ModelNotFound | StoreFailure>
  readonly get: (sessionID: string) => Effect.Effect<SessionInfo, SessionNotFound | InvalidId | StoreFailure>
  readonly list: (page: SessionList) => Effect.Effect<readonly SessionInfo[], StoreFailure>
  readonly remove: (sessionID: string) => Effect.Effect<void, SessionNotFound | InvalidId | StoreFailure>
  readonly prompt: (
    input: SendPrompt,
  ) => Effect.Effect<
    PromptReceipt,
    PromptRefused | PromptConflict | SessionNotFound | InvalidId | StoreFailure
  >
  readonly inbox: (
    sessionID: string,
  ) => Effect.Effect<readonly AdmittedPrompt[], SessionNotFound | InvalidId | StoreFailure>
  readonly edit: (
    sessionID: string,
    prompt: string,
    text: string,
  ) => Effect.Effect<
    PromptReceipt,
    PromptRefused | PromptNotFound | PromptNotPending | SessionNotFound | InvalidId | StoreFailure
  >
  readonly cancel: (
    sessionID: string,
    prompt: string,
  ) => Effect.Effect<
    PromptReceipt,
    PromptNotFound | PromptNotPending | SessionNotFound | InvalidId | StoreFailure
  >
  /** In order, above a sequence; system messages only on request (EP11). */
  readonly messages: (
    sessionID: string,
    list: { readonly afterSeq: number; readonly limit: number; readonly system?: boolean },
  ) => Effect.Effect<readonly Message[], SessionNotFound | InvalidId | StoreFailure>
  /** Durable events above `after`; waits for the first if there is none and `wait` is set (EV1). */
  readonly events: (
    sessionID: string,
    after: number,
    limit: number,
    wait: boolean,
  ) => Effect.Effect<readonly Event[], SessionNotFound | InvalidId | StoreFailure>
  readonly turns: (
    sessionID: string,
  ) => Effect.Effect<readonly TurnRecord[], SessionNotFound | InvalidId | StoreFailure>
  readonly verify: (
    sessionID: string,
  ) => Effect.Effect<readonly VerifiedTurn[], SessionNotFound | InvalidId | StoreFailure>
  readonly interrupt: (sessionID: string) => Effect.Effect<void, SessionNotFound | InvalidId | StoreFailure>
  readonly resume: (
    sessionID: string,
  ) => Effect.Effect<void, SessionNotFound | InvalidId | NothingOwed | StoreFailure>
  readonly active: () => readonly SessionId[]
  /** Waits for the drain that runs here, if any, and tells how the last one ended. */
  readonly settled: (sessionID: string) => Effect.Effect<DrainEnd | null, InvalidId>
  /** What became of the newest input: the record a headless run ends with. */
  readonly result: (sessionID: string) => Effect.Effect<RunResult, SessionNotFound | InvalidId | StoreFailure>
  readonly live: RuntimePorts["live"]
}

export interface RuntimeOptions {
  /** Canonical Location of a directory, or null where there is none. */
  readonly locate: (directory: string) => Effect.Effect<Location | null>
}

/** Starts by settling what dead processes left open (DR4). */
export const makeRuntime = (
  ports: RuntimePorts,
  options: RuntimeOptions,
): Effect.Effect<Runtime, StoreFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const coordinator = yield* makeCoordinator(ports)
    yield* coordinator.recover()
    const { store } = ports

    const known = Effect.fnUntraced(function* (sessionID: string) {
      const id = yield* sessionId(sessionID)
      const row = yield* store.session(id)
      if (row === null) return yield* sessionNotFound(sessionID)
      return row
    })

    const runtime: Runtime = {
      live: ports.live,
      active: coordinator.active,
      create: Effect.fnUntraced(function* (input) {
        const location = yield* options.locate(input.directory)
        if (location === null) {
          const message = `There is no directory ${input.directory}. Create it or name another with --dir.`
          return yield* new LocationMissing({ directory: input.directory, message })
        }
        if (input.model !== undefined) yield* ports.model(input.model)
        const session = ports.newId("ses") as SessionId
        const { title = null, model = null, policy = "settle" } = input
        yield* store.commit({
          kind: "create-session",
          session,
          time: yield* Clock.currentTimeMillis,
          fact: { type: "session.created", location, title, model, policy, harness: "holdfast" },
        })
        return yield* Effect.orDie(runtime.get(session))
      }),
      get: Effect.fnUntraced(function* (sessionID) {
        return yield* describeSession(ports, coordinator.active(), yield* known(sessionID))
      }),
      list: Effect.fnUntraced(function* (page) {
        const rows = yield* store.sessions(page)
        return yield* Effect.forEach(rows, (row) => describeSession(ports, coordinator.active(), row))
      }),
      remove: Effect.fnUntraced(function* (sessionID) {
        const row = yield* known(sessionID)
        yield* coordinator.interrupt(row.id)
        yield* coordinator.settled(row.id)
        const outcome = yield* store.commit({ kind: "delete-session", session: row.id })
        if (outcome.kind === "held") return yield* heldElsewhere(row.id)
      }),
      prompt: Effect.fnUntraced(function* (input) {
        const session = yield* sessionId(input.sessionID)
        const prompt = yield* promptId(input.id ?? ports.newId("prm"))
        yield* legalText(input.text)
        const delivery = input.delivery ?? "steer"
        const time = yield* Clock.currentTimeMillis
        const { text } = input
        const admission = { kind: "admit", session, time, prompt, text, delivery } as const
        const outcome = yield* input.resume === false ? store.commit(admission) : coordinator.admit(admission)
        if (outcome.kind === "no-session") return yield* sessionNotFound(input.sessionID)
        if (outcome.kind === "conflict") {
          const message = `The prompt id ${prompt} was used before with another text, Session or delivery. Choose a fresh id.`
          return yield* new PromptConflict({ prompt, message })
        }
        return outcome.receipt
      }),
      inbox: Effect.fnUntraced(function* (sessionID) {
        return yield* store.inbox((yield* known(sessionID)).id)
      }),
      edit: Effect.fnUntraced(function* (sessionID, prompt, text) {
        const session = yield* sessionId(sessionID)
        const id = yield* promptId(prompt)
        yield* legalText(text)
        const time = yield* Clock.currentTimeMillis
        const outcome = yield* store.commit({ kind: "edit-prompt", session, time, prompt: id, text })
        if (outcome.kind === "edited") return outcome.receipt
        return yield* notChanged(outcome, sessionID, prompt)
      }),
      cancel: Effect.fnUntraced(function* (sessionID, prompt) {
        const session = yield* sessionId(sessionID)
        const id = yield* promptId(prompt)
        const time = yield* Clock.currentTimeMillis
        const outcome = yield* store.commit({ kind: "cancel-prompt", session, time, prompt: id })
        if (outcome.kind === "cancelled") return outcome.receipt
        return yield* notChanged(outcome, sessionID, prompt)
      }),
      messages: Effect.fnUntraced(function* (sessionID, list) {
        return yield* store.messages((yield* known(sessionID)).id, { system: false, ...list })
      }),
      events: Effect.fnUntraced(function* (sessionID, after, limit, wait) {
        const { id } = yield* known(sessionID)
        return yield* readEvents(ports, id, after, limit, wait)
      }),
      turns: Effect.fnUntraced(function* (sessionID) {
        return yield* store.turns((yield* known(sessionID)).id)
      }),
      verify: Effect.fnUntraced(function* (sessionID) {
        return yield* verifyTurns(store, (yield* known(sessionID)).id)
      }),
      interrupt: Effect.fnUntraced(function* (sessionID) {
        yield* coordinator.interrupt(yield* sessionId(sessionID))
      }),
      resume: Effect.fnUntraced(function* (sessionID) {
        yield* coordinator.resume(yield* sessionId(sessionID))
      }),
      settled: Effect.fnUntraced(function* (sessionID) {
        return yield* coordinator.settled(yield* sessionId(sessionID))
      }),
      result: Effect.fnUntraced(function* (sessionID) {
        const row = yield* known(sessionID)
        const last = yield* coordinator.settled(row.id)
        yield* awaitOtherHolder(ports, row.id)
        return yield* runResult(store, row.id, last)
      }),
    }
    return runtime
  })

const decodeSessionId = Schema.decodeUnknownOption(SessionId)
const decodePromptId = Schema.decodeUnknownOption(PromptId)

const sessionId = (text: string): Effect.Effect<SessionId, InvalidId> => {
  const decoded = decodeSessionId(text)
  if (decoded._tag === "Some") return Effect.succeed(decoded.value)
  const message = `${JSON.stringify(text)} is no Session id. They look like ses_… ; \`holdfast sessions\` lists them.`
  return Effect.fail(new InvalidId({ value: text, message }))
}

const promptId = (text: string): Effect.Effect<PromptId, InvalidId> => {
  const decoded = decodePromptId(text)
  if (decoded._tag === "Some") return Effect.succeed(decoded.value)
  const message = `${JSON.stringify(text)} is no prompt id: use 1 to 128 letters, digits and . _ : -, starting with a letter or digit.`
  return Effect.fail(new InvalidId({ value: text, message }))
}

const legalText = (text: string): Effect.Effect<void, PromptRefused> => {
  const fault = findTextFault(text)
  return fault === null ? Effect.void : Effect.fail(new PromptRefused(fault))
}

const notChanged = (
  outcome: Exclude<OutcomeOf<EditPrompt>, { kind: "edited" }>,
  sessionID: string,
  prompt: string,
): Effect.Effect<never, SessionNotFound | PromptNotFound | PromptNotPending> => {
  if (outcome.kind === "no-session") return Effect.fail(sessionNotFound(sessionID))
  if (outcome.kind === "no-prompt") {
    const message = `Session ${sessionID} has no prompt ${prompt}.`
    return Effect.fail(new PromptNotFound({ prompt, message }))
  }
  const { state } = outcome
  const message = `Prompt ${prompt} is already ${state} and cannot be changed any more.`
  return Effect.fail(new PromptNotPending({ prompt, state, message }))
}

const heldElsewhere = (session: string): StoreFailure =>
  new StoreFailure({
    code: "busy",
    outcomeUnknown: false,
    message: `Another process is working on Session ${session}. Interrupt it there, then delete again.`,
    detail: "",
  })

/** Registers its wake before it reads, re-queries on wake, advances only by stored seq. */
const readEvents = (ports: RuntimePorts, id: SessionId, after: number, limit: number, wait: boolean) =>
  Effect.gen(function* () {
    for (;;) {
      const woken = yield* Deferred.make<void>()
      const stop = ports.store.onCommitted((session) => {
        if (session === id) Deferred.doneUnsafe(woken, Effect.void)
      })
      const { events } = yield* ports.store
        .events(id, after, limit)
        .pipe(Effect.onError(() => Effect.sync(stop)))
      if (events.length > 0 || !wait) {
        stop()
        return events
      }
      yield* Deferred.await(woken).pipe(Effect.ensuring(Effect.sync(stop)))
    }
  })
