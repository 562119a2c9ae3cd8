/** How much of the newest history a cut leaves alone, in tokens (TA1), and what history may take (DK1). */

/** The share of the input limit that is worked with: the execute threshold (PS5). */
const executeShare = 0.65
const historyShare = 0.15

/** Of the context limit less the reserved output. */
export const workingWindow = (inputLimit: number): number =>
  Math.round(Math.max(0, inputLimit) * executeShare)

export const historyBudget = (inputLimit: number): number =>
  Math.floor(workingWindow(inputLimit) * historyShare)

/** `usage` is the share of the input limit that is used. */
export function protectedTail(usableTokens: number, usage: number): number {
  const floor = clamp(0.08 * usableTokens, 2_000, 12_000)
  const ceiling = Math.min(96_000, 0.4 * usableTokens)
  const wanted = 0.3 * usableTokens * (1 - Math.min(1, Math.max(0, usage)))
  return Math.round(Math.min(ceiling, Math.max(floor, wanted)))
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))
