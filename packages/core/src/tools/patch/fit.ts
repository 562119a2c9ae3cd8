/**
 * Fit: where the hunks of an update stand in a file, and the file after them.
 *
 * Hunks follow one another downwards. Lines are compared as they are, then without blanks at their
 * ends, then by their common indentation, then with plain quotes for typographic ones; the first of
 * these that finds a place decides, and more than one place is refused unless a line above narrows it.
 * Lines that stay are the file's own. Line ends and the end of the last line are kept.
 */
import { commonIndent, dedented, isBlankLine, reindented } from "../edit/indentation.ts"
import { type Difference, plainQuotes } from "../edit/match.ts"
import type { FileText } from "../file/file-text.ts"
import type { Hunk } from "./parse.ts"

export type Fit =
  | { readonly kind: "fits"; readonly text: string; readonly forgiven: readonly Difference[] }
  | {
      readonly kind: "misfit"
      readonly hunk: Hunk
      readonly problem: string
      readonly wanted: readonly string[]
    }

export function fitHunks({ text, lineEnd }: FileText, hunks: readonly Hunk[]): Fit {
  const ended = text.endsWith("\n")
  const lines = text === "" ? [] : text.split("\n").slice(0, ended ? -1 : undefined)
  const plain = lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
  const result: string[] = []
  const forgiven = new Set<Difference>()
  const added = lineEnd === "\r\n" ? "\r" : ""
  let done = 0
  for (const hunk of hunks) {
    const from = skipAbove(plain, hunk, done)
    if (from === null) return misfit(hunk, "the line behind @@ is not in the file", hunk.above)
    const place = placeOf(plain, hunk, from)
    if (typeof place === "string") return misfit(hunk, place, wantedLines(hunk))
    result.push(...lines.slice(done, place.start), ...changed(lines, hunk, place, added))
    done = place.start + wantedLines(hunk).length
    if (place.forgiven !== null) forgiven.add(place.forgiven)
  }
  const whole = [...result, ...lines.slice(done)].join("\n")
  const isEnded = ended || lines.length === 0
  return { kind: "fits", text: isEnded && whole !== "" ? `${whole}\n` : whole, forgiven: [...forgiven] }
}

const misfit = (hunk: Hunk, problem: string, wanted: readonly string[]): Fit => ({
  kind: "misfit",
  hunk,
  problem,
  wanted,
})

const wantedLines = ({ lines }: Hunk): readonly string[] =>
  lines.flatMap(({ kind, text }) => (kind === "come" ? [] : [text]))

/** Behind the lines that the hunk names above itself; null if one of them is not there. */
function skipAbove(lines: readonly string[], { above }: Hunk, from: number): number | null {
  let at = from
  for (const wanted of above) {
    const exact = lines.indexOf(wanted, at)
    const found =
      exact === -1 ? lines.findIndex((line, index) => index >= at && line.trim() === wanted.trim()) : exact
    if (found === -1) return null
    at = found + 1
  }
  return at
}

interface HunkPlace {
  readonly start: number
  readonly forgiven: Difference | null
  /** What to take from the beginning of lines that come, and what to put there. */
  readonly indent: { readonly from: string; readonly to: string } | null
}

/** The place, or why there is none. */
function placeOf(lines: readonly string[], hunk: Hunk, from: number): HunkPlace | string {
  const wanted = wantedLines(hunk)
  if (wanted.length === 0)
    return { start: hunk.above.length > 0 && !hunk.atEnd ? from : lines.length, forgiven: null, indent: null }
  for (const { forgiven, form } of forms) {
    const target = form(wanted)
    const starts = startsOf(lines, target, form, from).filter(
      (start) => !hunk.atEnd || start + wanted.length === lines.length,
    )
    const [start] = starts
    if (start === undefined) continue
    if (starts.length > 1 && hunk.above.length === 0) {
      const numbers = starts.slice(0, 5).map((at) => at + 1)
      return `it fits in ${starts.length} places, at lines ${numbers.join(", ")}; give more lines around the change or a line above it behind @@`
    }
    const window = lines.slice(start, start + wanted.length)
    const indent = forgiven === "indentation" || forgiven === "typographic quotes"
    return {
      start,
      forgiven,
      indent: indent ? { from: commonIndent(wanted), to: commonIndent(window) } : null,
    }
  }
  return "these lines are not in the file, or not below those of the hunk before"
}

type Form = (lines: readonly string[]) => readonly string[]

const trimmed: Form = (lines) => lines.map((line) => line.trimEnd())
const shifted: Form = (lines) => dedented(trimmed(lines), commonIndent(lines))

const forms: readonly { readonly forgiven: Difference | null; readonly form: Form }[] = [
  { forgiven: null, form: (lines) => lines },
  { forgiven: "trailing blanks", form: trimmed },
  { forgiven: "indentation", form: shifted },
  { forgiven: "typographic quotes", form: (lines) => shifted(lines).map(plainQuotes) },
]

function startsOf(
  lines: readonly string[],
  target: readonly string[],
  form: Form,
  from: number,
): readonly number[] {
  const starts: number[] = []
  const first = plainQuotes((target.find((line) => !isBlankLine(line)) ?? "").trim())
  const at = target.findIndex((line) => !isBlankLine(line))
  for (let start = from; start + target.length <= lines.length; start += 1) {
    if (at !== -1 && plainQuotes(lines[start + at]?.trim() ?? "") !== first) continue
    const window = form(lines.slice(start, start + target.length))
    if (window.every((line, index) => line === target[index])) starts.push(start)
  }
  return starts
}

/** The lines of the place after the hunk, with their line ends. */
function changed(
  lines: readonly string[],
  { lines: hunk }: Hunk,
  place: HunkPlace,
  added: string,
): readonly string[] {
  const { indent } = place
  let at = place.start
  return hunk.flatMap(({ kind, text }) => {
    if (kind === "come") return [(indent === null ? text : reindented(text, indent.from, indent.to)) + added]
    at += 1
    return kind === "kept" ? [lines[at - 1] ?? ""] : []
  })
}
