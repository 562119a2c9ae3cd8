/** How many columns a text takes on a terminal, and texts cut or filled to a number of them. */

/** East Asian wide and emoji take two columns, marks that sit on the letter before them none. */
const wide =
  /^(?:\p{Emoji_Presentation}|.\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}])/u
const unseen = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[[0-9;]*m/g
/** Most lines are plain, and a command that shows no other need not load the segmenter. */
const plain = /^[\u0020-\u007e]*$/
let segmenter: Intl.Segmenter | null = null
const segmentsOf = (text: string) =>
  (segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" })).segment(text)

/** Colours take no room. */
export function columnsOf(text: string): number {
  const bare = text.replaceAll(colours, "")
  if (plain.test(bare)) return bare.length
  let columns = 0
  for (const { segment } of segmentsOf(bare)) columns += graphemeColumns(segment)
  return columns
}

/** One line of at most so many columns; what does not fit ends in `…`. */
export function fit(text: string, columnsMax: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  if (columnsOf(line) <= columnsMax) return line
  let cut = ""
  let columns = 0
  for (const { segment } of segmentsOf(line)) {
    columns += graphemeColumns(segment)
    if (columns > columnsMax - 1) break
    cut += segment
  }
  return columnsMax < 1 ? "" : `${cut.trimEnd()}…`
}

/**
 * Lines of at most so many columns, broken between words; later lines are indented as the first. A
 * word that is wider than a line stays whole, since an id or a path that is cut cannot be pasted.
 */
export function wrap(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, columns))
}

/** The text as it fits a terminal; for a pipe it stays as it is. */
export const wrapFor = (
  { interactive, columns }: { readonly interactive: boolean; readonly columns: number },
  text: string,
): string => (interactive ? wrap(text, columns).join("\n") : text)

function wrapLine(line: string, columns: number): readonly string[] {
  if (columnsOf(line) <= columns) return [line]
  const [, before, command] = /^(.*:) (holdfast .*)$/.exec(line) ?? []
  if (before !== undefined && command !== undefined) {
    // Ends of lines as a shell wants them: a command that is broken can still be pasted.
    const pieces = breakWords(`  ${command}`, columns - continued.length)
    return [
      ...wrapLine(before, columns),
      ...pieces.slice(0, -1).map((each) => each + continued),
      pieces.at(-1) ?? "",
    ]
  }
  return breakWords(line, columns)
}

const continued = " \\"

function breakWords(line: string, columns: number): readonly string[] {
  const indent = /^\s*/.exec(line)?.[0] ?? ""
  const lines: string[] = []
  for (const word of line.slice(indent.length).split(/ +/)) {
    const last = lines.at(-1)
    if (last === undefined || columnsOf(last) + 1 + columnsOf(word) > columns) lines.push(indent + word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** Exactly so many columns, filled with blanks on the right, or on the left. */
export function fill(text: string, columns: number, side: "right" | "left" = "right"): string {
  const fitted = fit(text, columns)
  const blanks = " ".repeat(Math.max(0, columns - columnsOf(fitted)))
  return side === "right" ? fitted + blanks : blanks + fitted
}

function graphemeColumns(grapheme: string): number {
  if (unseen.test(grapheme)) return 0
  return wide.test(grapheme) ? 2 : 1
}
