/** What Claude takes beside thinking, on every wire (LL3): each fault says what to change. */
import { wrongIn } from "./rules.ts"

export interface Thinking {
  readonly type: unknown
  readonly budget: unknown
  readonly output: unknown
  readonly temperature: unknown
  readonly topP: unknown
  readonly topK: unknown
  /** A call is forced. */
  readonly forced: boolean
}

/** documented: a smaller budget is refused. */
const thinkingTokensMin = 1_024
/** documented: what `top_p` may still be while the model thinks. */
const topPMin = 0.95

/** recorded, in both ways of thinking: it leaves no room for another sampling or for a forced call. */
export function thinkingFaults(asked: Thinking): readonly string[] {
  const { type, budget, output, temperature, topP, topK, forced } = asked
  if (type !== "enabled" && type !== "adaptive") return []
  const isBudget =
    Number.isSafeInteger(budget) &&
    (budget as number) >= thinkingTokensMin &&
    (budget as number) < (output as number)
  return wrongIn([
    [
      type === "enabled" && !isBudget,
      `the thinking budget must lie between ${thinkingTokensMin} and the output limit`,
    ],
    [temperature !== undefined && temperature !== 1, "thinking takes no temperature but 1: leave it out"],
    [typeof topP === "number" && topP < topPMin, `thinking takes no top_p below ${topPMin}: leave it out`],
    [topK !== undefined && topK !== null, "thinking takes no top_k: leave it out"],
    [forced, "thinking goes with no forced call: let the model choose, or switch thinking off"],
  ])
}
