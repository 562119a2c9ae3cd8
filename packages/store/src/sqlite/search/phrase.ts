/** Whether a text holds words in a row, as `searchWords` or `spokenWords` reads both (SE1). */
import type { Phrase } from "@holdfast/schema/search/phrase"
import { searchWords, spokenWords, wholeCharactersMax } from "@holdfast/schema/search/words"

/** Places of one word in a text that are looked at. */
const placesMax = 64
const isPlain = /^[\0-\x7f]*$/
/** What may stand between two words of a phrase: stop words, blanks and signs. */
const betweenCharacters = 24
/** A text that is no longer than so many times what a phrase may reach over is read as a whole. */
const reachesMax = 4

/** Whether it holds one of the phrases. */
export function holdsAny(text: string, phrases: readonly Phrase[]): boolean {
  const lower = text.toLowerCase()
  const joined = isPlain.test(text) ? lower.replaceAll(/[^a-z0-9]+/g, "") : null
  return phrases.some(({ words, all }) => {
    const phrase = all ?? words
    if (joined !== null && !mayHold(joined, phrase)) return false
    return holdsPhrase(text, lower, phrase, all === undefined ? searchWords : spokenWords)
  })
}

function holdsPhrase(
  text: string,
  lower: string,
  phrase: readonly string[],
  wordsOf: (text: string) => readonly string[],
): boolean {
  const literal = phrase.filter((word) => lower.includes(word)).toSorted((a, b) => b.length - a.length)
  const [rare] = literal
  const reach = phrase.reduce((sum, word) => sum + word.length + betweenCharacters, 0)
  if (rare === undefined || text.length <= reachesMax * reach) return holdsInOrder(wordsOf(text), phrase)
  let at = lower.indexOf(rare)
  for (let place = 0; at >= 0 && place < placesMax; place++) {
    const from = Math.max(0, at - reach)
    const to = at + rare.length + reach
    const near = lower.slice(from, to)
    if (literal.every((word) => near.includes(word)) && holdsInOrder(wordsOf(text.slice(from, to)), phrase))
      return true
    at = lower.indexOf(rare, at + rare.length)
  }
  return false
}

/** In plain text without its signs each word ends where the one before it ends, or behind: a name stands behind its parts. */
function mayHold(joined: string, phrase: readonly string[]): boolean {
  let end = 0
  for (const word of phrase) {
    const at = joined.indexOf(word, Math.max(0, end - word.length))
    if (at < 0) return false
    if (word.length < wholeCharactersMax) end = at + word.length
  }
  return true
}

function holdsInOrder(words: readonly string[], phrase: readonly string[]): boolean {
  for (let from = 0; from + phrase.length <= words.length; from++)
    if (phrase.every((word, at) => words[from + at] === word)) return true
  return false
}
