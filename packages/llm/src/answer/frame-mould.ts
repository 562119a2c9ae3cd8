/**
 * A frame as the mould of those that follow: the same JSON save for its words (LL6).
 *
 * Most frames of an answer are one delta after another. They differ in their words, and in fields
 * that a wire does not read or reads later. A mould is such a frame with gaps in these places. A
 * frame that has every piece of it, and in the gaps nothing but the inside of a string or the digits
 * of a number, would be parsed to the same value with other words; so it need not be parsed. What
 * does not fit in every respect gives null and is read in full.
 *
 * A frame with a backslash is no mould: in all others a string stands as it is, so words that occur
 * once are found where they were read from.
 */
import { parseJson } from "../json-fields.ts"

interface Piece {
  readonly text: string
  /** What fills the gap before it. */
  readonly gap: "words" | "string" | "number"
}

export interface FrameMould {
  readonly lead: string
  /** In order; the last one is without its closing brace, before which there may be spaces. */
  readonly pieces: readonly Piece[]
}

/** The mould of a frame that said these words; `varying` names fields whose value may change. */
export function mouldOf(frame: string, words: string, varying: readonly string[]): FrameMould | null {
  const quoted = `"${words}"`
  const at = frame.indexOf(quoted)
  if (at < 0 || frame.includes("\\") || frame.includes(quoted, at + 1) || !frame.endsWith("}")) return null
  const gaps: Gap[] = [{ from: at + 1, to: at + 1 + words.length, gap: "words" }]
  for (const name of varying) {
    const gap = gapOf(frame, name)
    if (gap !== null) gaps.push(gap)
  }
  gaps.sort((a, b) => a.from - b.from)
  const end = frame.slice(0, -1).trimEnd().length
  return {
    lead: flat(frame.slice(0, gaps[0]?.from)),
    pieces: gaps.map(({ to, gap }, i) => ({ gap, text: flat(frame.slice(to, gaps[i + 1]?.from ?? end)) })),
  }
}

/** The words of a frame that fits, or null. */
export function cutWords(frame: string, { lead, pieces }: FrameMould): string | null {
  // A slice that is compared costs far less than `startsWith`.
  if (frame.slice(0, lead.length) !== lead) return null
  let at = lead.length
  let words = ""
  for (const { text, gap } of pieces) {
    const end = gap === "number" ? digitsEnd(frame, at) : frame.indexOf('"', at)
    if (end < at || frame.slice(end, end + text.length) !== text) return null
    if (gap !== "number") {
      const inside = frame.slice(at, end)
      if (special.test(inside)) {
        const meant = gap === "words" ? unescape(inside) : null
        if (meant === null) return null
        words = meant
      } else if (gap === "words") words = inside
    }
    at = end + text.length
  }
  while (frame.charCodeAt(at) === space) at += 1
  return at === frame.length - 1 && frame.charCodeAt(at) === closingBrace ? words : null
}

const space = 0x20
const closingBrace = 0x7d
/** What cannot stand in a string as it is. */
// oxlint-disable-next-line no-control-regex
const special = /[\\\u0000-\u001f]/

interface Gap {
  readonly from: number
  readonly to: number
  readonly gap: Piece["gap"]
}

/** Where the value of a field stands, if it is a string or a whole number. */
function gapOf(frame: string, name: string): Gap | null {
  const key = `"${name}":`
  let from = frame.indexOf(key) + key.length
  if (from < key.length) return null
  while (frame.charCodeAt(from) === space) from += 1
  if (frame[from] === '"') return { from: from + 1, to: frame.indexOf('"', from + 1), gap: "string" }
  const to = digitsEnd(frame, from)
  return to < from ? null : { from, to, gap: "number" }
}

const zero = 0x30
const nine = 0x39

/** Where a whole number ends; -1 if none stands here. */
function digitsEnd(frame: string, from: number): number {
  let at = from
  for (let unit = frame.charCodeAt(at); unit >= zero && unit <= nine; unit = frame.charCodeAt(at)) at += 1
  return at === from || (at > from + 1 && frame.charCodeAt(from) === zero) ? -1 : at
}

/** Null where the string may go on behind an escaped quote, or is none. */
const unescape = (inside: string): string | null =>
  inside.endsWith("\\") ? null : (parseJson(`"${inside}"`) as string | null)

/** A text of its own: a slice would keep the whole piece of the stream and is slower to compare. */
const flat = (text: string): string => Buffer.from(text).toString()
