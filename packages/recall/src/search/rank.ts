/**
 * In which order units are shown that match a question (SE1).
 *
 * What a unit is worth is told by its words (the index), by those that stand around it, by whether the
 * question names its author, and by how much else of its Session matches: what was talked about in one
 * place answers better than a word here and there. A unit that holds what was asked for word for word
 * stands above all others, whatever they are worth. The weights were measured (docs/search.md).
 */
export interface RankedWeights {
  /** The unit behind it; the one before is a column of the index. */
  readonly after: number
  /** The second before and behind it. */
  readonly second: number
  readonly author: number
  /** Times the mean of the best three of its Session. */
  readonly session: number
  /** How near its meaning is to that of the question, where vectors tell. */
  readonly meaning: number
  /** Taken from a unit that asks: who asks says less than who answers. */
  readonly asking: number
}

export const rankWeights: RankedWeights = {
  after: 0.4,
  second: 0.2,
  author: 0.3,
  session: 0.4,
  meaning: 0.4,
  asking: 0.2,
}

export interface MatchingUnit {
  readonly unit: number
  readonly session: string
  readonly author: string
  readonly score: number
  /** From 0 to 1. */
  readonly meaning: number
  readonly exact: boolean
  readonly after: number | null
  readonly secondAfter: number | null
}

export interface RankedUnit<U extends MatchingUnit> {
  readonly found: U
  /** The best has about 1; comparable within one question only. */
  readonly worth: number
}

/** Best first. `author` is the one that the question names; null where it names none, or several. */
export function rankUnits<U extends MatchingUnit>(
  units: readonly U[],
  author: string | null,
  weights: RankedWeights = rankWeights,
): readonly RankedUnit<U>[] {
  const spread = spreadScores(units, weights)
  const best = Math.max(...spread.values(), Number.MIN_VALUE)
  const alone = units.map((found) => ({
    found,
    worth:
      (spread.get(found.unit) ?? 0) / best +
      weights.meaning * found.meaning +
      (found.author === author ? weights.author : 0),
  }))
  const sessions = sessionWorth(alone)
  return alone
    .map(({ found, worth }) => ({
      found,
      worth: worth + weights.session * (sessions.get(found.session) ?? 0),
    }))
    .toSorted((a, b) => Number(b.found.exact) - Number(a.found.exact) || b.worth - a.worth)
}

export const isQuestion = (text: string): boolean => /[?？]["')\]\s]*$/u.test(text)

function spreadScores(units: readonly MatchingUnit[], { after, second }: RankedWeights): Map<number, number> {
  const own = new Map(units.map(({ unit, score }) => [unit, score]))
  const spread = new Map(own)
  const add = (to: number, from: number, weight: number) =>
    spread.set(to, (spread.get(to) ?? 0) + weight * (own.get(from) ?? 0))
  for (const one of units) {
    if (one.after !== null && own.has(one.after)) add(one.unit, one.after, after)
    if (one.secondAfter === null || !own.has(one.secondAfter)) continue
    add(one.unit, one.secondAfter, second)
    add(one.secondAfter, one.unit, second)
  }
  return spread
}

const sessionBest = 3

function sessionWorth(units: readonly RankedUnit<MatchingUnit>[]): Map<string, number> {
  const bySession = Map.groupBy(units, ({ found }) => found.session)
  return new Map(
    [...bySession].map(([session, all]) => {
      const best = all
        .map(({ worth }) => worth)
        .toSorted((a, b) => b - a)
        .slice(0, sessionBest)
      return [session, best.reduce((sum, worth) => sum + worth, 0) / sessionBest]
    }),
  )
}
