/**
 * The runner of jobs: hidden work that asks a model beside the turns of a Session (HI8, MD1).
 *
 *   job Session made ─▶ prompt ─▶ turn ─▶ judged ─▶ once more, with what is wrong ─▶ settled
 *                                    └──fails──▶ the next model of the list, in a Session of its own
 *
 * A job is a child Session with a drain like any other, without tools, without context and without a cut: what is
 * sent is its prompt. It is in no list, and nobody hears of it. When it ends its Session goes, and in the same commit
 * what it cost stays with its parent, whose budget it may not exceed. What a dead process left is settled by the
 * next one that starts, a command too: nobody else ever goes on with it.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Scope } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import { type SessionId, idFromBytes, type PromptId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import { formatModelRef, type ModelRef, usageNone } from "@holdfast/schema/model"
import type { Budget } from "@holdfast/schema/fact/budget"
import type { Reason } from "@holdfast/schema/turn"
import type { SessionRow, Store } from "@holdfast/store/port"
import { empty } from "../context/index.ts"
import { type Coordinator, makeCoordinator } from "../session/coordinator/coordinator.ts"
import { budgetSpent } from "../session/limits/budget.ts"
import { makeLiveHub } from "../session/live.ts"
import type { RuntimePorts, Sample } from "../session/ports.ts"
import { crashReason } from "../session/recovery.ts"
import { createToolRegistry } from "../tools/index.ts"
import { invalidOutput, type JobFailure, jobMsMax, judgeEnd, timeoutCode } from "./verdict.ts"

export type JobKind = FactOf<"job.settled">["kind"]

export interface JobRequest<A> {
  readonly parent: SessionId
  readonly kind: JobKind
  /** What it is about: of two processes that ask for the same, one does it. */
  readonly key: string
  /** In order; the next one is asked where the one before could not answer. */
  readonly models: readonly ModelRef[]
  readonly prompt: string
  readonly judge: (answer: string) => JobVerdict<A>
  /** How long it may take, with all models together; as long as any job unless given. */
  readonly msMax?: number
  /** Told of each model's end, with what it cost. */
  readonly onSettled?: (fact: FactOf<"job.settled">) => void
}

/** Who does jobs of a kind. Without `sample` it has no tools: all that it knows is its prompt. */
export interface JobAgent {
  /** Asked for each job. */
  readonly prompt: () => string
  readonly turnsMax?: number
  readonly sample?: (location: Location) => Effect.Effect<Pick<Sample, "tools" | "authorise" | "mayTouch">>
}

export type JobAgents = Readonly<Partial<Record<JobKind, JobAgent>>>

export type JobVerdict<A> =
  | { readonly kind: "taken"; readonly value: A }
  | { readonly kind: "faulty"; readonly faults: readonly string[]; readonly repair: string }

export type JobEnd<A> =
  | { readonly kind: "done"; readonly value: A; readonly job: SessionId }
  | JobFailure
  /** Another process does it, or the Session is gone. */
  | { readonly kind: "elsewhere" }

export interface JobRunner {
  readonly run: <A>(request: JobRequest<A>) => Effect.Effect<JobEnd<A>, StoreFailure>
  /** Settles jobs of processes that are gone, as every start does. */
  readonly settleLost: Effect.Effect<void, StoreFailure>
}

/** Turns of a job. */
const stepsMax = 40
const repairsMax = 1
/** Messages of a job that are read for its answer. */
const messagesMax = 1_000

interface Work {
  readonly ports: RuntimePorts
  readonly hidden: Store
  readonly coordinator: Coordinator
}

/** `hidden` is the same store, with nobody who listens to what is written. */
export const makeJobRunner = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  hidden: Store,
  agents: JobAgents,
): Effect.fn.Return<JobRunner, StoreFailure, Scope.Scope> {
  // Whoever runs a job ends before its drain does: what is cut off is settled, with what it cost.
  const drains = yield* Scope.fork(yield* Effect.scope)
  const coordinator = yield* Scope.provide(makeCoordinator(identityPorts(ports, hidden, agents)), drains)
  const work: Work = { ports, hidden, coordinator }
  // A command may look at a store that takes no writes; a later start settles what this one could not.
  yield* ports.continues === false ? Effect.ignore(settleLost(work)) : settleLost(work)
  return {
    settleLost: Effect.suspend(() => settleLost(work)),
    run: Effect.fnUntraced(function* <A>(request: JobRequest<A>) {
      const endsAt = (yield* Clock.currentTimeMillis) + (request.msMax ?? jobMsMax)
      let end: JobEnd<A> = noModel
      for (const model of request.models) {
        const leftMs = endsAt - (yield* Clock.currentTimeMillis)
        end = yield* askModel(work, request, model, leftMs)
        if (end.kind === "done" || end.kind === "elsewhere" || !end.movesOn) return end
      }
      return end
    }),
  }
})

const noModel: JobFailure = {
  kind: "failed",
  reason: { code: "no_model", message: "No model is configured for it." },
  movesOn: false,
}

/** What a job works with: its prompt, its own list of models (HI8), and nothing of the place or of the Session that it is for. */
function identityPorts(
  ports: RuntimePorts,
  store: Store,
  agents: Readonly<Partial<Record<string, JobAgent>>>,
): RuntimePorts {
  const { titleModel: _, commands: __, turnSettled: ___, historianAtWork: ____, ...rest } = ports
  const tools = createToolRegistry([])
  return {
    ...rest,
    store,
    live: makeLiveHub(),
    locationExists: () => Effect.succeed(true),
    sample: Effect.fnUntraced(function* (location, name) {
      const { prompt = noPrompt, turnsMax = stepsMax, sample } = agents[name] ?? {}
      const own = sample === undefined ? { tools } : yield* sample(location)
      return { agent: { name, prompt: prompt(), turnsMax }, context: empty, ...own }
    }),
  }
}

const noPrompt = () => ""

const askModel = Effect.fnUntraced(function* <A>(
  work: Work,
  request: JobRequest<A>,
  model: ModelRef,
  leftMs: number,
): Effect.fn.Return<JobEnd<A>, StoreFailure> {
  const job = jobId(request, model)
  const begun = yield* begin(work, request, model, job)
  if (begun !== null) return begun
  const { ports, coordinator } = work
  const talk = askUntilAccepted(work, request, job)
  const late = Effect.as(Effect.sleep(Math.max(0, leftMs)), null)
  const stop = Effect.catchTag(coordinator.interrupt(job), "SessionNotFound", () => Effect.void).pipe(
    Effect.andThen(coordinator.settled(job)),
  )
  const end =
    (yield* Effect.onInterrupt(Effect.raceFirst(talk, late), () =>
      Effect.ignore(
        Effect.andThen(
          stop,
          settle(ports, request.parent, request.kind, job, { kind: "aborted", reason: unwanted }),
        ),
      ),
    )) ?? timeoutAfter(request.msMax ?? jobMsMax)
  if (end.kind === "aborted") yield* stop
  const settled = yield* settle(ports, request.parent, request.kind, job, end)
  if (settled === null) return { kind: "elsewhere" }
  request.onSettled?.(settled)
  return end
})

const unwanted: Reason = { code: "interrupted", message: "Nobody waits for it any more." }

const timeoutAfter = (ms: number): JobFailure => ({
  kind: "aborted",
  reason: { code: timeoutCode, message: `It was not done within ${ms / 1_000} s.` },
  movesOn: false,
})

/** The same for the same work, so that nobody begins it a second time while it is under way. */
function jobId(
  { parent, kind, key }: Pick<JobRequest<unknown>, "parent" | "kind" | "key">,
  model: ModelRef,
): SessionId {
  const bytes = createHash("sha256")
    .update(JSON.stringify([parent, kind, key, formatModelRef(model)]))
    .digest()
  return idFromBytes("ses", bytes) as SessionId
}

/** Null where the job is ours to do. */
const begin = Effect.fnUntraced(function* (
  work: Work,
  { parent, kind }: Pick<JobRequest<unknown>, "parent" | "kind">,
  model: ModelRef,
  job: SessionId,
): Effect.fn.Return<JobFailure | { readonly kind: "elsewhere" } | null, StoreFailure> {
  const { hidden } = work
  const row = yield* hidden.session(parent)
  if (row === null) return { kind: "elsewhere" }
  const spent = budgetSpent(parent, row)
  if (spent !== null) return { kind: "aborted", reason: spent, movesOn: false }
  const fact: FactOf<"session.created"> = {
    type: "session.created",
    kind: "job",
    parent: { session: parent, call: null },
    origin: null,
    location: row.location,
    title: kind,
    titledBy: "person",
    model,
    agent: kind,
    policy: "settle",
    onAsk: "deny",
    budget: leftOf(row),
    harness: "holdfast",
  }
  for (const again of [false, true]) {
    const time = yield* Clock.currentTimeMillis
    const outcome = yield* hidden.commit({ kind: "create-session", session: job, time, fact })
    if (outcome.kind === "created") return null
    if (again || !(yield* settleIfLost(work, job))) break
  }
  return { kind: "elsewhere" }
})

/** What the parent may still spend (DR9). */
function leftOf({ budget, usage, costKnown }: SessionRow): Budget {
  const { input, output, cacheRead, cacheWrite } = usage
  return {
    tokens: budget.tokens === null ? null : budget.tokens - (input + output + cacheRead + cacheWrite),
    money: budget.money === null ? null : budget.money - costKnown,
  }
}

const askUntilAccepted = Effect.fnUntraced(function* <A>(
  { ports: { store, newId }, coordinator }: Work,
  { prompt, judge }: JobRequest<A>,
  session: SessionId,
): Effect.fn.Return<JobEnd<A>, StoreFailure> {
  let text = prompt
  for (let repairs = 0; ; repairs++) {
    const time = yield* Clock.currentTimeMillis
    const id = newId("prm") as PromptId
    const admitted = yield* coordinator.admit({
      kind: "admit",
      session,
      time,
      prompt: id,
      text,
      delivery: "steer",
    })
    if (admitted.kind !== "admitted") return { kind: "elsewhere" }
    const end = (yield* coordinator.settled(session))?.end ?? { kind: "done" }
    if (end.kind !== "done") return judgeEnd(end)
    const verdict = judge(yield* answerOf(store, session))
    if (verdict.kind === "taken") return { kind: "done", value: verdict.value, job: session }
    if (repairs >= repairsMax) return invalidOutput(verdict.faults)
    text = verdict.repair
  }
})

/** The words of the newest turn. */
const answerOf = Effect.fnUntraced(function* (store: Store, session: SessionId) {
  const messages = yield* store.messages(session, { afterSeq: 0, limit: messagesMax, system: false })
  const last = messages.findLast(({ kind }) => kind === "assistant")
  const parts = last?.kind === "assistant" ? last.parts : []
  return parts.flatMap(({ part }) => (part.type === "text" ? [part.text] : [])).join("\n")
})

type Ended = { readonly kind: "done" | "failed" | "aborted" | "elsewhere"; readonly reason?: Reason }

/** Null where somebody else has settled it. */
const settle = Effect.fnUntraced(function* (
  { store }: Pick<RuntimePorts, "store">,
  parent: SessionId,
  kind: JobKind,
  job: SessionId,
  end: Ended,
): Effect.fn.Return<FactOf<"job.settled"> | null, StoreFailure> {
  const row = yield* store.session(job)
  const time = yield* Clock.currentTimeMillis
  const fact: FactOf<"job.settled"> = {
    type: "job.settled",
    job,
    kind,
    outcome: end.kind === "elsewhere" ? "aborted" : end.kind,
    reason: end.reason ?? null,
    ...spentBy(row),
  }
  const outcome = yield* store.commit({ kind: "settle-job", session: parent, time, fact })
  return outcome.kind === "settled" ? fact : null
})

/** What a job has used, as far as it is known. */
function spentBy(
  row: SessionRow | null,
): Pick<FactOf<"job.settled">, "usage" | "accuracy" | "cost" | "costKnown"> {
  if (row === null) return { usage: usageNone, accuracy: "incomplete", cost: null }
  const { usage, accuracy, cost, costKnown } = row
  return {
    usage,
    ...(accuracy !== "exact" && { accuracy }),
    cost,
    ...(cost === null && costKnown > 0 && { costKnown }),
  }
}

/** Jobs of processes that are gone. */
const settleLost = Effect.fnUntraced(function* (work: Work): Effect.fn.Return<void, StoreFailure> {
  for (const session of yield* work.ports.store.unsettled()) yield* settleIfLost(work, session)
})

/** True if it was a job that nobody runs, and is one no more. */
const settleIfLost = Effect.fnUntraced(function* (
  { ports, coordinator }: Work,
  job: SessionId,
): Effect.fn.Return<boolean, StoreFailure> {
  const { store } = ports
  if ((yield* store.session(job))?.kind !== "job") return false
  yield* coordinator.settleDead(job)
  const row = yield* store.session(job)
  if (row === null || row.parent === null || (yield* store.lease(job)) !== null) return false
  if (ports.continues === false && mayBeAtWork(row, yield* Clock.currentTimeMillis)) return false
  const kind = kinds.find((each) => each === row.agent) ?? "historian"
  return (yield* settle(ports, row.parent.session, kind, job, { kind: "aborted", reason: lost })) !== null
})

/** Between its steps a job holds no lease for a moment. */
const betweenStepsMs = 60_000

/**
 * Commands start often, and beside others: a job that has just done a step may be about to do the next. Where a
 * recovery has settled its turn, nobody is.
 */
function mayBeAtWork({ lastTurn, updatedAt }: SessionRow, now: number): boolean {
  if (lastTurn?.reason?.code === crashReason.code) return false
  return updatedAt <= now && now - updatedAt < betweenStepsMs
}

const kinds: readonly JobKind[] = ["historian", "editor", "dreamer", "sidekick", "title"]

const lost: Reason = { code: "job_lost", message: "The process that did it is gone." }
