/**
 * Limits: somebody gives Sessions budgets at any moment, and a model that cannot let go repeats its calls.
 *
 *   DR8  no turn goes on once its calls have gone round in a circle, and none is ended that has not
 *   DR9  no turn begins, and no attempt follows another, on a budget that was spent by then
 */
import { Effect } from "effect"
import type { Event, FactOf } from "@holdfast/schema/event"
import type { Usage } from "@holdfast/schema/model"
import { emptySummary, summarize } from "@holdfast/schema/state/summary"
import type { World } from "../stage/scheduler.ts"
import type { ClientContext } from "./clients.ts"

export interface BudgetStep {
  readonly afterMs: number
  /** Which of the Sessions, by its place in the plan. */
  readonly session: number
  /** What it may spend in all from now on; null is no limit. */
  readonly tokens: number | null
}

/** A model that makes the same call again and again, or two in turn. */
export type Stubborn = "same" | "turns"

const stepsMax = 5
const tokensMax = 10_000

/** A third of the seeds have some. */
export function drawBudgets(world: World, sessions: number): readonly BudgetStep[] {
  if (world.chance(0.66)) return []
  return Array.from({ length: 1 + world.below(stepsMax) }, () => ({
    afterMs: world.chance(0.5) ? world.below(60) : world.below(5_000),
    session: world.below(sessions),
    tokens: world.chance(0.2) ? null : 1 + world.below(tokensMax),
  }))
}

export function drawStubborn(world: World): Stubborn | null {
  if (world.chance(0.8)) return null
  return world.chance(0.5) ? "same" : "turns"
}

const retriesMax = 60
const retryMs = 200

export function makeTreasurer({ machine, record, note }: ClientContext, steps: readonly BudgetStep[]) {
  const give = Effect.fnUntraced(function* (session: string, tokens: number | null) {
    for (let attempt = 0; attempt < retriesMax; attempt++) {
      const end = yield* machine.call((runtime) => runtime.update(session, { budget: { tokens } }))
      if (end.kind === "ok") return
      if (end.kind === "failed" && end.error._tag !== "StoreFailure")
        record.problems.push(`[DR9] a budget was refused: ${String(end.error)}`)
      yield* Effect.sleep(retryMs)
    }
  })
  return {
    run: Effect.forEach(
      steps,
      ({ afterMs, session: which, tokens }) =>
        Effect.suspend(() => {
          const session = [...record.sessions.values()][which]
          note(`treasurer ${tokens}`)
          return session === undefined ? Effect.void : give(session, tokens)
        }).pipe(Effect.delay(afterMs)),
      { discard: true },
    ),
    /** Nobody leaves before every Session can go on. */
    liftAll: Effect.suspend(() =>
      steps.length === 0
        ? Effect.void
        : Effect.forEach([...record.sessions.values()], (session) => give(session, null), { discard: true }),
    ),
  }
}

export const judgeLimits = (events: readonly Event[]): readonly string[] => [
  ...judgeBudget(events),
  ...judgeLoops(events),
]

/** What of the limits a log has met. */
export function limitsMet(events: readonly Event[]): readonly string[] {
  return events.flatMap(({ fact }) => {
    if (fact.type === "session.updated" && fact.blocked?.code === "budget_spent") return ["a spent budget"]
    return fact.type === "turn.settled" && fact.reason?.code === "calls_repeated" ? ["a loop"] : []
  })
}

/** At each sequence, what the Session had spent and might spend. */
function purses(events: readonly Event[]) {
  let summary = emptySummary
  return events.map((event) => {
    summary = summarize(summary, event)
    return { used: tokensOf(summary.usage), limit: summary.budget.tokens ?? Number.POSITIVE_INFINITY }
  })
}

function judgeBudget(events: readonly Event[]): readonly string[] {
  const problems: string[] = []
  const known = purses(events)
  const copied = originSeq(events)
  let purse = { used: 0, limit: Number.POSITIVE_INFINITY }
  for (const { seq, fact } of events) {
    if (seq <= copied) continue
    if (fact.type === "turn.started") {
      purse = known[fact.seenSeq - 1] ?? purse
      if (purse.used >= purse.limit) problems.push(`[DR9] ${fact.turn} begins on a spent budget`)
    }
    const paid = fact.type === "turn.settled" ? paidBefore(fact) : 0
    if (fact.type === "turn.settled" && paid > 0 && paid + purse.used >= purse.limit)
      problems.push(`[DR9] ${fact.turn} was tried again on a spent budget`)
  }
  return problems
}

/** Of a turn with one attempt nothing. */
const paidBefore = ({ ledger }: FactOf<"turn.settled">): number =>
  ledger.attempts
    .slice(0, -1)
    .reduce((sum, { usage }) => sum + (usage === undefined ? 0 : tokensOf(usage)), 0)

const tokensOf = ({ input, output, cacheRead, cacheWrite }: Usage): number =>
  input + output + cacheRead + cacheWrite

function originSeq(events: readonly Event[]): number {
  const created = events[0]?.fact
  return created?.type === "session.created" ? (created.origin?.seq ?? 0) : 0
}

/** By whole inputs and results, where the runtime compares fingerprints. */
function judgeLoops(events: readonly Event[]): readonly string[] {
  const problems: string[] = []
  let calls: { readonly call: string; said: string }[] = []
  /** A turn that goes on though its calls loop: somebody has spoken, or takes it back just then. */
  let looping: string | null = null
  for (const { fact } of events) {
    if (fact.type === "turn.started") {
      if (looping !== null && fact.resumes === undefined)
        problems.push(`[DR8] ${looping} goes on with a loop`)
      looping = null
    }
    if (fact.type === "prompt.promoted" || fact.type === "prompt.cancelled") looping = null
    if (fact.type === "prompt.promoted") calls = []
    if (fact.type === "part.recorded" && fact.part.type === "call") {
      const { call, name, input } = fact.part
      calls.push({ call, said: JSON.stringify([name, input]) })
    }
    const settled = fact.type === "call.settled" ? calls.find(({ call }) => call === fact.call) : undefined
    if (settled !== undefined && fact.type === "call.settled") settled.said += JSON.stringify(fact.outcome)
    if (fact.type !== "turn.settled") continue
    const loops = isLoop(calls.map(({ said }) => said))
    if (loops && fact.status === "continue") looping = fact.turn
    if (!loops && fact.reason?.code === "calls_repeated") problems.push(`[DR8] ${fact.turn} is no loop`)
  }
  return problems
}

function isLoop(said: readonly string[]): boolean {
  const same = said.slice(-5)
  if (same.length === 5 && new Set(same).size === 1) return true
  const rounds = said.slice(-8)
  const inTurn = rounds.every((each, at) => each === rounds[at % 2])
  return rounds.length === 8 && inTurn && rounds[0] !== rounds[1]
}
