/**
 * Where a message holds code, a log or a table that nobody put between fences: runs of lines that look like it, with the
 * comments and the odd lines among them. What stands there is nobody's own words, however much a comment sounds like a rule.
 */
import { isPasted } from "./standing.ts"

export interface Passage {
  readonly text: string
  readonly pasted: boolean
}

/** A single such line may be a sentence that names code. */
const linesMin = 3
/** An odd line belongs to what stands around it where two of so many lines before and behind it look like code. */
const around = 3

export function passagesOf(text: string): readonly Passage[] {
  const lines = text.split("\n")
  const marked = markedIn(lines)
  const passages: { lines: string[]; pasted: boolean }[] = []
  for (const [at, line] of lines.entries()) {
    const last = passages.at(-1)
    const pasted = line.trim() === "" ? (last?.pasted ?? false) : marked[at] === true
    if (last?.pasted === pasted) last.lines.push(line)
    else passages.push({ lines: [line], pasted })
  }
  return passages.map(({ lines: own, pasted }) => ({ text: own.join("\n"), pasted }))
}

function markedIn(lines: readonly string[]): readonly boolean[] {
  const marked = lines.map(() => false)
  const spoken = lines.flatMap((line, at) => (line.trim() === "" ? [] : [at]))
  const code = codeIn(spoken.map((at) => lines[at] ?? ""))
  const filled = code.map((is, n) => {
    const near = (from: number) =>
      code.slice(Math.max(0, from), Math.max(0, from + around)).filter(Boolean).length
    return is || (near(n - around) >= 2 && near(n + 1) >= 2)
  })
  for (let from = 0; from < filled.length;) {
    let to = from
    while (filled[to] === true) to += 1
    if (to - from >= linesMin) for (const at of spoken.slice(from, to)) marked[at] = true
    from = to + 1
  }
  return marked
}

/** Each line that looks like it by itself, or stands in a comment of several lines. */
function codeIn(lines: readonly string[]): readonly boolean[] {
  let commented = false
  return lines.map((line) => {
    const inside = commented
    const opened = line.lastIndexOf("/*")
    const closed = line.lastIndexOf("*/")
    if (opened > closed) commented = true
    else if (closed >= 0) commented = false
    return inside || isPasted(line.trim())
  })
}
