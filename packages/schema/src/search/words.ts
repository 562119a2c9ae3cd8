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

/** What is indexed of one text at most, in characters; records are bounded far below (TO1). */
export const indexedCharactersMax = 65_536

/** What a row holds of the unit before it. */
export const neighbourCharactersMax = 600

/** A name is cut behind so many characters where it stands whole. */
export const wholeCharactersMax = 120

const stopWords = new Set(
  (
    "a an the and or but if of to in on at by for with from as is are was were be been being am do does did " +
    "done have has had having i you he she it we they me him her us them my your his its our their this that " +
    "these those what which who whom whose when where why how not no nor so too very can could will would " +
    "shall should may might must than then there here just about into over after before up down out off " +
    "again once all any both each few more most other some such own same s t d ll m re ve don"
  ).split(" "),
)

/** Words in their order, lower case, repeats included. */
export function searchWords(text: string): readonly string[] {
  const words: string[] = []
  const bounded = text.length > indexedCharactersMax ? text.slice(0, indexedCharactersMax) : text
  const plain = !isForeign.test(bounded)
  const found = plain ? bounded.match(plainRuns) : bounded.normalize("NFKC").match(runs)
  for (const run of found ?? []) {
    if (!plain) addRun(words, run)
    else if (isOnePart.test(run)) addWord(words, run)
    else addParts(words, run.match(plainParts) ?? [])
  }
  return words
}

/** Every commit comes by here, and most of what is said is plain words: these take a shorter way to the same end. */
const isForeign = /[\u0080-\uffff]/
const plainRuns = /[A-Za-z0-9](?:[\w./\\:@#$+-]*[A-Za-z0-9])?/g
/** `pieces` and `humps` in one, of plain letters. */
const plainParts = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g
const isOnePart = /^(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]+)$/

/** A run of letters, digits and what joins them in names and paths; or one symbol that is a picture. */
const runs =
  /[\p{L}\p{N}\p{M}](?:[\p{L}\p{N}\p{M}_./\\:@#$+-]*[\p{L}\p{N}\p{M}])?|\p{Extended_Pictographic}/gu
const pieces = /[\p{L}\p{M}]+|\p{N}+/gu
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u
/** Where a lower-case letter or an acronym ends and the next word of a name begins. */
const humps = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u

function addRun(words: string[], run: string): void {
  if (picture.test(run)) {
    words.push(`u${(run.codePointAt(0) ?? 0).toString(16)}`)
    return
  }
  const parts = (run.match(pieces) ?? []).flatMap((piece) =>
    dense.test(piece) ? pairs(piece) : piece.split(humps),
  )
  if (dense.test(run)) for (const part of parts) addWord(words, part)
  else addParts(words, parts)
}

/** The parts of a name, and where there are several, the whole of it. */
function addParts(words: string[], parts: readonly string[]): void {
  for (const part of parts) addWord(words, part)
  if (parts.length > 1) words.push(wholeWord(parts))
}

function addWord(words: string[], part: string): void {
  const word = part.toLowerCase()
  if (!stopWords.has(word)) words.push(word)
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
