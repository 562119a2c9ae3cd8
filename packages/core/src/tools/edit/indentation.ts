/** Indentation: the blanks that all lines of a text begin with, taken away and put back. */

/** Without the empty line that a final newline would leave. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split("\n")
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines
}

export const isBlankLine = (line: string): boolean => line.trim() === ""

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? ""

/** What every line that is not blank begins with. */
export function commonIndent(lines: readonly string[]): string {
  let common: string | null = null
  for (const line of lines) {
    if (isBlankLine(line)) continue
    const indent = indentOf(line)
    common = common === null ? indent : sharedStart(common, indent)
    if (common === "") return ""
  }
  return common ?? ""
}

function sharedStart(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length += 1
  return a.slice(0, length)
}

export const dedented = (lines: readonly string[], indent: string): readonly string[] =>
  lines.map((line) => (isBlankLine(line) ? "" : line.slice(indent.length)))

/** A text that was written for one indentation, with another. A line that stands further left stays so. */
export function reindented(text: string, from: string, to: string): string {
  const lines = text.split("\n").map((line) => {
    if (isBlankLine(line)) return line
    if (line.startsWith(from)) return to + line.slice(from.length)
    const own = indentOf(line)
    const outwards = Math.max(0, from.length - own.length)
    return to.slice(0, Math.max(0, to.length - outwards)) + line.slice(own.length)
  })
  return lines.join("\n")
}
