/**
 * The runtime: one process's Holdfast over one store. Everything a surface can ask for is here,
 * with the names of the contract; surfaces add transport, not behaviour.
 */
import { Deferred, Effect, Fiber, type Metric, Scope } from "effect"
import {
  ImageNotFound,
  type InvalidId,
  type MessageNotFound,
  type AgentNotFound,
  type ModelNotFound,
  type NothingOwed,
  type RuleInvalid,
  type StoreFailure,
  TurnNotFound,
} from "@holdfast/schema/error"
import type { Ask } from "@holdfast/schema/instance/ask"
import type { PublicEvent } from "@holdfast/schema/fact/public"
import type { Degradation } from "@holdfast/schema/health"
import type { SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { Message } from "@holdfast/schema/message"
import type { ModelInfo, ModelRef } from "@holdfast/schema/model"
import type { SessionInfo } from "@holdfast/schema/session"
import { historyOf } from "@holdfast/schema/state/state"
import type { SentRequest, TurnRecord, VerifiedTurn } from "@holdfast/schema/turn-record"
import type { EmbeddingState } from "@holdfast/schema/search/embedding"
import type { AskEmbedding } from "@holdfast/store/search/embedding"
import type { ContributedFact, SequenceList, SessionList, SessionRow } from "@holdfast/store/port"
import type { Configured } from "./config/index.ts"
import { describeModel } from "./config/models.ts"
import { changeSession, type SessionChange } from "./caller/change.ts"
import { type AskCalls, legalRules, makeAskCalls } from "./caller/asks.ts"
import { type KnownLocations, makeKnownLocations } from "./caller/locations.ts"
import { type BundleCalls, makeBundleCalls } from "./bundle/calls.ts"
import { makeCoordinator, sessionNotFound } from "./session/coordinator/coordinator.ts"
import { examineHealth, makeDegradations, watchWrites } from "./health/degradation.ts"
import { findImage } from "./media/find.ts"
import type { StoredImage } from "./media/normalise.ts"
import { makeBackgroundCommands } from "./session/background/commands.ts"
import { contribute, type Contributed } from "./session/contribute.ts"
import type { DrainEnd } from "./session/drain.ts"
import {
  busy,
  decodeMessageId,
  type KnownFailure,
  messageNotFound,
  sessionId,
  shownLengthMax,
} from "./caller/given.ts"
import { makePromptCalls, type PromptsOfCallers } from "./caller/prompts.ts"
import { makeReading, type Reading } from "./caller/reading.ts"
import { makeSessionCalls, requireAgent, type SessionCalls } from "./caller/sessions.ts"
import { awaitOtherHolder } from "./session/lease.ts"
import { soundSample } from "./session/look.ts"
import { historianSet, lookAtSettings, type RuntimePorts } from "./session/ports.ts"
import { rebuildSent, type VerifyRange, verifyTurns } from "./session/request/rebuild.ts"
import { type RunResult, runResult } from "./session/result.ts"
import { describeSession } from "./session/status.ts"
import { tellCommits } from "./events/commit-notices.ts"
import { readEvents } from "./events/tail.ts"
import { makeTerminals, type Terminals, type TerminalsOptions } from "./pty/terminals.ts"
import { historianAgents, makeHistorian, makeSettledTurns } from "./historian/historian.ts"
import { type MemoryCalls, makeMemoryCalls } from "./memory/calls.ts"
import { makeWorkspaceCalls, type WorkspaceCalls } from "./memory/workspaces.ts"
import { makeNoteCalls, type NoteCalls } from "./memory/note-calls.ts"
import { type JobRunner, makeJobRunner } from "./jobs/runner.ts"
import { type Dreams, makeDreams } from "./dreamer/dreams.ts"
import { makeDreamSchedule } from "./dreamer/schedule.ts"
import { dreamerAgents } from "./dreamer/tasks.ts"
import { embedHistory, embedSettled, makeMeaning } from "./embedding/embedding.ts"
import { makeCommitIndex } from "./search/commits.ts"
import { makeSearch, type Search } from "./search/search.ts"
import { makeSidekick, sidekickAgents } from "./sidekick/sidekick.ts"
import { makeTitles } from "./title/titles.ts"
import { makeKeepWarm } from "./warmth/keep-warm.ts"
import { withWarmings } from "./warmth/warmed-turns.ts"
import { type CommitHub, makeCommitHub, watchCommits } from "./watch/commits.ts"
import { countCommits } from "./watch/metrics.ts"

export interface Runtime
  extends
    Reading,
    SessionCalls,
    BundleCalls,
    PromptsOfCallers,
    AskCalls,
    KnownLocations,
    MemoryCalls,
    WorkspaceCalls,
    NoteCalls,
    Configured {
  readonly get: (sessionID: string) => Effect.Effect<SessionInfo, KnownFailure>
  readonly list: (page: SessionList) => Effect.Effect<readonly SessionInfo[], StoreFailure>
  readonly remove: (sessionID: string) => Effect.Effect<void, KnownFailure>
  /** A stretch of the list, in order; system messages only on request (EP11). */
  readonly messages: (
    sessionID: string,
    list: SequenceList & { readonly system?: boolean },
  ) => Effect.Effect<readonly Message[], KnownFailure>
  readonly message: (
    sessionID: string,
    message: string,
  ) => Effect.Effect<Message, MessageNotFound | KnownFailure>
  /** A fact that needs no lease: a title, an answer, a notice. */
  readonly contribute: (sessionID: string, fact: ContributedFact) => Effect.Effect<Contributed, KnownFailure>
  /** An image of the Session by its handle. */
  readonly image: (
    sessionID: string,
    handle: string,
  ) => Effect.Effect<StoredImage, ImageNotFound | KnownFailure>
  /** Session History as the window holds it (PG3). */
  readonly context: (sessionID: string) => Effect.Effect<readonly Message[], KnownFailure>
  /** Durable events above `after`; waits for the first if there is none and `wait` is set (EV1). */
  readonly events: (
    sessionID: string,
    after: number,
    limit: number,
    wait: boolean,
  ) => Effect.Effect<readonly PublicEvent[], KnownFailure>
  /** All of them without a list. */
  readonly turns: (
    sessionID: string,
    list?: SequenceList,
  ) => Effect.Effect<readonly TurnRecord[], KnownFailure>
  readonly verify: (
    sessionID: string,
    range?: VerifyRange,
  ) => Effect.Effect<readonly VerifiedTurn[], KnownFailure>
  /** What one turn sent, rebuilt from the log (TU1). */
  readonly sentRequest: (
    sessionID: string,
    turn: string,
  ) => Effect.Effect<SentRequest, TurnNotFound | KnownFailure>
  readonly interrupt: (sessionID: string) => Effect.Effect<void, KnownFailure>
  /** Goes on with what is owed, or answers with what somebody has to answer first (PR8). */
  readonly resume: (sessionID: string) => Effect.Effect<readonly Ask[], NothingOwed | KnownFailure>
  readonly update: (
    sessionID: string,
    change: Pick<SessionChange, "title" | "policy" | "onAsk" | "allow" | "budget">,
  ) => Effect.Effect<SessionInfo, RuleInvalid | KnownFailure>
  /** Holds from the next turn on; the choice in force again changes nothing (CO4). */
  readonly switchModel: (
    sessionID: string,
    model: ModelRef,
  ) => Effect.Effect<SessionInfo, ModelNotFound | KnownFailure>
  /** Holds from the next turn on, with the Epoch and the history as they are (CO4, EP10). */
  readonly switchAgent: (
    sessionID: string,
    agent: string,
  ) => Effect.Effect<SessionInfo, AgentNotFound | KnownFailure>
  readonly active: () => readonly SessionId[]
  /** Waits for the drain that runs here, if any, and tells how the last one ended. */
  readonly settled: (sessionID: string) => Effect.Effect<DrainEnd | null, InvalidId>
  /** What became of the newest input: the record a headless run ends with. */
  readonly result: (sessionID: string) => Effect.Effect<RunResult, KnownFailure>
  /** What a turn would speak to; null asks for the default. */
  readonly model: (ref: ModelRef | null) => Effect.Effect<ModelInfo, ModelNotFound>
  /** Parts that fail while the rest goes on (FA1). */
  readonly health: () => Effect.Effect<readonly Degradation[]>
  readonly live: RuntimePorts["live"]
  /** Terminals of this process; they end with the runtime (PT1). */
  readonly ptys: Terminals
  /** Inputs of all Sessions that wait for their promotion, whoever admitted them. */
  readonly pendingInputs: () => Effect.Effect<number, StoreFailure>
  /** What this process commits, as it happens. */
  readonly commits: Pick<CommitHub, "subscribe">
  /** Counters of what this process did since it was opened. */
  readonly metrics: Metric.MetricRegistry
  /** One question to what was said in all Sessions of a project, or of all (SE1). */
  readonly search: Search
  /** Runs of the dreamer, by hand (SU4). */
  readonly dreams: Dreams
  /** Puts old history into the queue of the worker that embeds, and tells how far it is (SE3). */
  readonly embedHistory: (of: AskEmbedding["of"]) => Effect.Effect<EmbeddingState, StoreFailure>
}

export interface RuntimeOptions {
  /** Canonical Location of a directory, or null where there is none. */
  readonly locate: (directory: string) => Effect.Effect<Location | null>
  /** What terminals inherit, before it is filtered (PT1); nothing unless given. */
  readonly environment?: TerminalsOptions["environment"]
  readonly configured: Configured
}

export type { SendPrompt } from "./caller/prompts.ts"
export type { CreateFailure, CreateSession } from "./caller/sessions.ts"

/** Starts by settling what dead processes left open (DR4). */
export const makeRuntime = (
  given: RuntimePorts,
  options: RuntimeOptions,
): Effect.Effect<Runtime, StoreFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const degradations = makeDegradations()
    const commits = makeCommitHub()
    const metrics = countCommits(commits)
    yield* tellCommits(commits, given.live)
    const written = watchWrites(given.store, degradations)
    const store = watchCommits(written, commits)
    const settledTurns = yield* makeSettledTurns(given)
    const { turnSettled, historianAtWork } = settledTurns
    const bound: RuntimePorts = {
      ...given,
      store,
      sample: soundSample(given.sample),
      ...(given.historian && { turnSettled, historianAtWork }),
    }
    const runner = Deferred.makeUnsafe<JobRunner>()
    const askSidekick = given.sidekick && makeSidekick(bound, Deferred.await(runner), degradations)
    const ports: RuntimePorts = {
      ...bound,
      commands: yield* makeBackgroundCommands(bound),
      ...(askSidekick && { askSidekick }),
    }
    const coordinator = yield* makeCoordinator(ports)
    yield* coordinator.recover()
    yield* makeTitles(ports, commits)
    const jobs = yield* makeJobRunner(ports, written, {
      ...historianAgents(ports),
      ...dreamerAgents(ports),
      ...sidekickAgents(ports),
    })
    yield* Deferred.succeed(runner, jobs)
    const dreams = makeDreams(ports, written, jobs, degradations)
    yield* makeDreamSchedule(ports, dreams, commits)
    if (given.historian) yield* makeHistorian(ports, jobs, degradations, settledTurns)
    yield* makeKeepWarm(ports, commits)
    const indexCommits = makeCommitIndex(store, ports.masks, ports.git, ports.project)
    if (ports.embedding && ports.continues !== false)
      yield* embedSettled(store, ports.embedding, commits, indexCommits)
    const ptys = yield* makeTerminals({ newId: ports.newId, live: ports.live, environment: {}, ...options })

    const known = Effect.fnUntraced(function* (sessionID: string) {
      const id = yield* sessionId(sessionID)
      const row = yield* store.session(id)
      if (row === null) return yield* sessionNotFound(sessionID)
      return row
    })

    const describe = (row: SessionRow) => describeSession(ports, coordinator.active, row)
    const bundles = yield* makeBundleCalls({ ports, coordinator, locate: options.locate, known, describe })
    const reading = makeReading(ports, coordinator, known, describe, jobs)
    const untilClosed = yield* makeUntilClosed
    const runtime: Runtime = {
      ...bundles,
      ...reading,
      rebuild: (...call) => untilClosed(reading.rebuild(...call)),
      ...makeSessionCalls(ports, options.locate, known, describe),
      ...makePromptCalls(ports, coordinator, known),
      ...makeAskCalls(ports, coordinator, known),
      ...makeKnownLocations(store, options.locate),
      ...makeMemoryCalls(ports),
      ...makeWorkspaceCalls(ports),
      ...makeNoteCalls(ports, coordinator, known),
      ...options.configured,
      live: ports.live,
      ptys,
      commits,
      metrics,
      pendingInputs: store.pendingInputs,
      dreams: { ...dreams, run: (request) => untilClosed(dreams.run(request)) },
      search: makeSearch(store, ports.embedding ? makeMeaning(store, ports.embedding) : null, ports.project),
      embedHistory: (of) => embedHistory(store, ports.embedding, of, indexCommits),
      active: coordinator.active,
      get: Effect.fnUntraced(function* (sessionID) {
        return yield* describe(yield* known(sessionID))
      }),
      list: Effect.fnUntraced(function* (page) {
        const rows = yield* store.sessions(page)
        return yield* Effect.forEach(rows, describe)
      }),
      remove: Effect.fnUntraced(function* (sessionID) {
        const row = yield* known(sessionID)
        yield* coordinator.interrupt(row.id)
        yield* coordinator.settled(row.id)
        yield* coordinator.settleDead(row.id)
        const outcome = yield* store.commit({ kind: "delete-session", session: row.id })
        if (outcome.kind === "held") {
          return yield* busy(
            `Another process is working on Session ${row.id}. Stop it with holdfast interrupt ${row.id}, then delete again.`,
          )
        }
        yield* ports.outputs?.remove(row.id) ?? Effect.void
      }),
      messages: Effect.fnUntraced(function* (sessionID, list) {
        return yield* store.messages((yield* known(sessionID)).id, { system: false, ...list })
      }),
      message: Effect.fnUntraced(function* (sessionID, message) {
        const { id } = yield* known(sessionID)
        const wanted = decodeMessageId(message)
        const found = wanted._tag === "Some" ? yield* store.message(id, wanted.value) : null
        return found ?? (yield* messageNotFound(sessionID, message))
      }),
      contribute: Effect.fnUntraced(function* (sessionID, fact) {
        return yield* contribute(ports, coordinator, yield* sessionId(sessionID), fact)
      }),
      image: Effect.fnUntraced(function* (sessionID, handle) {
        const { id } = yield* known(sessionID)
        const found = yield* findImage(store, id, handle)
        if (found !== null) return found
        const text = `Session ${sessionID} has no image ${handle.slice(0, shownLengthMax)}.`
        return yield* new ImageNotFound({ handle, message: text })
      }),
      context: Effect.fnUntraced(function* (sessionID) {
        const window = yield* store.window((yield* known(sessionID)).id)
        return window === null ? yield* sessionNotFound(sessionID) : historyOf(window.state)
      }),
      events: Effect.fnUntraced(function* (sessionID, after, limit, wait) {
        return yield* readEvents(store, yield* sessionId(sessionID), after, limit, wait)
      }),
      turns: Effect.fnUntraced(function* (sessionID, list) {
        const row = yield* known(sessionID)
        return yield* withWarmings(store, row, yield* store.turns(row.id, list))
      }),
      verify: Effect.fnUntraced(function* (sessionID, range) {
        return yield* verifyTurns(store, (yield* known(sessionID)).id, range)
      }),
      sentRequest: Effect.fnUntraced(function* (sessionID, turn) {
        const sent = yield* rebuildSent(store, (yield* known(sessionID)).id, turn)
        if (sent !== null) return sent
        const message = `Session ${sessionID} has no turn ${turn.slice(0, shownLengthMax)}. holdfast turns lists them.`
        return yield* new TurnNotFound({ turn, message })
      }),
      interrupt: Effect.fnUntraced(function* (sessionID) {
        yield* coordinator.interrupt(yield* sessionId(sessionID))
      }),
      resume: Effect.fnUntraced(function* (sessionID) {
        const { id, asks } = yield* known(sessionID)
        if (asks > 0) return yield* runtime.asks(sessionID)
        yield* coordinator.resume(id)
        return []
      }),
      update: Effect.fnUntraced(function* (sessionID, change) {
        yield* legalRules(ports.approvals, change.allow)
        yield* changeSession(store, yield* known(sessionID), change)
        return yield* runtime.get(sessionID)
      }),
      switchModel: Effect.fnUntraced(function* (sessionID, model) {
        const row = yield* known(sessionID)
        yield* lookAtSettings(ports)
        yield* ports.model(model)
        yield* changeSession(store, row, { model })
        return yield* runtime.get(sessionID)
      }),
      switchAgent: Effect.fnUntraced(function* (sessionID, agent) {
        const row = yield* known(sessionID)
        yield* requireAgent(ports, row.location, agent)
        yield* changeSession(store, row, { agent })
        return yield* runtime.get(sessionID)
      }),
      model: (ref) => Effect.map(Effect.andThen(lookAtSettings(ports), ports.model(ref)), describeModel),
      health: Effect.fnUntraced(function* () {
        yield* lookAtSettings(ports)
        const isThere = (root: string) => ports.locationExists({ directory: root, projectRoot: root })
        return yield* examineHealth(store, degradations, isThere, historianSet(ports) !== null)
      }),
      settled: Effect.fnUntraced(function* (sessionID) {
        return (yield* coordinator.settled(yield* sessionId(sessionID)))?.end ?? null
      }),
      result: Effect.fnUntraced(function* (sessionID) {
        const { id } = yield* known(sessionID)
        const last = yield* coordinator.settled(id)
        yield* awaitOtherHolder(ports, id)
        return yield* runResult(store, yield* known(sessionID), last)
      }),
    }
    return runtime
  })

/**
 * Work with jobs that a caller waits for. It goes on though the caller hangs up, and ends with the runtime, before
 * the drains do: what is cut off then is settled.
 */
const makeUntilClosed = Effect.map(
  Effect.flatMap(Effect.scope, (scope) => Scope.fork(scope)),
  (calls) =>
    <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.flatMap(Effect.forkIn(Effect.interruptible(work), calls), Fiber.join),
)
