/**
 * Alike: lines of a file that the old text of a failed edit may have meant. Only for the message:
 * nothing is ever replaced because it is alike.
 */
import { isBlankLine, linesOf } from "./indentation.ts"

export interface NumberedLine {
  readonly number: number
  readonly text: string
}

const shownMax = 12
const linesMax = 100_000
const wordsShareMin = 0.5
const singlesMax = 3

/** The stretch that shares most lines with the text, or else the lines that share most words with its longest one. */
export function alikeLines(file: string, wanted: string): readonly NumberedLine[] {
  const lines = linesOf(file.replaceAll("\r\n", "\n")).slice(0, linesMax)
  const target = linesOf(wanted.replaceAll("\r\n", "\n"))
  const start = sharedStretch(lines, target)
  if (start !== null) {
    const first = Math.max(0, start)
    return numbered(lines.slice(first, first + Math.min(target.length, shownMax)), first)
  }
  return alikeSingles(lines, target)
}

/** Where the text would begin if most of the lines that it shares with the file stood in their places. */
function sharedStretch(lines: readonly string[], target: readonly string[]): number | null {
  const places = new Map<string, number[]>()
  for (const [index, line] of target.entries()) {
    if (isBlankLine(line) || line.trim().length < 3) continue
    places.set(line.trim(), [...(places.get(line.trim()) ?? []), index])
  }
  const votes = new Map<number, number>()
  for (const [index, line] of lines.entries())
    for (const place of places.get(line.trim()) ?? [])
      votes.set(index - place, (votes.get(index - place) ?? 0) + 1)
  let best: number | null = null
  for (const [start, count] of votes) if (best === null || count > (votes.get(best) ?? 0)) best = start
  return best
}

function alikeSingles(lines: readonly string[], target: readonly string[]): readonly NumberedLine[] {
  const longest = target.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), "")
  const words = wordsOf(longest)
  if (words.size === 0) return []
  const scored = lines.flatMap((text, index) => {
    const share = sharedWords(words, wordsOf(text))
    return share >= wordsShareMin ? [{ number: index + 1, text, share }] : []
  })
  const best = scored.sort((a, b) => b.share - a.share || a.number - b.number).slice(0, singlesMax)
  return best.sort((a, b) => a.number - b.number).map(({ number, text }) => ({ number, text }))
}

const wordsOf = (line: string): ReadonlySet<string> => new Set(line.toLowerCase().match(/[\p{L}\p{N}_]+/gu))

/** Of all words of both, how many are in both. */
function sharedWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared += 1
  return shared / (a.size + b.size - shared || 1)
}

const numbered = (lines: readonly string[], first: number): readonly NumberedLine[] =>
  lines.map((text, index) => ({ number: first + index + 1, text }))
