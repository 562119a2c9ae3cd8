/**
 * Compartments as text: each with its id, its title, the lines of the tier that decay gives it, and names,
 * oldest first, within a budget.
 *
 * Prose and names share the budget: prose decays by tiers (DK1), names are chosen over all compartments
 * that are shown, so that an old part may have lost its prose and still names what it is about.
 *
 * A line of a compartment is one line whatever was said, and begins with its mark, so that nothing in
 * it can pass for another compartment.
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import {
  chooseNames,
  type Graded,
  gradedNames,
  namesTokens,
  ownNames,
  spokenTokens,
  tailNames,
  withoutNames,
} from "../historian/names.ts"
import { chooseKept, type Kept, keptOf, withoutKept } from "../historian/kept.ts"
import { tokensOf } from "../historian/words.ts"
import { archived, decay, type Decayed, type Decaying, type Tier } from "./decay.ts"
import { missingHandles } from "./handles.ts"

export interface Layout {
  /** What is shown and how full, oldest first; the tier that is shown holds the names that were chosen for it. */
  readonly shown: readonly { readonly compartment: Compartment; readonly tier: Tier }[]
  /** Ids of what does not fit. */
  readonly hidden: ReadonlySet<string>
}

const archiveShare = 0.2
/** Of the budget, for names, where there are so many. */
const namesShare = 0.85
/** The user's words are prose, too: what they take is less for the rest of it, but for a little. */
const heldInProse = 0.7
const proseShareMin = 0.05

export function layOut(
  compartments: readonly Compartment[],
  budgetTokens: number,
  stays: readonly Message[] = [],
): Layout {
  const { tiers, held } = tiersOf(compartments, budgetTokens)
  const shown = compartments.flatMap((compartment) => {
    const tier = tiers.get(compartment.id) ?? archived
    const kept = held.get(compartment.id) ?? ""
    if (tier === archived && kept === "") return []
    const { names, prose } = readingOf(compartment)
    // Of what has no room otherwise, what the user asked to hold is left.
    if (tier === archived)
      return [{ compartment: untitled(compartment), tier: 3 as const, names: [], kept, prose: kept }]
    return [{ compartment, tier, names, kept, prose: `${prose[tier]}\n${kept}` }]
  })
  const left = budgetTokens - shown.reduce((sum, { prose }) => sum + tokensOf(prose) + 1, 0)
  const lines = chooseNames(shown, left, tailNames(stays))
  return {
    shown: shown.map(({ compartment, tier, kept }, at) => {
      const text = [kept, proseOf(compartment.tiers[tier]), lines[at] ?? ""].filter((some) => some !== "")
      const laid = ["", "", "", ""].with(tier, text.join("\n")) as unknown as Compartment["tiers"]
      return { compartment: { ...compartment, tiers: laid }, tier }
    }),
    hidden: new Set([...hiddenIn(tiers)].filter((id) => (held.get(id) ?? "") === "")),
  }
}

const untitled = (one: Compartment): Compartment => ({ ...one, title: "", tiers: ["", "", "", ""] })

const proseOf = (tier: string): string => withoutKept(withoutNames(tier))

/** Ids of what does not fit into a budget. */
export const hiddenWithin = (compartments: readonly Compartment[], budgetTokens: number): Layout["hidden"] =>
  hiddenIn(tiersOf(compartments, budgetTokens).tiers)

const hiddenIn = (tiers: ReadonlyMap<string, Decayed>): Layout["hidden"] =>
  new Set([...tiers].flatMap(([id, tier]) => (tier === archived ? [id] : [])))

/** What a compartment says in each tier beside its names, and what that costs. */
interface Reading {
  readonly kept: readonly Kept[]
  readonly names: readonly Graded[]
  readonly namesTokens: number
  readonly spokenTokens: number
  readonly prose: readonly [string, string, string, string]
  readonly costs: Decaying["costs"]
}

/** A compartment never changes: each is read once, however many Folds lay it out. */
const readings = new WeakMap<Compartment, Reading>()

function readingOf(one: Compartment): Reading {
  const known = readings.get(one)
  if (known !== undefined) return known
  const names = gradedNames(one.tiers[0])
  const tiers = one.tiers.map(proseOf) as unknown as Compartment["tiers"]
  const said = (tier: Tier): string => compartmentText({ ...one, tiers }, tier)
  const prose = [said(0), said(1), said(2), said(3)] as const
  const [a, b, c, d] = prose.map((text) => tokensOf(text) + 1) as [number, number, number, number]
  const kept = keptOf(one)
  const sizes = { namesTokens: namesTokens(names), spokenTokens: spokenTokens(names) }
  const made = { kept, names, ...sizes, prose, costs: [a, b, c, d] as const }
  readings.set(one, made)
  return made
}

interface Tiers {
  readonly tiers: ReadonlyMap<string, Decayed>
  /** Lines of the user's words and of tasks, by compartment. */
  readonly held: ReadonlyMap<string, string>
}

/**
 * Of the budget, for what the user asked to hold and tasks in their fewest words, which go before all else; for the same in
 * more words; for what else they said; and for all of that as it was said. Of a small budget the first two take most.
 */
const heldShares = { fewest: 0.5, all: 1 / 3, said: 0.08, whole: 0.08 } as const
const heldTokensMin = 700
const atLeast = (share: number, shareMax: number, budgetTokens: number): number =>
  Math.max(share * budgetTokens, Math.min(shareMax * budgetTokens, heldTokensMin))
/** What a compartment of which nothing else is shown begins with. */
const headTokens = 7

function heldOf(compartments: readonly Compartment[], budgetTokens: number): Tiers["held"] {
  const spoken = compartments.reduce((sum, one) => sum + readingOf(one).spokenTokens, 0)
  const lines = chooseKept(
    compartments.map((one) => readingOf(one).kept),
    {
      fewest: atLeast(heldShares.fewest, 0.9, budgetTokens),
      all: atLeast(heldShares.all, 0.6, budgetTokens),
      said: heldShares.said * budgetTokens,
      whole: heldShares.whole * budgetTokens,
      own: budgetTokens * namesShare - spoken,
      head: headTokens,
      packed: true,
    },
  )
  return new Map(compartments.map(({ id }, at) => [id, (lines[at] ?? []).join("\n")]))
}

/** Then archives, which are old, each no fuller than the densest of the others; names leave prose its share of the rest. */
function tiersOf(compartments: readonly Compartment[], budgetTokens: number): Tiers {
  const held = heldOf(compartments, budgetTokens)
  const heldTokens = [...held.values()].reduce(
    (sum, text) => sum + (text === "" ? 0 : tokensOf(text) + headTokens),
    0,
  )
  const namesTokensWanted = compartments.reduce((sum, one) => sum + readingOf(one).namesTokens, 0)
  const newestFirst = compartments.toReversed()
  const aging = newestFirst.filter(({ episode }) => episode !== "archive")
  const archives = newestFirst.filter(({ episode }) => episode === "archive")
  const tiers = new Map<string, Decayed>()
  let left = budgetTokens - heldTokens
  for (const one of archives) {
    const room = Math.min(left, (budgetTokens * archiveShare) / archives.length)
    const tier = tierWithin(one, room, left)
    tiers.set(one.id, tier)
    if (tier !== archived) left -= costOf(one, tier)
  }
  const least = Math.min(left, budgetTokens * proseShareMin)
  const prose = Math.max(least, left * (1 - namesShare) - heldTokens * heldInProse)
  const decayed = decay(aging.map(decaying), left - Math.min(namesTokensWanted, left - prose))
  aging.forEach(({ id }, at) => tiers.set(id, decayed[at] as Decayed))
  const densest = Math.max(0, ...decayed.filter((tier) => tier !== archived)) as Tier
  for (const { id } of archives) tiers.set(id, Math.max(tiers.get(id) ?? archived, densest) as Decayed)
  return { tiers, held }
}

/** The fullest tier that leaves room for others, else the densest if there is any room for it. */
function tierWithin(one: Compartment, room: number, left: number): Decayed {
  const found = ([0, 1, 2, 3] as const).find((tier) => costOf(one, tier) <= room)
  if (found !== undefined) return found
  return costOf(one, 3) <= left ? 3 : archived
}

const decaying = (one: Compartment): Decaying => ({
  importance: one.importance,
  costs: readingOf(one).costs,
})

const costOf = (one: Compartment, tier: Tier): number => readingOf(one).costs[tier]

/** One by itself, with the best of its own names where nothing was chosen over all of them. */
export function compartmentText({ id, title, tiers }: Compartment, tier: Tier): string {
  const own = ownNames(tiers[tier])
  const lines = [own, ...missingHandles(tiers, own)].filter((some) => some !== "").join("\n")
  // A fuller tier begins with what the title is made of.
  return `## ${id}${title === "" || (tier < 2 && lines !== "") ? "" : ` ${title}`}${lines === "" ? "" : `\n${lines}`}`
}
