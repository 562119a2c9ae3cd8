/**
 * Parts of search that no weight turns off, for `npm run eval -- recall --ablation`: how texts become words, and questions
 * that are asked again with words of what they found.
 *
 * What is indexed is changed before it is written: a stop word that ends otherwise is one no more, and a name without its
 * joints and capitals has no parts. The model embeds what was said all the same.
 */
import type { SearchResult } from "@holdfast/schema/search/found"
import { stopWords } from "@holdfast/schema/search/stop-words"
import { searchWords } from "@holdfast/schema/search/words"

export interface Spelling {
  readonly written: (text: string) => string
  readonly said: (text: string) => string
}

export const asSaid: Spelling = { written: (text) => text, said: (text) => text }

/** Ends no word of any language. */
const mark = "qzq"

export const spellings: Readonly<Record<string, Spelling>> = {
  "leaving out stop words": {
    written: (text) =>
      text.replaceAll(/[A-Za-z]+/g, (word) => (stopWords.has(word.toLowerCase()) ? `${word}${mark}` : word)),
    said: (text) => text.replaceAll(mark, ""),
  },
  "names and paths in parts": {
    written: (text) =>
      text.replaceAll(nameOfParts, (name) => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase()),
    said: (text) => text,
  },
}

const nameOfParts = /[A-Za-z0-9]+(?:[_./\\:@#$+-]+[A-Za-z0-9]+)+|[a-z]+[A-Z][A-Za-z]*/g

/** Results of a first search that a second one takes words of, and how many. */
const firstResults = 5
const addedWords = 5

/** Words that most of the first results share and the question has not. */
export function expansionOf(question: string, { found }: SearchResult): string {
  const asked = new Set(searchWords(question))
  const counts = new Map<string, number>()
  for (const { text } of found.slice(0, firstResults))
    for (const word of new Set(searchWords(text)))
      if (!asked.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count > 1)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, addedWords)
    .map(([word]) => word)
    .join(" ")
}
