/**
 * An archive: one compartment in the place of many that decay has passed. It keeps handles of what
 * asked for something and of what is left to do, as many as fit, and can be expanded like any other.
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import { compartmentId } from "../historian/extract.ts"
import { chooseKept, ownRoom, keptOf, withoutKept } from "../historian/kept.ts"
import { type Graded, nameLines, gradedNames, withoutNames } from "../historian/names.ts"
import { clipLine, tokensOf } from "../historian/words.ts"

/** Of what compartments may take, for the names of all that it stands for: with more, old ones would displace new ones. */
const namesShare = 0.64
const namesTokensMax = 24_000

export const archiveNamesTokens = (budgetTokens: number): number =>
  Math.min(namesTokensMax, Math.max(0, budgetTokens) * namesShare)

/** The window shortens further what the first keeps. */
const keptTokensMax = [3_000, 350, 140, 40] as const
const proseTokensMax = [210, 100, 40, 0] as const

export function archiveOf(run: readonly Compartment[], namesTokens: number): Compartment {
  const span = { fromSeq: (run[0] as Compartment).fromSeq, toSeq: (run.at(-1) as Compartment).toSeq }
  const kept = run.flatMap(keptOf)
  const lines = run.flatMap(linesOf)
  const tier = (at: 0 | 1 | 2 | 3): readonly string[] => {
    const all = keptTokensMax[at]
    const [held = []] = chooseKept([kept], { ...ownRoom(all), said: all })
    return [...held, ...choose(lines, proseTokensMax[at])]
  }
  const named = nameLines(namesOf(run), namesTokens)
  return {
    id: compartmentId(span),
    ...span,
    title: titleOf(run),
    tiers: [[...tier(0), ...named].join("\n"), tier(1).join("\n"), tier(2).join("\n"), tier(3).join("\n")],
    importance: Math.max(...run.map(({ importance }) => importance)),
    episode: "archive",
  }
}

const titleTokens = 24

/** What its parts are about: the titles of the newest, as many as have room, oldest first. */
function titleOf(run: readonly Compartment[]): string {
  const titles = new Set(run.toReversed().flatMap(({ title }) => title.split(between).toReversed()))
  const chosen: string[] = []
  // Older versions called every archive that.
  for (const title of [...titles].filter((one) => one !== "" && one !== "archive")) {
    const longer = [title, ...chosen]
    if (chosen.length > 0 && tokensOf(longer.join(between)) > titleTokens) break
    chosen.unshift(title)
  }
  return clipLine(chosen.join(between), titleTokens)
}

const between = "; "

/** Prose: of an archive all that it has left, of another that of its third tier. */
const linesOf = ({ tiers, episode }: Compartment): readonly string[] =>
  withoutKept(withoutNames(tiers[episode === "archive" ? 0 : 2]))
    .split("\n")
    .filter((line) => line !== "")

/** The best first, each once; of the same grade the newest. */
function namesOf(run: readonly Compartment[]): readonly Graded[] {
  const best = new Map<string, number>()
  for (const { name, grade } of run.toReversed().flatMap(({ tiers }) => gradedNames(tiers[0])))
    best.set(name, Math.max(grade, best.get(name) ?? 0))
  return [...best].map(([name, grade]) => ({ name, grade })).toSorted((a, b) => b.grade - a.grade)
}

/** The newest of each kind: what a summary says, then errors, what was said and files. */
function choose(lines: readonly string[], tokensMax: number): readonly string[] {
  let used = 0
  const kept = new Set<number>()
  const ranked = lines.map((line, at) => ({ line, at, rank: order.indexOf(line[0] ?? "") }))
  for (const { line, at, rank } of ranked.toSorted((a, b) => a.rank - b.rank || b.at - a.at)) {
    const cost = tokensOf(line) + 1
    if (rank === -1 || used + cost > tokensMax) continue
    used += cost
    kept.add(at)
  }
  return lines.filter((_, at) => kept.has(at))
}

const order = ["H", "E", "A", "F"]
