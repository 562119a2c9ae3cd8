/**
 * An archive: one compartment in the place of many that decay has passed. It keeps handles of what
 * asked for something and of what is left to do, as many as fit, and can be expanded like any other.
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import { compartmentId } from "../historian/extract.ts"
import { type Graded, nameLines, gradedNames, withoutNames } from "../historian/names.ts"
import { tokensOf } from "../historian/words.ts"
import { missingHandles } from "./handles.ts"

const namesTokensMax = 4_000
const tierTokensMax = [700, 350, 140, 40] as const

export function archiveOf(run: readonly Compartment[]): Compartment {
  const span = { fromSeq: (run[0] as Compartment).fromSeq, toSeq: (run.at(-1) as Compartment).toSeq }
  const lines = run.flatMap((one) => linesOf(one))
  const tier = (at: 0 | 1 | 2 | 3): string => choose(lines, tierTokensMax[at])
  const fullest = tier(0)
  const handles = missingHandles(
    run.flatMap(({ tiers }) => tiers),
    fullest,
  )
  const named = nameLines(namesOf(run), namesTokensMax)
  return {
    id: compartmentId(span),
    ...span,
    title: "archive",
    tiers: [[fullest, ...handles, ...named].join("\n"), tier(1), tier(2), tier(3)],
    importance: Math.max(...run.map(({ importance }) => importance)),
    episode: "archive",
  }
}

/** Of an archive all that it has left, of another the handles of its third tier. */
const linesOf = ({ tiers, episode }: Compartment): readonly string[] =>
  withoutNames(tiers[episode === "archive" ? 0 : 2])
    .split("\n")
    .filter((line) => line !== "")

/** The best first, each once; of the same grade the newest. */
function namesOf(run: readonly Compartment[]): readonly Graded[] {
  const best = new Map<string, number>()
  for (const { name, grade } of run.toReversed().flatMap(({ tiers }) => gradedNames(tiers[0])))
    best.set(name, Math.max(grade, best.get(name) ?? 0))
  return [...best].map(([name, grade]) => ({ name, grade })).toSorted((a, b) => b.grade - a.grade)
}

/** What the user asked for to hold before all else, then tasks, what else they said, and a little of the rest; of the same kind the newest. */
function choose(lines: readonly string[], tokensMax: number): string {
  let used = 0
  const kept = new Set<number>()
  const ranked = lines.map((line, at) => ({ line, at, rank: order.indexOf(line[0] ?? "") }))
  for (const { line, at, rank } of ranked.toSorted((a, b) => a.rank - b.rank || b.at - a.at)) {
    const cost = tokensOf(line) + 1
    if (rank === -1 || used + cost > tokensMax * (shares[rank] ?? 1)) continue
    used += cost
    kept.add(at)
  }
  return lines.filter((_, at) => kept.has(at)).join("\n")
}

const order = ["D", "T", "U", "H", "E", "A", "F"]
/** How full it may be before a line of each kind is added. */
const shares = [1, 1, 0.7, 0.7, 0.3, 0.3, 0.3]
