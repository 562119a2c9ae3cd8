/** The piece of a text that shows best why it was found, with the places of the words in it. */
import { wordsOfChains } from "@holdfast/schema/search/stop-chains"
import { searchWords } from "@holdfast/schema/search/words"

export interface Snippet {
  readonly text: string
  /** Where matching words stand in it: beginning and end, in characters, in order. */
  readonly marks: readonly (readonly [number, number])[]
}

export const snippetCharactersMax = 220

const spoken = /[\p{L}\p{N}\p{M}]+(?:[_./\\:@#$+-]+[\p{L}\p{N}\p{M}]+)*|\p{Extended_Pictographic}/gu

/** What is looked at of a long text. */
const lookedMax = 65_536

export function snippetOf(given: string, words: readonly string[]): Snippet {
  const text = given.slice(0, lookedMax).replaceAll(/\s+/gu, " ").trim()
  const stems = words.map(stemOf)
  const marked = (isLatin.test(text) ? latinRuns(text, stems) : runs(text, stems)).flatMap(
    ([at, end]): Mark[] => {
      const held = searchWords(text.slice(at, end))
        .map(stemOf)
        .filter((stem) => stems.includes(stem))
      return held.length === 0 ? [] : [[at, end, held]]
    },
  )
  const marks = [...marked, ...[...new Set(words)].flatMap((word) => chainMarks(text, word))].toSorted(
    ([a], [b]) => a - b,
  )
  const from = text.length <= snippetCharactersMax ? 0 : densest(marks, text.length)
  const start = from === 0 ? 0 : text.indexOf(" ", from - 1) + 1 || from
  const end = Math.min(text.length, start + snippetCharactersMax)
  const piece = text.slice(start, end).toWellFormed()
  const before = start > 0 ? "…" : ""
  const shift = before.length - start
  return {
    text: `${before}${piece}${end < text.length || given.length > lookedMax ? "…" : ""}`,
    marks: marks.filter(([a, b]) => a >= start && b <= end).map(([a, b]) => [a + shift, b + shift] as const),
  }
}

/** Where stop words of a phrase stand in a row: the first of them. */
function chainMarks(text: string, word: string): readonly Mark[] {
  const [first, ...others] = wordsOfChains([word]) ?? []
  if (first === undefined) return []
  const then = others.map((other) => `[^\\p{L}\\p{N}]+${other}`).join("")
  const together = new RegExp(`(?<![\\p{L}\\p{N}])${first}(?=${then}(?![\\p{L}\\p{N}]))`, "giu")
  return [...text.matchAll(together)].map(({ 0: found, index }) => [index, index + found.length, [word]])
}

/** Beginning and end of words, names and paths that may hold a stem: in Latin script it stands as it is written. */
const runs = (text: string, stems: readonly string[]): readonly (readonly [number, number])[] =>
  [...text.matchAll(spoken)].flatMap(({ 0: run, index }) => {
    const lower = run.toLowerCase()
    const may = stems.some((stem) => lower.includes(stem)) || !isLatin.test(lower)
    return may ? [[index, index + run.length] as const] : []
  })

/** The same where all of the text is Latin: most of it is not looked at. */
function latinRuns(text: string, stems: readonly string[]): readonly (readonly [number, number])[] {
  const lower = text.toLowerCase()
  const ends = new Map<number, number>()
  for (const stem of new Set(stems)) {
    for (let at = lower.indexOf(stem), end = 0; at >= 0; at = lower.indexOf(stem, Math.max(at + 1, end))) {
      let from = at
      end = at + stem.length
      while (from > 0 && isJoined.test(lower.charAt(from - 1))) from -= 1
      while (end < lower.length && isJoined.test(lower.charAt(end))) end += 1
      while (from < at && !isSpoken.test(lower.charAt(from))) from += 1
      let last = end
      while (last > at && !isSpoken.test(lower.charAt(last - 1))) last -= 1
      ends.set(from, last)
    }
  }
  return [...ends].toSorted(([a], [b]) => a - b)
}

const isJoined = /[a-z0-9_./\\:@#$+-]/
const isSpoken = /[a-z0-9]/
const isLatin = /^[\u0020-\u007e]*$/

/** Beginning, end, and which of the words it holds. */
type Mark = readonly [number, number, readonly string[]]

/** Where most of the words lie together, a little in front of the first; of such, where they stand most often. */
function densest(marks: readonly Mark[], length: number): number {
  const held = new Map<string, number>()
  const count = (stems: readonly string[], by: number): void => {
    for (const stem of stems) {
      const times = (held.get(stem) ?? 0) + by
      if (times === 0) held.delete(stem)
      else held.set(stem, times)
    }
  }
  let best = 0
  let from = 0
  let first = 0
  for (const [at, [, end, stems]] of marks.entries()) {
    count(stems, 1)
    for (let mark = marks[first]; mark !== undefined && first < at; mark = marks[first]) {
      if (mark[0] >= end - snippetCharactersMax + lead) break
      count(mark[2], -1)
      first += 1
    }
    const worth = held.size * snippetCharactersMax + at - first
    if (worth <= best) continue
    best = worth
    from = marks[first]?.[0] ?? 0
  }
  return Math.max(0, Math.min(from - lead, length - snippetCharactersMax))
}

const lead = 40

/** Coarser than the stems of the index: it only marks. */
const stemOf = (word: string): string => word.replace(/(?:ing|ed|es|s|e)$/u, "").slice(0, 24) || word
