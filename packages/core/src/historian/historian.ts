/**
 * The historian: writes the history of a long Session with a model, beside its turns (HI1).
 *
 *   turn settles ─▶ trigger, from what is in memory ─▶ job ─▶ content as it was? ─▶ history.published
 *                                                       └──no answer──▶ the extractive historian
 *
 * It fails no turn, and delays one only where the window is all but full and it is at work (EG1): a published range
 * waits for the next break (PS4). The store takes a range once, and
 * only where the recorded history ends, so that a second process, or a cut meanwhile, makes this one's work void (HI4).
 */
import { Clock, Deferred, Effect, Exit, Fiber, Option, Queue, type Scope } from "effect"
import {
  editorInstructions,
  historianInstructions,
  type HistorianTask,
  knownLines,
  knownWindow,
  moveBehind,
  prepareTask,
  type Published,
  rangeContent,
  trigger,
  type Triggered,
  writeExtract,
} from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId, SignalId } from "@holdfast/schema/id"
import { historyOf, type SessionState } from "@holdfast/schema/state/state"
import { isEligible } from "@holdfast/schema/state/summary"
import { isEnabled, knownMemory, projectOf } from "../memory/known.ts"
import { keepNewest } from "../newest.ts"
import type { Degradations } from "../health/degradation.ts"
import { historianPart } from "../health/historian-trouble.ts"
import type { JobRunner } from "../jobs/runner.ts"
import { type HistorianPort, historianSet, type RuntimePorts } from "../session/ports.ts"
import { askHistorian, smallestWindow } from "./ask.ts"

/** Sessions whose newest turn waits to be looked at; of more, the oldest wait for their next one. */
const waitingMax = 64
const jobsMax = 2
/** HI6: how often a range is resolved anew because somebody changed what it holds. */
const resolvesMax = 1

export const historianAgents = (ports: Pick<RuntimePorts, "historian">) => ({
  historian: { prompt: () => historianSet(ports)?.prompt ?? historianInstructions },
  editor: { prompt: () => editorInstructions },
})

export interface Historian {
  readonly turnSettled: (session: SessionId, state: SessionState) => void
  /** Waits for what is being written of this Session; null where nothing is. */
  readonly historianAtWork: (session: SessionId) => Effect.Effect<void> | null
}

/** Until the scope closes. Jobs of a runner that comes later: the drains that tell of turns come first. */
export const makeHistorian = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  runner: JobRunner,
  degradations: Degradations,
  told: SettledTurns,
): Effect.fn.Return<void, never, Scope.Scope> {
  const work = { ports, runner, degradations }
  const { running } = told
  const one = Effect.gen(function* () {
    const session = yield* Queue.take(told.waiting)
    const state = running.has(session) ? undefined : told.newest.get(session)
    if (state === undefined) return
    told.newest.delete(session)
    const settings = historianSet(ports)
    if (settings === null) return
    const done = Deferred.makeUnsafe<void>()
    running.set(session, done)
    yield* Effect.ensuring(
      Effect.catchCause(consider({ ...work, settings }, session, state), (cause) =>
        Effect.logWarning(`The history of Session ${session} could not be written.`, cause),
      ),
      Effect.sync(() => {
        running.delete(session)
        Deferred.doneUnsafe(done, Effect.void)
        // What settled meanwhile is looked at now.
        if (told.newest.has(session)) Queue.offerUnsafe(told.waiting, session)
      }),
    )
  })
  for (let jobs = 0; jobs < jobsMax; jobs++) yield* Effect.forkScoped(Effect.forever(one))
  if (endsSoon(ports)) yield* Effect.addFinalizer(() => waitAtEnd(told))
})

/** A command ends with what it was asked for: what is begun beside that would be cut off, and paid for (HI1). */
const endsSoon = ({ continues }: Pick<RuntimePorts, "continues">): boolean => continues === false

/** How long the end of a command waits for a job that is at work. */
const endWaitMs = 60_000

const waitAtEnd = ({ running }: Pick<SettledTurns, "running">): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (running.size === 0) return Effect.void
    const done = Effect.forEach(running.values(), (one) => Deferred.await(one), { discard: true })
    const told = `A model is writing the history of a Session. Waiting for it, at most ${endWaitMs / 1_000} s.`
    // In a fiber of its own: this one may have been interrupted.
    const waiting = Effect.forkChild(Effect.interruptible(Effect.timeoutOption(done, endWaitMs)))
    const ended = Effect.flatMap(Effect.flatMap(waiting, Fiber.await), (exit) =>
      Exit.isSuccess(exit) && Option.isNone(exit.value) ? Effect.logWarning(cutOff) : Effect.void,
    )
    return Effect.andThen(Effect.logWarning(told), ended)
  })

const cutOff =
  "The model did not write the history in time and was cut off. What it was asked for is paid for in part, so that the cost of the Session is unknown; a later turn has it written anew."

/** Turns that settled, the newest of each Session. */
export interface SettledTurns extends Historian {
  readonly waiting: Queue.Queue<SessionId>
  readonly newest: Map<SessionId, SessionState>
  /** Sessions that are being worked on, each with its end. */
  readonly running: Map<SessionId, Deferred.Deferred<void>>
}

export const makeSettledTurns = (
  ports: Pick<RuntimePorts, "continues" | "historian">,
): Effect.Effect<SettledTurns> =>
  Effect.map(Queue.sliding<SessionId>(waitingMax), (waiting) => {
    const newest = new Map<SessionId, SessionState>()
    const running = new Map<SessionId, Deferred.Deferred<void>>()
    return {
      waiting,
      newest,
      running,
      historianAtWork: (session) => {
        const done = running.get(session)
        return done === undefined ? null : Deferred.await(done)
      },
      turnSettled: (session, state) => {
        // Children and jobs have no historian (MD1).
        if (state.summary.kind !== "primary" || historianSet(ports) === null) return
        if (endsSoon(ports) && !goesOn(state)) return void newest.delete(session)
        keepNewest(newest, session, state, waitingMax)
        Queue.offerUnsafe(waiting, session)
      },
    }
  })

/** Whether another turn follows by itself. */
const goesOn = ({ summary, lastTurn }: SessionState): boolean =>
  lastTurn?.settled?.status === "continue" || isEligible(summary)

interface Work {
  readonly ports: RuntimePorts
  /** As they were set when the turn settled that is looked at. */
  readonly settings: HistorianPort
  readonly runner: JobRunner
  readonly degradations: Degradations
}

/** HI2: without a read of the store, unless it fires. */
const consider = Effect.fnUntraced(function* (
  work: Work,
  session: SessionId,
  state: SessionState,
): Effect.fn.Return<void, StoreFailure> {
  const decided = yield* decide(work, session, state)
  if (decided === null) return
  let found: Decided | null = decided
  for (let resolves = 0; found !== null; resolves++) {
    const standing: SessionState | null = yield* stateNow(work, session)
    if (standing === null) return
    if (isUnchanged(found.task, standing)) {
      const published: Published | null = yield* write(work, session, found.task)
      if (published === null || (yield* publish(work, session, published))) return
    }
    if (resolves >= resolvesMax) return
    const fresh: SessionState | null = yield* stateNow(work, session)
    found = fresh === null ? null : yield* decide(work, session, fresh)
  }
})

interface Decided {
  readonly triggered: Triggered
  readonly task: HistorianTask
}

const decide = Effect.fnUntraced(function* (
  { ports, settings }: Work,
  session: SessionId,
  state: SessionState,
): Effect.fn.Return<Decided | null, StoreFailure> {
  const { lastTurn, summary, limits, items } = state
  if (lastTurn === null) return null
  const speaks = yield* Effect.result(ports.model(lastTurn.started.model))
  if (speaks._tag === "Failure") return null
  const { ref, contextTokens, target } = speaks.success
  const outputTokens = target.options.generation.outputTokensMax
  const history = historyOf(state)
  const triggered = trigger({
    messages: history,
    historyEnd: summary.historyEnd,
    inputTokensMax: knownWindow(limits, ref, contextTokens) - outputTokens,
    usedTokens: usedTokens(lastTurn),
  })
  if (triggered === null) return null
  const task = prepareTask({
    session,
    triggered,
    contextTokens: yield* smallestWindow(ports, settings),
    compartments: [...items.compartments.values()],
    memory: yield* memoryLines(ports, state),
    history,
  })
  return task === null ? null : { triggered, task }
})

/** What is known of the project, as far as it has room, so that it is not told again (HI10). */
const memoryLines = (ports: RuntimePorts, state: SessionState) =>
  Effect.map(knownMemory(ports, state), (known) =>
    knownLines(known?.memories ?? []).map((line) => ports.masks.text(line)),
  )

/** As reported, else as estimated, with what was answered. */
export function usedTokens({
  started,
  settled,
}: Pick<NonNullable<SessionState["lastTurn"]>, "started" | "settled">): number {
  const usage = settled?.ledger.attempts.at(-1)?.usage
  const reported = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
  return (reported > 0 ? reported : started.request.tokensEstimated) + (usage?.output ?? 0)
}

const stateNow = ({ ports }: Work, session: SessionId) =>
  Effect.map(ports.store.window(session), (window) => window?.state ?? null)

/** HI6, HI4: the range still begins where history ends, and holds what it held. */
function isUnchanged({ chunk, content }: HistorianTask, state: SessionState): boolean {
  if (state.summary.historyEnd + 1 !== chunk.fromSeq) return false
  const inside = historyOf(state).filter(({ seq }) => seq >= chunk.fromSeq && seq <= chunk.toSeq)
  return rangeContent(inside) === content
}

/** By a model, else without one; null where nothing is to be published. */
const write = Effect.fnUntraced(function* (
  work: Work,
  session: SessionId,
  task: HistorianTask,
): Effect.fn.Return<Published | null, StoreFailure> {
  const { degradations } = work
  const end = yield* askHistorian({ ...work, observes: isEnabled(work.ports, "profile") }, session, task)
  if (end.kind === "elsewhere") return null
  if (end.kind === "done") {
    degradations.clear(historianPart)
    return { ...end.value, job: end.job }
  }
  const isKnown = degradations.list().some(({ part }) => part === historianPart)
  yield* degradations.report(historianPart, end.reason.message)
  if (!isKnown) yield* Effect.logWarning(inVain(session, end.reason.message))
  return writeExtract(task)
})

/** Told once, until it writes again. */
const inVain = (session: SessionId, why: string): string =>
  `The model that is set as historian did not write the history of Session ${session}: ${why} The built-in historian wrote it instead. What the model was asked for counts for the Session.`

/** False where another process, a cut or an edit of the range was first (HI4). Its facts become memories with it, and the boundary may move (HI5). */
const publish = Effect.fnUntraced(function* ({ ports }: Work, session: SessionId, fact: Published) {
  const time = yield* Clock.currentTimeMillis
  const row = yield* ports.store.session(session)
  const project = row === null ? null : yield* projectOf(ports, row.location, "write")
  const facts = fact.facts.map(({ category, text }) => ({ category, text: ports.masks.kept(text) }))
  const outcome = yield* ports.store.commit({
    kind: "contribute",
    session,
    time,
    fact: { ...fact, facts, observations: fact.observations.map(ports.masks.kept) },
    ifUnchanged: true,
    raises: [moveBehind(fact, ports.newId("sig") as SignalId)],
    ...(project && { project }),
  })
  return outcome.kind !== "refused"
})
