/**
 * Units that may hold a phrase, by the index (SE1). Whether they do, their text says (phrase.ts).
 *
 * The index reads all entries of all words of a phrase, however few units hold it. So it is asked for two of its words first,
 * which stand together and are rarest; for the whole phrase only where many units hold these two; and each time for no more
 * of the newest units than have a bounded number of entries.
 */
import type { Connection } from "../connection.ts"

/** How many units hold a word, and which, in their order: null where it is common, and `count` a guess. */
export interface WordList {
  readonly count: number
  readonly units: readonly number[] | null
}

/** Entries of the index that one question to it reads, about. */
const entriesMax = 10_000
/** To read a text and look for a phrase in it takes as long as to read so many entries. */
const textEntries = 500

/** Null where nothing is known of it. Of more than `enough` units not all are read. */
export function mayHoldPhrase(
  connection: Connection,
  phrase: readonly string[],
  words: { readonly listOf: (word: string) => WordList | undefined; readonly unitCount: number },
  enough: number,
): readonly number[] | null {
  const { listOf } = words
  if (phrase.some((word) => isPlain.test(word) && listOf(word)?.count === 0)) return []
  const [rarest, ...others] = [...new Set(phrase)]
    .flatMap((word) => [listOf(word)?.units ?? []].filter(({ length }) => length > 0))
    .toSorted((a, b) => a.length - b.length)
  const withAll = rarest?.filter((unit) => others.every((list) => holds(list, unit))) ?? null
  if (phrase.length < 2) return withAll
  const countOf = (word: string): number => listOf(word)?.count ?? words.unitCount
  const entriesOf = (asked: readonly string[]): number => asked.reduce((sum, word) => sum + countOf(word), 1)
  const pair = rarestPair(phrase, countOf)
  const isCheaper = (units: readonly number[], asked: readonly string[]): boolean =>
    units.length <= Math.min(enough, entriesOf(asked) / textEntries)
  if (withAll !== null && isCheaper(withAll, pair)) return withAll
  const holding = (asked: readonly string[]): readonly number[] => {
    const from = Math.round(words.unitCount * Math.max(0, 1 - entriesMax / entriesOf(asked)))
    const found = unitsWith(connection, asked, from)
    if (withAll === null) return found
    return [...withAll.filter((unit) => unit <= from), ...found.filter((unit) => holds(withAll, unit))]
  }
  const withPair = holding(pair)
  return pair.length === phrase.length || isCheaper(withPair, phrase) ? withPair : holding(phrase)
}

const isPlain = /^[a-z0-9]+$/

function rarestPair(phrase: readonly string[], countOf: (word: string) => number): readonly string[] {
  const counts = phrase.map(countOf)
  const pairAt = (at: number): number => (counts[at] ?? 0) + (counts[at + 1] ?? 0)
  let best = 0
  for (let at = 1; at + 1 < phrase.length; at++) if (pairAt(at) < pairAt(best)) best = at
  return phrase.slice(best, best + 2)
}

/** By the stems of its words, as the index holds them. */
const unitsWith = (connection: Connection, phrase: readonly string[], from: number): readonly number[] =>
  JSON.parse(
    connection.get<{ units: string }>(newerUnitsSql, `own : "${phrase.join(" ").replaceAll('"', "")}"`, from)
      ?.units ?? "[]",
  ) as number[]

/**
 * The oldest first: backwards the index would not stop before its beginning. Numbers are bound as reals, by which it would not
 * skip what is older.
 */
export const newerUnitsSql =
  "SELECT json_group_array(rowid) AS units FROM word WHERE word MATCH ? AND rowid > CAST(? AS INTEGER)"

/** Whether a list in ascending order holds a number. */
function holds(list: readonly number[], one: number): boolean {
  let from = 0
  let to = list.length - 1
  while (from < to) {
    const middle = (from + to) >> 1
    if ((list[middle] ?? 0) < one) from = middle + 1
    else to = middle
  }
  return list[from] === one
}
