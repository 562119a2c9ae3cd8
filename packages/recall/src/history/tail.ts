/** How much of the newest history a cut leaves alone, in tokens (TA1), and what history may take (DK1). */

import { executeShareDefault } from "../decide.ts"

const historyShare = 0.235

/** Of the context limit less the reserved output, what is worked with: up to the execute threshold (PS5). */
export const workingWindow = (inputLimit: number, executeShare: number = executeShareDefault): number =>
  Math.round(Math.max(0, inputLimit) * executeShare)

export const historyBudget = (inputLimit: number, executeShare: number = executeShareDefault): number =>
  Math.floor(workingWindow(inputLimit, executeShare) * historyShare)

/** `usage` is the share of the input limit that is used. */
export function protectedTail(usableTokens: number, usage: number): number {
  const floor = clamp(0.08 * usableTokens, 2_000, 12_000)
  const ceiling = Math.min(96_000, 0.4 * usableTokens)
  const wanted = 0.3 * usableTokens * (1 - Math.min(1, Math.max(0, usage)))
  return Math.round(Math.min(ceiling, Math.max(floor, wanted)))
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
