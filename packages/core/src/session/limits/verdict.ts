/**
 * Verdict: what a complete answer means, and which limit ends the work though the answer asks for more.
 *
 *   DR7  the allowance of the agent is used up
 *   DR8  calls go round in a circle
 */
import type { Fact } from "@holdfast/schema/event"
import {
  advanceCalls,
  findLoop,
  type Loop,
  roundsMax,
  sameCallsMax,
} from "@holdfast/schema/state/recent-calls"
import type { Reason } from "@holdfast/schema/turn"
import type { Answer } from "../answer.ts"
import type { Agent } from "../ports.ts"

export type TurnVerdict =
  | { readonly kind: "done" }
  | { readonly kind: "continue" }
  | { readonly kind: "failed"; readonly reason: Reason }
  /** More is asked for than may be done, unless somebody has spoken meanwhile. */
  | { readonly kind: "limited"; readonly reason: Reason }

/** An unknown finish reason never fails a turn (LL6). `unrecorded` is what the settlement takes along. */
export function judgeTurn(answer: Answer, { turnsMax }: Agent, unrecorded: readonly Fact[]): TurnVerdict {
  const asksForMore = answer.calls.line.length > 0 || answer.settledCalls > 0 || answer.finish === "pause"
  if (answer.finish === "refusal") {
    return failed("refusal", "The model declined to answer. Rephrase the request or choose another model.")
  }
  if (asksForMore) {
    const reason = limitReached(answer, turnsMax, unrecorded)
    return reason === null ? { kind: "continue" } : { kind: "limited", reason }
  }
  if (answer.finish === "length") {
    return failed(
      "output_limit",
      "The answer reached the model's output limit and is incomplete. Resume to let it go on.",
    )
  }
  if (!answer.recordedText)
    return failed("empty_answer", "The model ended its turn without an answer. Resume to ask it again.")
  return { kind: "done" }
}

/** Which limit ends the work here, if one does. */
export function limitReached(answer: Answer, turnsMax: number, unrecorded: readonly Fact[]): Reason | null {
  const { lead, opened } = answer
  const loop = findLoop(unrecorded.reduce(advanceCalls, lead.loaded.state.summary.calls))
  if (loop !== null) return { code: "calls_repeated", message: `${describe(loop)} ${advice}` }
  if (opened.started.allowanceUsed < turnsMax) return null
  return {
    code: "allowance_spent",
    message: `The turn allowance of ${turnsMax} is spent. Send another prompt to go on.`,
  }
}

const describe = ([name, other]: Loop): string =>
  other === undefined
    ? `The model called ${name} ${sameCallsMax} times in a row with the same input and the same result.`
    : `The model called ${name} and ${other} in turn ${roundsMax} times, each with the same input and the same result.`

const advice =
  "The work was stopped. Send a prompt that says what to do instead, or resume to let it try once more."

const failed = (code: string, message: string): TurnVerdict => ({ kind: "failed", reason: { code, message } })
