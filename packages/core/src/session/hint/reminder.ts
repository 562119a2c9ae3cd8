/**
 * Reminder: what stands behind the output of a call when much could be dropped (ND1).
 *
 * It is a part of its own in the settled record, outside the limit of an output, and so it is there on every
 * later pass. There is none where the model has no tool to drop by (MD1).
 */
import { Effect } from "effect"
import { nudgeFor, reduceToolName, thresholdOf, workingWindow } from "@holdfast/recall"
import type { SyntheticPart } from "@holdfast/schema/fact/fact"
import { turnMessage } from "@holdfast/schema/state/state"
import type { Calls } from "../calls.ts"
import { viewOf } from "../request/request.ts"
import { extra } from "./extra.ts"

/** `outputTokens`: of the output that it would stand behind. */
export const remind = (calls: Calls, outputTokens: number): Effect.Effect<readonly SyntheticPart[]> =>
  Effect.map(
    extra(calls.lead, "A reminder for the model", () => decide(calls, outputTokens)),
    (part) => (part === null ? [] : [part]),
  )

function decide({ lead, opened, tools, executeShare }: Calls, outputTokens: number): SyntheticPart | null {
  const { state } = lead.loaded
  const { inputTokensMax } = opened
  if (inputTokensMax === undefined || tools.get(reduceToolName) === undefined) return null
  const sent = state.lastTurn?.started.request.tokensEstimated ?? 0
  const parts = turnMessage(state, opened.message)?.parts ?? []
  const added = parts.reduce((sum, { part }) => sum + (part.type === "call" ? (part.tokens ?? 0) : 0), 0)
  return nudgeFor({
    view: viewOf(state),
    items: state.items,
    inputTokens: sent + added + outputTokens,
    inputTokensMax,
    workingTokens: workingWindow(inputTokensMax, thresholdOf(executeShare)),
  })
}
