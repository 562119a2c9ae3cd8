/**
 * The words by which a text is found: the same function for what is indexed and for what is asked, so
 * that both meet (SE1). Whatever comes in is only text: no operator, quote or symbol means anything.
 *
 *   parseHTTPHeader2     ──▶ parse http header 2 parsehttpheader2
 *   src/session/turn.ts  ──▶ src session turn ts srcsessionturnts
 *   漢字かな             ──▶ 漢字 字か かな
 *   🎉                   ──▶ u1f389
 *
 * An identifier or a path stands once in its parts and once whole, so that a search for either finds
 * it, and one for the whole ranks it first. Words that say nothing are left out. Stemming is left to
 * the index. Nothing here needs effect: the writer of the store runs it.
 */
import { plainWords, wholeCharactersMax } from "./plain-words.ts"
import { stopWords } from "./stop-words.ts"

export { wholeCharactersMax } from "./plain-words.ts"

/** What is indexed of one text at most, in characters; records are bounded far below (TO1). */
export const indexedCharactersMax = 65_536

/** What a row holds of the unit before it. */
export const neighbourCharactersMax = 600

/** Words in their order, lower case, repeats included. */
export const searchWords = (text: string): readonly string[] => split(joinedWords(text))

/** The same with those that say nothing, which stand in no index: for a phrase that is looked for as it stands. */
export const spokenWords = (text: string): readonly string[] => split(joinedWords(text, true))

const split = (joined: string): readonly string[] => (joined === "" ? [] : joined.split(" "))

/** The same in one text, a blank between them. */
export function joinedWords(text: string, withStops = false): string {
  const bounded = text.length > indexedCharactersMax ? text.slice(0, indexedCharactersMax) : text
  if (!isForeign.test(bounded)) return plainWords(bounded, withStops)
  const found: string[] = []
  const add = (words: string): void => {
    if (words !== "") found.push(words)
  }
  let done = 0
  for (let at = foreignFrom(bounded, 0); at >= 0; at = foreignFrom(bounded, done)) {
    let from = at
    while (from > done && !isBlank(bounded.charCodeAt(from - 1))) from -= 1
    let to = at + 1
    while (to < bounded.length && !isBlank(bounded.charCodeAt(to))) to += 1
    add(plainWords(bounded.slice(done, from), withStops))
    add(foreignWords(bounded.slice(from, to), withStops))
    done = to
  }
  add(plainWords(bounded.slice(done), withStops))
  return found.join(" ")
}

const isForeign = /[\u0080-\uffff]/
const foreign = /[\u0080-\uffff]/g

function foreignFrom(text: string, from: number): number {
  foreign.lastIndex = from
  return foreign.test(text) ? foreign.lastIndex - 1 : -1
}

/** Nothing joins over a blank, by whatever rule. */
const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

function foreignWords(text: string, withStops: boolean): string {
  const words: string[] = []
  for (const run of text.normalize("NFKC").match(runs) ?? []) addRun(words, run, withStops)
  return words.join(" ")
}

/** A run of letters, digits and what joins them in names and paths; or one symbol that is a picture. */
const runs =
  /[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}_./\\:@#$+-]*[\p{L}\p{N}\p{M}])?|\p{Extended_Pictographic}/gu
const pieces = /[\p{L}\p{M}]+|\p{N}+/gu
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
/** Where a lower-case letter or an acronym ends and the next word of a name begins. */
const humps = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

function addRun(words: string[], run: string, withStops: boolean): void {
  if (picture.test(run)) {
    words.push(`u${(run.codePointAt(0) ?? 0).toString(16)}`)
    return
  }
  const parts = (run.match(pieces) ?? []).flatMap((piece) =>
    dense.test(piece) ? pairs(piece) : piece.split(humps),
  )
  for (const part of parts) {
    const word = part.toLowerCase()
    if (withStops || !stopWords.has(word)) words.push(word)
  }
  // The parts of a name, and where there are several, the whole of it.
  if (!dense.test(run) && parts.length > 1) words.push(wholeWord(parts))
}

const picture = /^\p{Extended_Pictographic}/u

/** One word for a name of several parts, whatever joins them. */
const wholeWord = (parts: readonly string[]): string =>
  parts.join("").toLowerCase().slice(0, wholeCharactersMax)

/** Scripts without blanks are found by each two characters that stand together. */
function pairs(text: string): readonly string[] {
  const characters = [...text]
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}
