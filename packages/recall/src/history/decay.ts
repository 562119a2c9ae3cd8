/**
 * Decay: which tier of each compartment a Fold shows (DK1). Older, less important and more pressure
 * mean denser; past the last cut it is archived.
 *
 *   H = 24 · 2^((importance − 50) / 25) / max(pressure, 0.10),   z = age in compartments / H
 */

/** 0 to 3 are the tiers of a compartment, from the fullest; `archived` is shown no more. */
export type Tier = 0 | 1 | 2 | 3
export const archived = 4
export type Decayed = Tier | typeof archived

const cuts = [0.201, 0.729, 1.322, 2.587] as const
const halfLife = 24
const pressureMin = 0.1

export function tierOf(age: number, importance: number, pressure: number): Decayed {
  const bounded = Math.min(100, Math.max(1, importance))
  const life = (halfLife * 2 ** ((bounded - 50) / 25)) / Math.max(pressure, pressureMin)
  const found = cuts.findIndex((cut) => age / life < cut)
  return found === -1 ? archived : (found as Tier)
}

export interface Decaying {
  readonly importance: number
  /** Tokens of each tier, as it would be shown. */
  readonly costs: readonly [number, number, number, number]
}

/** What the compartments would cost without pressure, as a share of what they may. */
export function pressureOf(newestFirst: readonly Decaying[], budgetTokens: number): number {
  if (budgetTokens <= 0) return 1
  const tokens = newestFirst.reduce((sum, one, age) => sum + costOf(one, tierOf(age, one.importance, 1)), 0)
  return Math.max(pressureMin, tokens / budgetTokens)
}

/** The tier of each, newest first, within the budget: what the curve leaves over it goes a step at a time, the oldest first. */
export function decay(newestFirst: readonly Decaying[], budgetTokens: number): readonly Decayed[] {
  const pressure = pressureOf(newestFirst, budgetTokens)
  const tiers = newestFirst.map(({ importance }, age) => tierOf(age, importance, pressure))
  let tokens = newestFirst.reduce((sum, one, at) => sum + costOf(one, tiers[at] as Decayed), 0)
  for (let round = 0; round <= archived && tokens > budgetTokens; round++) {
    for (let at = tiers.length - 1; at >= 0 && tokens > budgetTokens; at--) {
      const [one, tier] = [newestFirst[at] as Decaying, tiers[at] as Decayed]
      if (tier === archived) continue
      tiers[at] = (tier + 1) as Decayed
      tokens += costOf(one, tiers[at] as Decayed) - costOf(one, tier)
    }
  }
  return tiers
}

const costOf = ({ costs }: Decaying, tier: Decayed): number => (tier === archived ? 0 : costs[tier])
