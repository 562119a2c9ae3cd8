/**
 * Units that may hold a phrase, by the index (SE1). Whether they do, their text says (phrase.ts).
 *
 * The index reads all entries of all words that it is asked for together, however few units hold them. So it is never asked for
 * a whole phrase, but for the two rarest words that stand together, and for two others where too many units are left;
 * each time for no more of the newest units than have a bounded number of entries. A name of several parts stands behind them in
 * the index, so that it is asked for instead of them.
 */
import type { Connection } from "../connection.ts"

/** How many units hold a word, and which, in their order: null where it is common, and `count` a guess. */
export interface WordList {
  readonly count: number
  readonly units: readonly number[] | null
}

/** What is known of the words of a question, and what the index has answered to it. */
export interface KnownWords {
  readonly listOf: (word: string) => WordList | undefined
  readonly unitCount: number
  readonly asked: Map<string, readonly number[]>
}

/** Entries of the index that one question to it reads, about. */
const entriesMax = 10_000
/** To read a text and look for a phrase in it takes as long as to read so many entries. */
const textEntries = 200
/** Questions to the index about one phrase. */
const asksMax = 2

/** Null where nothing is known of it. Of more than `enough` units not all are read. */
export function mayHoldPhrase(
  connection: Connection,
  phrase: readonly string[],
  known: KnownWords,
  enough: number,
): readonly number[] | null {
  const { listOf, unitCount } = known
  if (phrase.some((word) => isPlain.test(word) && listOf(word)?.count === 0)) return []
  const entriesOf = (words: readonly string[]): number =>
    words.reduce((sum, word) => sum + (listOf(word)?.count ?? unitCount), 1)
  const asks = neighboursIn(phrase)
    .map((words) => ({ words, entries: entriesOf(words) }))
    .toSorted((a, b) => a.entries - b.entries)
    .slice(0, asksMax)
  let left = withAll(phrase, known)
  for (const { words, entries } of asks) {
    if (left !== null && left.length <= Math.min(enough, entries / textEntries)) break
    const from = Math.round(unitCount * Math.max(0, 1 - entriesMax / entries))
    const found = unitsWith(connection, words, from, known)
    left =
      left === null
        ? found
        : [...left.filter((unit) => unit <= from), ...found.filter((unit) => holds(left ?? [], unit))]
  }
  return left
}

const isPlain = /^[a-z0-9]+$/

/** Units with all words of which it is known where they stand; null where it is of none. */
function withAll(phrase: readonly string[], { listOf }: KnownWords): readonly number[] | null {
  const [rarest, ...others] = [...new Set(phrase)]
    .flatMap((word) => [listOf(word)?.units ?? []].filter(({ length }) => length > 0))
    .toSorted((a, b) => a.length - b.length)
  return rarest?.filter((unit) => others.every((list) => holds(list, unit))) ?? null
}

/** Each two words that stand together but for those inside of a name; of a phrase that is one name, this alone. */
function neighboursIn(phrase: readonly string[]): readonly (readonly string[])[] {
  if (phrase.length < 2) return []
  const isInside = phrase.map(() => false)
  for (const [at, name] of phrase.entries())
    for (let part = at - 1, end = name.length; part >= 0; part--) {
      const word = phrase[part] ?? ""
      end = word.length < name.length ? name.lastIndexOf(word, end - word.length) : -1
      if (end < 0) break
      isInside[part] = true
    }
  const pairs = phrase.slice(1).flatMap((word, at) => (isInside[at] ? [] : [[phrase[at] ?? "", word]]))
  return pairs.length > 0 ? pairs : [phrase.slice(-1)]
}

/** By the stems of its words, as the index holds them. */
function unitsWith(
  connection: Connection,
  words: readonly string[],
  from: number,
  { asked }: KnownWords,
): readonly number[] {
  const match = `own : "${words.join(" ").replaceAll('"', "")}"`
  const known = asked.get(match)
  if (known !== undefined) return known
  const found = connection.get<{ units: string }>(newerUnitsSql, match, from)?.units ?? "[]"
  const units = JSON.parse(found) as number[]
  asked.set(match, units)
  return units
}

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
