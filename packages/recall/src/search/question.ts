/** What a question asks for: its words, what must stand together, and whose words it means (SE1). */
import { phraseOfStops } from "@holdfast/schema/search/stop-chains"
import { searchWords } from "@holdfast/schema/search/words"

/** Names by which a question may mean somebody, by author. */
export type AuthorNames = Readonly<Record<string, readonly string[]>>

const authorNames: AuthorNames = { user: ["user"], assistant: ["assistant", "agent"] }

export interface ReadQuestion {
  readonly words: readonly string[]
  readonly phrases: readonly (readonly string[])[]
  /** The one author that is named; null where none is, or several are. */
  readonly author: string | null
}

/** A question that is longer is no phrase that anybody said. */
const phraseWordsMax = 12

export function readQuestion(text: string, names: AuthorNames = authorNames): ReadQuestion {
  const inQuotes = [...text.matchAll(/"([^"]{2,200})"|“([^”]{2,200})”|`([^`]{2,200})`/gu)].map(
    ([, a, b, c]) => a ?? b ?? c ?? "",
  )
  const stops = inQuotes.map(phraseOfStops)
  const quoted = [...inQuotes.map(searchWords), ...stops]
  const words = [...searchWords(text), ...stops.flat()]
  const whole = words.length <= phraseWordsMax ? [words] : []
  const phrases = [...quoted, ...whole].filter((phrase) => phrase.length > 0)
  const said = new Set(words)
  const namesOf = (author: string) =>
    (names[author] ?? []).flatMap(searchWords).filter((name) => said.has(name))
  const named = Object.keys(names).filter((author) => namesOf(author).length > 0)
  const [author = null] = named.length === 1 ? named : []
  // Whoever is named speaks: the name stands in what the other says.
  const others = words.filter((word) => author === null || !namesOf(author).includes(word))
  return { words: others.length > 0 ? others : words, phrases, author }
}
