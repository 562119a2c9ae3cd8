/** Whether a text holds words in a row, as `searchWords` reads both (SE1). */
import { searchWords } from "@holdfast/schema/search/words"

/** Places of one word in a text that are looked at. */
const placesMax = 64
const isPlain = /^[\0-\x7f]*$/
/** What may stand between two words of a phrase: stop words, blanks and signs. */
const betweenCharacters = 24

export function holdsPhrase(text: string, phrase: readonly string[]): boolean {
  const lower = text.toLowerCase()
  const literal = phrase.filter((word) => lower.includes(word)).toSorted((a, b) => b.length - a.length)
  if (literal.length < phrase.length && isPlain.test(text)) {
    // Of plain text, a word that does not stand there is a name in its parts, or it is none of its words.
    const joined = lower.replaceAll(/[^a-z0-9]+/g, "")
    if (!phrase.every((word) => joined.includes(word))) return false
  }
  const [rare] = literal
  if (rare === undefined) return holdsInOrder(searchWords(text), phrase)
  const reach = phrase.reduce((sum, word) => sum + word.length + betweenCharacters, 0)
  let at = lower.indexOf(rare)
  for (let place = 0; at >= 0 && place < placesMax; place++) {
    const from = Math.max(0, at - reach)
    const to = at + rare.length + reach
    const near = lower.slice(from, to)
    if (
      literal.every((word) => near.includes(word)) &&
      holdsInOrder(searchWords(text.slice(from, to)), phrase)
    )
      return true
    at = lower.indexOf(rare, at + rare.length)
  }
  return false
}

function holdsInOrder(words: readonly string[], phrase: readonly string[]): boolean {
  for (let from = 0; from + phrase.length <= words.length; from++)
    if (phrase.every((word, at) => words[from + at] === word)) return true
  return false
}
