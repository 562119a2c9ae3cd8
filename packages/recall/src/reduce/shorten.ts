/**
 * Text compression: what old answers said, in fewer words (TG5).
 *
 * An option, for Sessions whose model cannot drop anything itself. A break gives each long answer a depth by
 * its age: of those in the window the oldest fifth has the deepest, the newest two fifths stay whole. A depth
 * only grows, and every depth is made from the text as it was said. An answer bears its number, by which
 * `context_expand` shows all of it; what users say is never shortened.
 *
 *   1  words that fill, and praise
 *   2  articles, forms of "to be", and what announces what comes next
 *   3  pronouns, auxiliaries and "of"
 *
 * Only whole words of a list are ever left out, so that names, paths, addresses, hashes, numbers and negations
 * stay. Lines of code, tables, quotations and what stands in quotes or backticks stay whole.
 */
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { AssistantMessage, Message } from "@holdfast/schema/message"
import type { HistoryView } from "../render.ts"

/** An answer with less text than this stays as it is. */
const unitsMin = 500
const depthMax = 3

/** For each answer that is due: its new depth, where that changes what is read. */
export function planShortening({ messages, frozen }: HistoryView): readonly PassOp[] {
  const input = messages.findLast(({ kind }) => kind === "user")?.seq ?? 0
  const long = messages.filter(isLong)
  return long.flatMap((message, at): PassOp[] => {
    const depth = depthAt(at, long.length)
    const before = frozen.depths.get(message.id) ?? 0
    const due = message.seq < input && depth > before && reads(message, depth) !== reads(message, before)
    return due ? [{ op: "shorten", message: message.id, depth }] : []
  })
}

/** Of so many answers, from the oldest: a fifth for each depth, and two fifths that stay whole. */
export const depthAt = (index: number, count: number): number =>
  Math.max(0, depthMax + 1 - Math.ceil((5 * (index + 1)) / count))

/** What a hosted tool did is bound to what was said around it (LL8). */
const isLong = (message: Message): message is AssistantMessage =>
  message.kind === "assistant" &&
  message.quarantined === undefined &&
  unitsOf(message.parts.map(textOf)) >= unitsMin &&
  !message.parts.some(({ part }) => part.type === "hosted")

const textOf = ({ part }: AssistantMessage["parts"][number]): string =>
  part.type === "text" ? part.text : ""

const unitsOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

const reads = (message: AssistantMessage, depth: number): string =>
  (shortTexts(message, depth) ?? message.parts.map(textOf)).join("\n")

interface Shortened {
  readonly depth: number
  readonly texts: readonly string[] | null
}

const known = new WeakMap<AssistantMessage, Shortened>()

/** The text of each part, the first with the number of the message; null where that spares nothing. */
export function shortTexts(message: AssistantMessage, depth: number): readonly string[] | null {
  if (depth <= 0) return null
  const cached = known.get(message)
  if (cached?.depth === depth) return cached.texts
  const whole = message.parts.map(textOf)
  const mark = `[shortened #${message.seq}] `
  const first = whole.findIndex((text) => text.trim() !== "")
  const short = whole.map((text, at) => (at === first ? mark : "") + inFewerWords(text, depth))
  const texts = unitsOf(short) < unitsOf(whole) ? short : null
  known.set(message, { depth, texts })
  return texts
}

/** A text at a depth; the very text where that leaves nothing out. */
export function inFewerWords(text: string, depth: number): string {
  const words = fillers[Math.min(depth, depthMax) - 1]
  if (words === undefined) return text
  let fence: string | null = null
  let quoted = false
  const lines = text.split("\n").map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? null
    if (fence !== null || mark !== null) {
      if (fence === null) fence = mark
      else if (mark?.startsWith(fence) === true) fence = null
      return line
    }
    // A quotation may go on over lines; the end of a paragraph ends it.
    const opens = /^[^"]*"(?:[^"]*"[^"]*")*[^"]*$/.test(line)
    const whole = quoted || opens || isKept(line)
    quoted = line.trim() !== "" && quoted !== opens
    return whole ? line : shortLine(line, words)
  })
  return lines.join("\n")
}

/** Code by its indent, a row of a table, a quotation, the user's words, and what a backtick leaves open. */
const isKept = (line: string): boolean => /^(?: {4}|\t|\s*[|>]|U: )|^[^`]*`(?:[^`]*`[^`]*`)*[^`]*$/.test(line)

const spans = /(`+[^`]*`+|"[^"]*"|“[^”]*”|«[^»]*»|(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}]))/u

/** A word that touches what is quoted belongs to it: a piece behind one begins with a letter for it. */
const shortLine = (line: string, words: RegExp): string =>
  line
    .split(spans)
    .map((piece, at) =>
      at % 2 === 1 ? piece : at === 0 ? without(piece, words) : without(`x${piece}`, words).slice(1),
    )
    .join("")

const without = (piece: string, words: RegExp): string => piece.replace(words, "")

/** Left out where it stands between spaces, with the comma that it bears; in capitals it may be a name. */
const listed = (words: string): readonly string[] =>
  words.split(" ").map((word) => `[${word[0]?.toUpperCase()}${word[0]}]${word.slice(1).replaceAll("_", " ")}`)

/** What stays says whether something is, was or will be done, and whether it is certain. */
const [filling, announcing, referring] = [
  [
    ...listed(
      "just really basically actually simply very quite essentially certainly definitely obviously clearly",
    ),
    ...listed("of_course please as_you_can_see it_is_worth_noting_that note_that in_order(?=_to)"),
    "(?:Great|Perfect|Excellent|Awesome|Absolutely|Sure|Good)[!.,]",
  ],
  [
    ...listed("the an a(?=_[a-z]{3})(?!_(?:and|are)_) is are now so then here"),
    ...listed("let_me let's i'll i'm i've there_is there_are"),
  ],
  [
    ...listed("it its it's this that these those which we you they their your our my of been being"),
    ...listed("has(?!_to_) have(?!_to_) does did also"),
    "(?<=^|[a-z.,;:!?] )I",
  ],
]
const between = (...groups: readonly (readonly string[])[]): RegExp =>
  new RegExp(`(?<=^|\\s)(?:${groups.flat().join("|")}),? +`, "g")

const fillers: readonly RegExp[] = [
  between(filling),
  between(filling, announcing),
  between(filling, announcing, referring),
]
