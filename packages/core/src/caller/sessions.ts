/**
 * Sessions as a whole: made, forked, moved, archived (SS1). None of it needs the lease, and each is
 * safe to repeat: the store decides in one transaction whether the same was done before.
 *
 *   EP9   a move ends the Epoch; whoever leads finds it at its next boundary
 *   EP16  everything a turn takes from a place is asked for by the Location of its Session
 */
import { Clock, Effect } from "effect"
import type { BudgetChange } from "@holdfast/schema/fact/budget"
import {
  AgentNotFound,
  type InvalidId,
  type LocationMissing,
  type MessageNotFound,
  MessageUnsettled,
  type ModelNotFound,
  type RuleInvalid,
  SessionConflict,
  type StoreFailure,
} from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { AllowRule, OnAsk, RestartPolicy } from "@holdfast/schema/fact/session"
import type { MessageId, PromptId, SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { ModelRef } from "@holdfast/schema/model"
import type { SessionInfo } from "@holdfast/schema/session"
import type { SessionRow, Store } from "@holdfast/store/port"
import { projectOf } from "../memory/known.ts"
import { sessionNotFound } from "../session/coordinator/coordinator.ts"
import { defaultAgent, lookAtSettings, type RuntimePorts } from "../session/ports.ts"
import { createdSession, unledSession } from "../session/status.ts"
import { changeSession } from "./change.ts"
import { legalRules } from "./asks.ts"
import { locationMissing } from "./locations.ts"
import { chosenSessionId, decodeMessageId, type KnownFailure, messageNotFound, sessionId } from "./given.ts"

export interface CreateSession {
  /** Chosen by the caller, it makes the call safe to repeat. */
  readonly id?: string
  readonly directory: string
  readonly title?: string
  readonly model?: ModelRef
  /** `build` unless given. */
  readonly agent?: string
  readonly policy?: RestartPolicy
  /** What happens where somebody would have to be asked; it waits unless given (PE4). */
  readonly onAsk?: OnAsk
  readonly allow?: readonly AllowRule[]
  readonly budget?: BudgetChange
}

/** What is set for a Session whose creator does not say it. */
export type CreateDefaults = Pick<CreateSession, "model" | "policy" | "budget">

export interface ForkSession {
  readonly sessionID: string
  /** The last message of the copy; left out, the copy ends where everything is settled. */
  readonly messageID?: string
  /** Chosen by the caller, it makes the call safe to repeat. */
  readonly id?: string
  readonly title?: string
}

/** What a call that makes a Session may answer. */
export type CreateFailure =
  | AgentNotFound
  | LocationMissing
  | ModelNotFound
  | SessionConflict
  | RuleInvalid
  | InvalidId
  | StoreFailure

export interface SessionCalls {
  /** In any directory that is there; whoever lets in others decides which they may name (CO3). */
  readonly create: (
    input: CreateSession,
    defaults?: CreateDefaults,
  ) => Effect.Effect<SessionInfo, CreateFailure>
  /** Another Session that begins with the same log, and whose requests begin with the same bytes. */
  readonly fork: (
    input: ForkSession,
  ) => Effect.Effect<SessionInfo, MessageNotFound | MessageUnsettled | SessionConflict | KnownFailure>
  /** Holds from the next boundary on; to where it is, it changes nothing. */
  readonly move: (
    sessionID: string,
    directory: string,
  ) => Effect.Effect<SessionInfo, LocationMissing | KnownFailure>
  /** Lists leave it out, until somebody takes it back or sends it a prompt. */
  readonly archive: (sessionID: string, archived: boolean) => Effect.Effect<SessionInfo, KnownFailure>
}

export function makeSessionCalls(
  ports: RuntimePorts,
  locate: (directory: string) => Effect.Effect<Location | null>,
  known: (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>,
  describe: (row: SessionRow) => Effect.Effect<SessionInfo, StoreFailure>,
): SessionCalls {
  const { store } = ports
  const newSession = (chosen: string | undefined): Effect.Effect<SessionId, InvalidId> =>
    chosen === undefined ? Effect.sync(() => ports.newId("ses") as SessionId) : chosenSessionId(chosen)
  const described = (sessionID: string) => Effect.flatMap(known(sessionID), describe)

  return {
    create: Effect.fnUntraced(function* (input, defaults = {}) {
      const session = yield* newSession(input.id)
      yield* legalRules(ports.approvals, input.allow)
      const location = yield* locate(input.directory)
      if (location === null) return yield* locationMissing(input.directory)
      const { model } = withDefaults(input, defaults)
      if (model !== undefined) {
        yield* lookAtSettings(ports)
        yield* ports.model(model)
      }
      if (input.agent !== undefined) yield* requireAgent(ports, location, input.agent)
      // Whoever stood there before keeps the Sessions that were begun until now (MM1).
      yield* projectOf(ports, location)
      const time = yield* Clock.currentTimeMillis
      const commit = (fact: FactOf<"session.created">) =>
        store.commit({ kind: "create-session", session, time, fact })
      let fact = createdFact(withDefaults(input, defaults), location)
      let outcome = yield* commit(fact)
      if (outcome.kind === "conflict") {
        // What is set may have changed since: a repeat is told by what its caller gives.
        fact = createdFact(withDefaults(input, yield* defaultsThen(store, session)), location)
        outcome = yield* commit(fact)
      }
      switch (outcome.kind) {
        case "created":
          // Told without a read, which could fail where the Session is there already.
          return createdSession(session, fact, time, outcome.seq)
        case "repeated":
          return yield* describe(outcome.row)
        case "conflict":
          return yield* sessionConflict(session)
      }
    }),
    fork: Effect.fnUntraced(function* ({ sessionID, messageID, id, title = null }) {
      const source = yield* sessionId(sessionID)
      const session = yield* newSession(id)
      const message = messageID === undefined ? null : decodeMessageId(messageID)
      if (message?._tag === "None") {
        yield* known(sessionID)
        return yield* messageNotFound(sessionID, messageID ?? "")
      }
      const outcome = yield* store.commit({
        kind: "fork-session",
        session,
        time: yield* Clock.currentTimeMillis,
        source,
        message: message?.value ?? null,
        title,
        prompts: ports.newId("prm") as PromptId,
      })
      switch (outcome.kind) {
        case "forked":
          return outcome.repeated ? yield* describe(outcome.row) : unledSession(outcome.row)
        case "conflict":
          return yield* sessionConflict(session)
        case "no-session":
          return yield* sessionNotFound(sessionID)
        case "no-message":
          return yield* messageNotFound(sessionID, messageID ?? "")
        case "unsettled":
          return yield* messageUnsettled(messageID as MessageId)
      }
    }),
    move: Effect.fnUntraced(function* (sessionID, directory) {
      const { id: session } = yield* known(sessionID)
      const location = yield* locate(directory)
      if (location === null) return yield* locationMissing(directory)
      yield* projectOf(ports, location)
      const time = yield* Clock.currentTimeMillis
      const outcome = yield* store.commit({ kind: "move-session", session, time, location })
      if (outcome.kind === "no-session") return yield* sessionNotFound(sessionID)
      return yield* described(sessionID)
    }),
    archive: Effect.fnUntraced(function* (sessionID, archived) {
      yield* changeSession(store, yield* known(sessionID), { archived })
      return yield* described(sessionID)
    }),
  }
}

/** Whoever names an agent is told at once if there is none; a Session is never left without one. */
export const requireAgent = Effect.fnUntraced(function* (
  { sample }: Pick<RuntimePorts, "sample">,
  location: Location,
  agent: string,
): Effect.fn.Return<void, AgentNotFound> {
  const { obstacle } = yield* sample(location, agent)
  if (obstacle !== undefined) return yield* new AgentNotFound({ agent, message: obstacle.message })
})

/** Of the two limits of a budget, each that a caller does not name is what is set (DR9). */
const withDefaults = (input: CreateSession, defaults: CreateDefaults): CreateSession => ({
  ...defaults,
  ...input,
  ...((defaults.budget || input.budget) && { budget: { ...defaults.budget, ...input.budget } }),
})

/** What a Session was created with, for whatever its caller does not say again. */
const defaultsThen = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
): Effect.fn.Return<CreateDefaults, StoreFailure> {
  const fact = (yield* store.events(session, 0, 1)).events[0]?.fact
  if (fact?.type !== "session.created") return {}
  const { model, policy, budget } = fact
  return { policy, ...(model && { model }), ...(budget && { budget }) }
})

const createdFact = (
  { title, model, agent = defaultAgent, policy = "settle", onAsk = "wait", allow, budget }: CreateSession,
  location: Location,
): FactOf<"session.created"> => ({
  type: "session.created",
  kind: "primary",
  parent: null,
  origin: null,
  location,
  title: title ?? null,
  titledBy: title === undefined ? "runtime" : "person",
  model: model ?? null,
  agent,
  policy,
  onAsk,
  ...(allow && { allow }),
  ...(budget && { budget }),
  harness: "holdfast",
})

const sessionConflict = (session: SessionId): SessionConflict =>
  new SessionConflict({
    session,
    message: `The Session id ${session} was used before, for something else than this. Choose a fresh id.`,
  })

const messageUnsettled = (id: MessageId): MessageUnsettled =>
  new MessageUnsettled({
    id,
    message: `Message ${id} is not complete yet. Fork at an earlier one, or wait until its turn is over.`,
  })
