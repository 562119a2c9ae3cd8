/**
 * Match: where the old text of an edit stands in a file.
 *
 * Exact text comes first. Where there is none, each step below forgives one more difference that
 * models make without meaning it; none of them guesses by likeness, and what was forgiven is told.
 *
 *   exact ─▶ line ends ─▶ trailing blanks ─▶ common indentation ─▶ typographic quotes
 *
 * The first step that finds anything decides: one place is taken, several are reported, since a
 * looser step would only find more. Positions are those of the file as it is, so that nothing
 * outside of a place is touched. All of it is linear in the file, except for indentation, which
 * compares whole lines from each line on.
 */
import { commonIndent, dedented, isBlankLine, linesOf, reindented } from "./indentation.ts"

const differences = ["line ends", "trailing blanks", "indentation", "typographic quotes"] as const
export type Difference = (typeof differences)[number]

/** Where the old text stands, and what takes its place there. */
export interface Place {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

export type Match =
  | { readonly kind: "found"; readonly places: readonly Place[]; readonly forgiven: readonly Difference[] }
  | { readonly kind: "several"; readonly starts: readonly number[]; readonly forgiven: readonly Difference[] }
  | { readonly kind: "none" }

export interface Wanted {
  readonly old: string
  readonly replacement: string
  /** Every place of the exact text, whatever its line ends; looser steps always want one. */
  readonly all: boolean
}

/** More places than this are neither told nor replaced: a file has so many of a single letter. */
export const placesMax = 100_000

export function findMatch(text: string, wanted: Wanted): Match {
  for (const { places, forgives } of steps(text, wanted)) {
    if (places.length === 0) continue
    if (places.length > placesMax)
      return { kind: "several", starts: places.map(({ start }) => start), forgiven: [] }
    const forgiven = forgives === "nothing" ? [] : forgivenIn(text, places, wanted)
    const exactly = forgives !== "more"
    if (places.length === 1 || (wanted.all && exactly)) return { kind: "found", places, forgiven }
    return { kind: "several", starts: places.map(({ start }) => start), forgiven }
  }
  return { kind: "none" }
}

/** The text with each place replaced; the replacement is literal. */
export function replaceAt(text: string, places: readonly Place[]): string {
  const pieces: string[] = []
  let from = 0
  for (const { start, end, replacement } of places) {
    pieces.push(text.slice(from, start), replacement)
    from = end
  }
  return pieces.join("") + text.slice(from)
}

interface Step {
  readonly forgives: "nothing" | "line ends" | "more"
  readonly places: readonly Place[]
}

function* steps(text: string, wanted: Wanted): Generator<Step> {
  const { replacement } = wanted
  yield { forgives: "nothing", places: placesOf(plain(text), plain(wanted.old), replacement) }
  const [file, old] = [withoutReturns(plain(text)), withoutReturns(plain(wanted.old))]
  yield { forgives: "line ends", places: placesOf(file, old, replacement) }
  const [trimmed, oldTrimmed] = [withoutTrailing(file), withoutTrailing(old)]
  yield { forgives: "more", places: placesOf(trimmed, oldTrimmed, replacement) }
  yield { forgives: "more", places: indentedPlaces(trimmed, oldTrimmed, replacement) }
  const [straight, oldStraight] = [withPlainQuotes(trimmed), withPlainQuotes(oldTrimmed)]
  yield { forgives: "more", places: placesOf(straight, oldStraight, replacement) }
  yield { forgives: "more", places: indentedPlaces(straight, oldStraight, replacement) }
}

/** A text of which some characters are left out, with where the others stand in the file. */
interface View {
  readonly text: string
  /** Null where every character stands at its own index. */
  readonly at: Uint32Array | null
  /** Blanks were left out behind the last character. */
  readonly open: boolean
}

const plain = (text: string): View => ({ text, at: null, open: false })

const withoutReturns = (view: View): View => without(view, /\r(?=\n)/g)

const withoutTrailing = (view: View): View => ({
  ...without(view, /[ \t]+(?=\n|$)/g),
  open: /[ \t]$/.test(view.text),
})

/** Same length: one character for one. */
const withPlainQuotes = (view: View): View => ({ ...view, text: plainQuotes(view.text) })

export const plainQuotes = (text: string): string =>
  text.replaceAll(/[\u2018\u2019\u201A\u201B]/g, "'").replaceAll(/[\u201C\u201D\u201E\u201F]/g, '"')

function without(view: View, pattern: RegExp): View {
  const left: string[] = []
  const at = new Uint32Array(view.text.length)
  let kept = 0
  let from = 0
  const keep = (to: number) => {
    left.push(view.text.slice(from, to))
    for (let index = from; index < to; index += 1) at[kept++] = view.at?.[index] ?? index
  }
  for (const { index, 0: gone } of view.text.matchAll(pattern)) {
    keep(index)
    from = index + gone.length
  }
  if (from === 0) return view
  keep(view.text.length)
  return { text: left.join(""), at: at.subarray(0, kept), open: view.open }
}

const placeAt = (view: View, index: number): number => view.at?.[index] ?? index

function placesOf(file: View, old: View, replacement: string): readonly Place[] {
  if (old.text === "") return []
  const places: Place[] = []
  for (let index = file.text.indexOf(old.text); index !== -1 && places.length <= placesMax;) {
    const after = index + old.text.length
    // Where blanks at the end of the old text were forgiven, its line must end there.
    const ends = !old.open || after === file.text.length || file.text[after] === "\n"
    if (ends) {
      places.push({ start: placeAt(file, index), end: placeAt(file, after - 1) + 1, replacement })
    }
    index = file.text.indexOf(old.text, ends ? after : index + 1)
  }
  return places
}

/** Whole lines that are the old ones once the blanks which all of them begin with are taken away. */
function indentedPlaces(file: View, old: View, replacement: string): readonly Place[] {
  const wanted = linesOf(old.text)
  const lines = linesOf(file.text)
  const oldIndent = commonIndent(wanted)
  const target = dedented(wanted, oldIndent)
  if (target.every((line) => line === "")) return []
  const words = target.map((line) => line.trimStart())
  const fileWords = lines.map((line) => line.trimStart())
  const starts = startsOf(lines)
  const places: Place[] = []
  for (let line = 0; line + target.length <= lines.length && places.length <= placesMax; line += 1) {
    if (!words.every((text, index) => text === fileWords[line + index])) continue
    const window = lines.slice(line, line + target.length)
    const indent = commonIndent(window)
    if (!dedented(window, indent).every((text, index) => text === target[index])) continue
    const last = line + target.length - 1
    const after = (starts[last] ?? 0) + (lines[last] ?? "").length
    const newline = old.text.endsWith("\n") ? 1 : 0
    if (newline === 1 && file.text[after] !== "\n") continue
    places.push({
      start: placeAt(file, starts[line] ?? 0),
      end: placeAt(file, after + newline - 1) + 1,
      replacement: reindented(replacement, oldIndent, indent),
    })
    line = last
  }
  return places
}

function startsOf(lines: readonly string[]): readonly number[] {
  let start = 0
  return lines.map((line) => {
    const at = start
    start += line.length + 1
    return at
  })
}

/** Which differences there really are between the old text and the places that were found for it. */
function forgivenIn(text: string, places: readonly Place[], { old }: Wanted): readonly Difference[] {
  const there = new Set(places.flatMap(({ start, end }) => differencesOf(text.slice(start, end), old)))
  return differences.filter((difference) => there.has(difference))
}

function differencesOf(found: string, old: string): readonly Difference[] {
  const [a, b] = [found.replaceAll("\r\n", "\n"), old.replaceAll("\r\n", "\n")]
  const [aLines, bLines] = [linesOf(a), linesOf(b)]
  const isThere: Readonly<Record<Difference, boolean>> = {
    "line ends": (a === found) !== (b === old) || (a !== found && !isSameReturns(found, old)),
    "trailing blanks": differ(aLines, bLines, (line) => /[ \t]*$/.exec(line)?.[0] ?? ""),
    indentation: differ(aLines, bLines, (line) =>
      isBlankLine(line) ? "" : (/^[ \t]*/.exec(line)?.[0] ?? ""),
    ),
    "typographic quotes": plainQuotes(a) !== a || plainQuotes(b) !== b ? quotesOf(a) !== quotesOf(b) : false,
  }
  return differences.filter((difference) => isThere[difference])
}

const isSameReturns = (a: string, b: string): boolean => a.split("\r\n").length === b.split("\r\n").length

const quotesOf = (text: string): string => text.replaceAll(/[^'"\u2018-\u201F]/g, "")

const differ = (a: readonly string[], b: readonly string[], part: (line: string) => string): boolean =>
  a.some((line, index) => part(line) !== part(b[index] ?? ""))
