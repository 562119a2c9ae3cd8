/**
 * Answers: what people said to the asks of a turn, taken in by whoever leads (PE5).
 *
 *   allowed    judged again by what the files and the rules are now, then it starts
 *   declined   settled, with the correction as its text
 *   answered   a question is settled with the answer
 *   withdrawn  whoever withdrew the ask settled the call
 *
 * A turn looks for answers before it settles, so that one that comes at once costs no second drain.
 * Otherwise the next drain goes on with the calls from the log: nothing waits in memory (PE3).
 */
import { Deferred, Effect } from "effect"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Fact } from "@holdfast/schema/event"
import type { CallPart } from "@holdfast/schema/message"
import type { Ask } from "@holdfast/schema/state/items"
import type { Reason } from "@holdfast/schema/turn"
import { openCalls, type SessionState, turnMessage } from "@holdfast/schema/state/state"
import {
  awaitCalls,
  type Call,
  type Calls,
  endAsking,
  interruptCalls,
  isAsking,
  isSettled,
  makeCalls,
  startFreed,
  unrecordedSettlements,
} from "../calls.ts"
import { changesNothing } from "../../tools/index.ts"
import { append, catchUp, type Lead } from "../lead.ts"
import { block, type Blocked } from "../limits/block.ts"
import { answered, declined, declinedText } from "./ruling.ts"

/** Until every call is settled or waits for an answer that is not there; nothing of them may be running before. */
export const takeAnswers = Effect.fnUntraced(function* (
  calls: Calls,
): Effect.fn.Return<void, StoreFailure | LeaseLost> {
  while (isAsking(calls)) {
    yield* catchUpNow(calls.lead)
    const asking = calls.line.filter(({ state }) => state === "asking")
    const facts = asking.flatMap((call) => takeAnswer(calls, call))
    if (asking.every(({ state }) => state === "asking")) return
    if (facts.length > 0) yield* append(calls.lead, facts, { settling: true })
    yield* startFreed(calls)
    yield* awaitCalls(calls)
  }
})

/** With everything folded in that others wrote; false where the Session is gone. */
export const catchUpNow = Effect.fnUntraced(function* (lead: Lead) {
  const row = yield* lead.ports.store.session(lead.session)
  if (row !== null) yield* catchUp(lead, row.seq)
  return row !== null
})

function takeAnswer(calls: Calls, call: Call): readonly Fact[] {
  if (isSettled(calls, call)) {
    call.state = "settled"
    return []
  }
  const ask = askOf(calls.lead.loaded.state, call.request.call)
  const answer = ask?.answer ?? null
  if (ask === null || answer === null) return []
  if (answer.decision === "allow") {
    call.granted = ask.raised.resources
    call.state = "waiting"
    return []
  }
  call.state = "settled"
  return answer.decision === "answer"
    ? [answered(calls, call.request, answer.text ?? "")]
    : [declined(calls, call.request, declinedText(answer.text))]
}

/** The newest ask about a call. */
function askOf({ items }: SessionState, call: string): Ask | null {
  const asks = [...items.asks.values()]
  return asks.findLast(({ raised: { subject } }) => subject.kind === "call" && subject.call === call) ?? null
}

export type Freed =
  /** No call of an earlier turn was open. */
  | "none"
  /** All of them are settled now. */
  | "freed"
  | "asking"
  | "stopped"
  /** Nothing can be judged or run now; what was allowed stays so until it can. */
  | Blocked

/** Goes on with the calls of a turn that settled as `asking`. */
export const freeCalls = Effect.fnUntraced(function* (
  lead: Lead,
): Effect.fn.Return<Freed, StoreFailure | LeaseLost> {
  const { state } = lead.loaded
  const last = state.lastTurn
  // The summary first: it spares a walk through the window, which nearly every drain would make for nothing.
  if (last === null || state.summary.openCalls === 0 || openCalls(state).length === 0) return "none"
  const { location } = state.summary
  const { agent } = last.started
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const { obstacle, tools, authorise, mayTouch, executeShare } = yield* lead.ports.sample(location, agent)
      const scope = yield* Effect.scope
      const calls = makeCalls(lead, last.started, scope, { tools, authorise, mayTouch, executeShare, agent })
      calls.line = lineOf(calls, state)
      if (obstacle !== undefined && lead.fence.raised === null) return yield* holdUp(calls, obstacle)
      const stopped = yield* Effect.raceFirst(
        Effect.as(goOn(calls), false),
        Effect.as(Deferred.await(lead.fence.signal), true),
      )
      if (stopped || lead.fence.raised !== null) return yield* stop(calls)
      return isAsking(calls) ? "asking" : "freed"
    }),
  )
})

/** Nothing can be judged or run with the agent that asked; with another that somebody has chosen since, the work goes on. */
const holdUp = Effect.fnUntraced(function* (
  calls: Calls,
  obstacle: Reason,
): Effect.fn.Return<Freed, StoreFailure | LeaseLost> {
  const { lead } = calls
  const { location, agent, asks } = lead.loaded.state.summary
  if (asks > 0) return "asking"
  const chosen = yield* lead.ports.sample(location, agent)
  if (chosen.obstacle !== undefined) return yield* block(lead, obstacle)
  const answers = calls.line
    .filter(({ state }) => state === "asking")
    .flatMap((call) => takeAnswer(calls, call))
  yield* append(lead, [...answers, ...unrecordedSettlements(calls)], { settling: true })
  return "freed"
})

const goOn = Effect.fnUntraced(function* (calls: Calls) {
  yield* startFreed(calls)
  yield* awaitCalls(calls)
  yield* takeAnswers(calls)
})

/** As the turn left them, in the order of its answer. */
function lineOf({ opened, tools }: Calls, state: SessionState): Call[] {
  const parts = turnMessage(state, opened.message)?.parts ?? []
  return parts.flatMap(({ part }) => {
    if (part.type !== "call") return []
    const readOnly = changesNothing(tools.get(part.name))
    return [
      { request: part, readOnly, state: stateOf(part, state), granted: [], paths: undefined, run: null },
    ]
  })
}

const stateOf = (part: CallPart, state: SessionState): Call["state"] => {
  if (part.outcome !== null) return "settled"
  return askOf(state, part.call) === null ? "waiting" : "asking"
}

/** An interrupt withdrew what was asked; what it did not settle never starts. */
const stop = Effect.fnUntraced(function* (calls: Calls): Effect.fn.Return<Freed, StoreFailure | LeaseLost> {
  yield* interruptCalls(calls)
  yield* catchUpNow(calls.lead)
  endAsking(calls)
  const facts = unrecordedSettlements(calls)
  if (facts.length > 0) yield* append(calls.lead, facts, { settling: true })
  return "stopped"
})
