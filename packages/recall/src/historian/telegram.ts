/** A sentence in fewer words: those that tell it from others, in their order. Pure, and the same for any text. */
import { clipLine, tokensOf } from "./words.ts"

/** Words that turn a meaning round if they are left out. */
const turning =
  /^(?:not|no|never|don't|dont|doesn't|mustn't|shouldn't|can't|won't|without|only|except|unless|nie|niemals|nicht|kein\w*|ohne|nur|statt|pas|jamais|sans|nunca|sin|solo|не|никогда|только|ない|しない|しないで|ません|禁止|不要|不|不得)$/iu

const empty = new Set(
  (
    "the a an of to in on at for by with and or is are be it its this that these those as if so then than please you your we our i my me " +
    "there here i'd than which when while from into will would can could do does have has make sure use using always all every each any should must " +
    "der die das den dem des ein eine einen einem und oder ist sind im in am an auf für mit von zu zum zur bitte du wir ich " +
    "le la les un une des de du et ou est sont en dans pour avec que qui el los las una y o es son en para con del por favor " +
    "и в на с по для это"
  ).split(" "),
)

interface Word {
  readonly text: string
  readonly at: number
  /** Whether it stands apart from the one before. */
  readonly apart: boolean
  readonly worth: number
}

/** About so many tokens, more in scripts that take more bytes; the whole where it fits. */
export function telegram(sentence: string, tokensMax: number): string {
  const most = tokensMax * Math.min(2, Buffer.byteLength(sentence) / sentence.length)
  if (tokensOf(sentence) <= most) return guarded(sentence)
  const words = wordsOf(sentence)
  const bytesMax = most * bytesPerToken
  const chosen: Word[] = []
  let bytes = 0
  for (const word of words.toSorted((a, b) => b.worth - a.worth || a.at - b.at)) {
    const cost = Buffer.byteLength(word.text) + 1
    if (bytes + cost > bytesMax) continue
    bytes += cost
    chosen.push(word)
  }
  if (chosen.length === 0) return guarded(clipLine(sentence, most))
  const inOrder = chosen.toSorted((a, b) => a.at - b.at)
  return guarded(inOrder.map(({ text, apart }, n) => (n > 0 && apart ? ` ${text}` : text)).join(""))
}

const bytesPerToken = 3.5

/** Nothing that is left of it passes for a handle or a quotation. */
const guarded = (text: string): string => (/^[#"]/.test(text) ? `… ${text}` : text)

/** By spaces; where a script has none, by where it changes. */
function wordsOf(sentence: string): readonly Word[] {
  return sentence
    .split(" ")
    .flatMap((text) => {
      const runs = text.match(runsOfScript) ?? [text]
      return runs.map((run, n) => ({ text: run, apart: n === 0 }))
    })
    .map(({ text, apart }, at) => ({ text, at, apart, worth: worthOf(text, at) }))
    .filter(({ worth }) => worth > 0)
}

const runsOfScript =
  /[\p{Script=Han}々]{1,6}|[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|[^\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}ー々]+/gu

function worthOf(text: string, at: number): number {
  const bare = text.replaceAll(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, "")
  if (bare === "") return 0
  if (turning.test(bare)) return 6
  if (/ない|ません/u.test(bare)) return 6
  if (/\d|[\p{L}\p{N}][_/.:@\\-][\p{L}\p{N}]|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u.test(bare)) return 5
  if (/^\p{Script=Hiragana}+$/u.test(bare)) return 0.5
  if (/^[\p{Script=Han}\p{Script=Katakana}ー々]+$/u.test(bare)) return 2
  if (empty.has(bare.toLowerCase())) return 0.2
  if (at > 0 && /^\p{Lu}/u.test(bare)) return 4
  return 2
}
