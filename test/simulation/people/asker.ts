/**
 * Asking: some calls must be allowed by a person, who answers at any moment, through any process,
 * late, twice or not at all.
 *
 *   PE3  a call that is asked for does not start before somebody allowed it
 *   PE5  an ask is answered once, and none is lost; what was declined never starts
 */
import { Effect } from "effect"
import type { Authorise } from "@holdfast/core/session/ports"
import type { Ask } from "@holdfast/schema/instance/ask"
import type { Event } from "@holdfast/schema/event"
import type { World } from "../../stage/scheduler.ts"
import type { ClientContext } from "../clients.ts"

export interface AskingPlan {
  /** Calls whose size is a multiple of this are asked for. */
  readonly every: number
  /** When somebody looks at what is asked, each after a wait. */
  readonly looks: readonly AskingLook[]
}

export interface AskingLook {
  readonly afterMs: number
  readonly decision: "allow" | "decline"
  readonly scope: "once" | "session"
  /** Two people answer at the same moment. */
  readonly twice: boolean
}

const looksMax = 12

/** Two fifths of the seeds ask. */
export function drawAsking(world: World): AskingPlan | null {
  if (world.chance(0.6)) return null
  return {
    every: 1 + world.below(3),
    looks: Array.from({ length: world.below(looksMax) }, () => ({
      afterMs: world.chance(0.4) ? world.below(50) : world.below(5_000),
      decision: world.chance(0.7) ? "allow" : "decline",
      scope: world.chance(0.2) ? "session" : "once",
      twice: world.chance(0.3),
    })),
  }
}

/** What the rules of such a seed say; all calls are allowed where nothing is asked. */
export const askedCalls =
  (plan: AskingPlan | null): Authorise =>
  ({ name, input, approvals, granted }) =>
    Effect.sync(() => {
      const { size = 1 } = input as { readonly size?: number }
      const resource = { action: name, resource: String(size) }
      const allowed = [...approvals.flatMap(({ resources }) => resources), ...granted].some(
        (each) => each.action === name && each.resource === resource.resource,
      )
      return plan === null || allowed || size % plan.every !== 0
        ? { kind: "allow" }
        : { kind: "ask", resources: [resource], rule: null }
    })

const retriesMax = 60
const retryMs = 200

export function makeAsker({ machine, record, note }: ClientContext, plan: AskingPlan | null) {
  const open = Effect.fnUntraced(function* () {
    const end = yield* machine.call((runtime) => runtime.asks())
    return end.kind === "ok" ? end.value.filter(({ call }) => call !== null) : []
  })

  /** What an answer wakes was fenced before (DR3). */
  const noteWake = ({ session }: Ask): void => {
    for (const [tag, id] of record.sessions) {
      if (id !== session) continue
      record.fenced.delete(tag)
      record.wakes.set(tag, (record.wakes.get(tag) ?? 0) + 1)
    }
  }

  const answer = Effect.fnUntraced(function* (ask: Ask, look: Omit<AskingLook, "afterMs" | "twice">) {
    const { decision, scope } = look
    const given = decision === "allow" ? { decision, scope } : { decision, text: "Not now." }
    for (let attempt = 0; attempt < retriesMax; attempt++) {
      noteWake(ask)
      const end = yield* machine.call((runtime) => runtime.answer(ask.id, given))
      noteWake(ask)
      // Somebody else was first, or an answer before this one was, whose acknowledgement was lost.
      if (end.kind === "ok" || (end.kind === "failed" && end.error._tag === "AskNotOpen")) return
      if (end.kind === "failed" && end.error._tag !== "StoreFailure")
        record.problems.push(`[PE5] an answer was refused: ${String(end.error)}`)
      yield* Effect.sleep(retryMs)
    }
  })

  const look = Effect.fnUntraced(function* (step: AskingLook) {
    for (const ask of yield* open()) {
      note(`asker ${step.decision}`)
      const answers = [
        answer(ask, step),
        ...(step.twice ? [answer(ask, { ...step, decision: "allow" })] : []),
      ]
      yield* Effect.all(answers, { concurrency: "unbounded", discard: true })
    }
  })

  return {
    run: Effect.forEach(
      plan?.looks ?? [],
      (step) =>
        Effect.andThen(
          Effect.sleep(step.afterMs),
          Effect.suspend(() => look(step)),
        ),
      { discard: true },
    ),
    /** Somebody who stays until nothing is asked any more. */
    answerAll: Effect.suspend(() => look({ afterMs: 0, decision: "allow", scope: "once", twice: false })),
  }
}

export function judgeAsking(events: readonly Event[]): readonly string[] {
  const problems: string[] = []
  const callOf = new Map<string, string>()
  const answers = new Map<string, string>()
  const verdicts = new Map<string, "open" | "allow" | "decline">()
  const started = new Set<string>()
  for (const { fact } of events) {
    if (fact.type === "ask.raised" && fact.subject.kind === "call") {
      callOf.set(fact.ask, fact.subject.call)
      verdicts.set(fact.subject.call, "open")
    }
    if (fact.type === "ask.answered") {
      if (answers.has(fact.ask)) problems.push(`[PE5] ${fact.ask} was answered twice`)
      answers.set(fact.ask, fact.decision)
      const call = callOf.get(fact.ask)
      if (call !== undefined) verdicts.set(call, fact.decision === "allow" ? "allow" : "decline")
    }
    if (fact.type === "ask.withdrawn") {
      const call = callOf.get(fact.ask)
      if (answers.has(fact.ask)) problems.push(`[PE5] ${fact.ask} was answered and withdrawn`)
      if (call !== undefined) verdicts.set(call, "decline")
    }
    if (fact.type === "call.started") {
      const verdict = verdicts.get(fact.call) ?? "allow"
      if (verdict !== "allow") problems.push(`[PE3] ${fact.call} started though it was ${verdict}`)
      if (started.has(fact.call)) problems.push(`[PE5] ${fact.call} was started twice`)
      started.add(fact.call)
    }
  }
  for (const [call, verdict] of verdicts)
    if (verdict === "open") problems.push(`[PE5] the ask about ${call} was lost`)
  return problems
}
