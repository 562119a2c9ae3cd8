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

export type Verdict =
  | { readonly kind: "done" }
  | { readonly kind: "continue" }
  | { readonly kind: "failed"; readonly reason: Reason }

/** An unknown finish reason never fails a turn (LL6). `unrecorded` is what the settlement takes along. */
export function judge(answer: Answer, { turnsMax }: Agent, unrecorded: readonly Fact[]): Verdict {
  const asksForMore = answer.calls.line.length > 0 || answer.unreadableCalls > 0 || answer.finish === "pause"
  if (answer.finish === "refusal") {
    return failed("refusal", "The model declined to answer. Rephrase the request or choose another model.")
  }
  const loop = asksForMore ? loopReason(answer, unrecorded) : null
  if (loop !== null) return { kind: "failed", reason: loop }
  if (asksForMore && isSpent(answer, turnsMax)) {
    return failed(
      "allowance_spent",
      `The turn allowance of ${turnsMax} is spent. Send another prompt to go on.`,
    )
  }
  if (asksForMore) return { kind: "continue" }
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

export const isSpent = ({ opened }: Answer, turnsMax: number): boolean =>
  opened.started.allowanceUsed >= turnsMax

/** Why the work may not go on, if its calls repeat themselves. */
export function loopReason({ lead }: Answer, unrecorded: readonly Fact[]): Reason | null {
  const loop = findLoop(unrecorded.reduce(advanceCalls, lead.loaded.state.summary.calls))
  return loop === null ? null : { code: "calls_repeated", message: `${describe(loop)} ${advice}` }
}

const describe = ([name, other]: Loop): string =>
  other === undefined
    ? `The model called ${name} ${sameCallsMax} times in a row with the same input and the same result.`
    : `The model called ${name} and ${other} in turn ${roundsMax} times, each with the same input and the same result.`

const advice =
  "The work was stopped. Send a prompt that says what to do instead, or resume to let it try once more."

const failed = (code: string, message: string): Verdict => ({ kind: "failed", reason: { code, message } })
