/** What a question asks for: its words, what must stand together, and whose words it means (SE1). */
import { phraseOfStops } from "@holdfast/schema/search/stop-chains"
import type { Phrase } from "@holdfast/schema/search/phrase"
import { searchWords, spokenWords } from "@holdfast/schema/search/words"

/** Names by which a question may mean somebody, by author. */
export type AuthorNames = Readonly<Record<string, readonly string[]>>

const authorNames: AuthorNames = { user: ["user"], assistant: ["assistant", "agent"] }

export interface ReadQuestion {
  readonly words: readonly string[]
  readonly phrases: readonly Phrase[]
  /** The one author that is named; null where none is, or several are. */
  readonly author: string | null
}

/** A question of more is no phrase that anybody said. What stands without blanks, as a commit id, is one however many parts it has. */
const phraseWordsMax = 12

export function readQuestion(text: string, names: AuthorNames = authorNames): ReadQuestion {
  const inQuotes = [...text.matchAll(/"([^"]{2,200})"|“([^”]{2,200})”|`([^`]{2,200})`/gu)].map(
    ([, a, b, c]) => a ?? b ?? c ?? "",
  )
  const words = [...searchWords(text), ...inQuotes.flatMap(phraseOfStops)]
  const isPhrase = words.length <= phraseWordsMax || !/\s/u.test(text.trim())
  const whole = words.length > 0 && isPhrase ? [{ words }] : []
  const phrases = [...inQuotes.flatMap(phraseIn), ...whole]
  const said = new Set(words)
  const namesOf = (author: string) =>
    (names[author] ?? []).flatMap(searchWords).filter((name) => said.has(name))
  const named = Object.keys(names).filter((author) => namesOf(author).length > 0)
  const [author = null] = named.length === 1 ? named : []
  // Whoever is named speaks: the name stands in what the other says.
  const others = words.filter((word) => author === null || !namesOf(author).includes(word))
  return { words: others.length > 0 ? others : words, phrases, author }
}

/** What stands in quotes, with its stop words where it has some. */
function phraseIn(quoted: string): readonly Phrase[] {
  const all = spokenWords(quoted)
  const words = [...searchWords(quoted), ...phraseOfStops(quoted)]
  if (all.length === 0) return []
  return [all.join(" ") === words.join(" ") ? { words } : { words, all }]
}
