/**
 * Compartments as text: each with its id, its title and the lines of the tier that decay gives it,
 * oldest first, within a budget.
 *
 * A line of a compartment is one line whatever was said, and begins with its mark, so that nothing in
 * it can pass for another compartment.
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import { tokensOf } from "../historian/words.ts"
import { archived, decay, type Decayed, type Tier } from "./decay.ts"

export interface Layout {
  /** What is shown and how full, oldest first. */
  readonly shown: readonly { readonly compartment: Compartment; readonly tier: Tier }[]
  /** Ids of what does not fit. */
  readonly hidden: ReadonlySet<string>
}

const archiveShare = 0.2

export function layOut(compartments: readonly Compartment[], budgetTokens: number): Layout {
  const newestFirst = compartments.toReversed()
  const aging = newestFirst.filter(({ episode }) => episode !== "archive")
  const archives = newestFirst.filter(({ episode }) => episode === "archive")
  const tiers = new Map<string, Decayed>()
  let left = budgetTokens
  for (const one of archives) {
    const room = Math.min(left, (budgetTokens * archiveShare) / archives.length)
    const tier = tierWithin(one, room, left)
    tiers.set(one.id, tier)
    if (tier !== archived) left -= costOf(one, tier)
  }
  const decayed = decay(aging.map(decaying), left)
  aging.forEach(({ id }, at) => tiers.set(id, decayed[at] as Decayed))
  const shown = compartments.flatMap((compartment) => {
    const tier = tiers.get(compartment.id)
    return tier === undefined || tier === archived ? [] : [{ compartment, tier }]
  })
  const seen = new Set(shown.map(({ compartment: { id } }) => id))
  return { shown, hidden: new Set(compartments.flatMap(({ id }) => (seen.has(id) ? [] : [id]))) }
}

/** The fullest tier that leaves room for others, else the densest if there is any room for it. */
function tierWithin(one: Compartment, room: number, left: number): Decayed {
  const found = ([0, 1, 2, 3] as const).find((tier) => costOf(one, tier) <= room)
  if (found !== undefined) return found
  return costOf(one, 3) <= left ? 3 : archived
}

const decaying = (one: Compartment) => ({
  importance: one.importance,
  costs: [costOf(one, 0), costOf(one, 1), costOf(one, 2), costOf(one, 3)] as const,
})

const costOf = (one: Compartment, tier: Tier): number => tokensOf(compartmentText(one, tier)) + 1

export function compartmentText({ id, title, tiers }: Compartment, tier: Tier): string {
  const lines = tiers[tier]
  // A fuller tier begins with what the title is made of.
  return `## ${id}${tier < 2 && lines !== "" ? "" : ` ${title}`}${lines === "" ? "" : `\n${lines}`}`
}
