/**
 * Words of a text as an extractive historian sees them: names that may be asked for again, sentences,
 * and one line of bounded length. Pure, bounded, and the same for any script or garbage.
 */
import { estimateTokens } from "@holdfast/llm/size"

/** Of a longer text only its ends are looked at. */
const scannedUnitsMax = 65_536

export const tokensOf = (text: string): number => estimateTokens(Buffer.byteLength(text), "prose")

/** The ends of a text that is too long to be looked at whole. */
export function scanned(text: string): string {
  if (text.length <= scannedUnitsMax) return text
  const half = scannedUnitsMax / 2
  return `${text.slice(0, half)}\n${text.slice(-half)}`
}

/** On one line, without what no model should read: no text can pass for another line of a slot. */
export const oneLine = (text: string): string =>
  scanned(text).toWellFormed().replaceAll(unprintable, " ").replaceAll(/\s+/gu, " ").trim()

/** Controls, and the characters that turn or hide text. */
const unprintable = /[\p{Cc}\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFFD]+/gu

/** At most so many tokens of a line; what is cut off is told by a mark. */
export function clipLine(line: string, tokensMax: number): string {
  if (tokensOf(line) <= tokensMax) return line
  let end = Math.min(line.length, Math.max(0, Math.floor(tokensMax * 3.5) - 3))
  while (end > 0 && tokensOf(line.slice(0, end)) > tokensMax - 1) end -= Math.max(1, end >> 3)
  const space = line.lastIndexOf(" ", end)
  const cut = line.slice(0, space > end * 0.6 ? space : end)
  return cut === "" ? "" : `${cut.toWellFormed().replaceAll("\uFFFD", "").trimEnd()}…`
}

/** A full stop behind a short form ends nothing. */
const endings =
  /\n+|(?<=[.!?…])(?<!(?:^|[\s(])(?:e\.g|i\.e|z\. ?B|d\. ?h|bzw|vs|cf|ca|approx|incl|resp|p\. ex|p\. ej|Dr|Mrs?|Ms|St|Nr)\.)[^\S\n]+|(?<=[。！？])/u

/** Sentences and lines, in order; bounded in number. */
export function sentences(text: string): readonly string[] {
  const found = scanned(text)
    .split(endings)
    .map(oneLine)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
  return found.length <= sentencesMax
    ? found
    : [...found.slice(0, sentencesMax / 2), ...found.slice(-sentencesMax / 2)]
}

const sentencesMax = 400

/** Names in a text, once each, in order. */
export const namesOfText = (text: string): ReadonlySet<string> => new Set(countNames(text).keys())

/** Names in a text: paths, identifiers, numbers, hashes, addresses, in order, and how often each stands there. */
export function countNames(text: string): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  const looked = scanned(text)
  for (const found of looked.matchAll(/[\p{L}\p{N}_$@~#./\\:%+=-]{4,200}/gu)) {
    const trimmed = found[0].replaceAll(/^[^\p{L}\p{N}_$@~./]+|[^\p{L}\p{N}_$]+$/gu, "")
    // What is called on a result is no name of its own, nor is what a search puts behind a file.
    const own = /[)\]}]/.test(looked[found.index - 1] ?? "") ? trimmed.replace(/^\.+/, "") : trimmed
    const name = own.replace(/(?<=\.[a-z]\w{0,4}):.*$/i, "")
    if (name.length <= nameUnitsMax && isName(name)) names.set(name, (names.get(name) ?? 0) + 1)
    if (names.size >= namesMax) break
  }
  return names
}

const nameUnitsMax = 160
const namesMax = 4_000

/** What stands out from words of a language: it holds a sign, a digit or an inner capital. */
function isName(name: string): boolean {
  if (name.length < 4) return false
  if (/^\d+$/.test(name)) return name.length <= 12
  if (/^[\p{P}\p{S}\d]+$/u.test(name)) return /\d/.test(name)
  return /[\p{L}\p{N}][_/.:@\\-][\p{L}\p{N}]|\d|\p{Ll}\p{Lu}|^[_$@~./]\p{L}|_/u.test(name)
}

/** The words that a name is made of, in small letters; short ones say nothing. */
export const wordsOfName = (name: string): readonly string[] =>
  name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .toLowerCase()
    .match(/[\p{L}\p{N}]{4,}/gu) ?? []
