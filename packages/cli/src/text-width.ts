/** How many columns a text takes on a terminal, and texts cut or filled to a number of them. */

/** East Asian wide and emoji take two columns, marks that sit on the letter before them none. */
const wide =
  /^(?:\p{Emoji_Presentation}|.\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}])/u
const unseen = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" })

export function columnsOf(text: string): number {
  let columns = 0
  for (const { segment } of segmenter.segment(text)) columns += graphemeColumns(segment)
  return columns
}

/** One line of at most so many columns; what does not fit ends in `…`. */
export function fit(text: string, columnsMax: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  if (columnsOf(line) <= columnsMax) return line
  let cut = ""
  let columns = 0
  for (const { segment } of segmenter.segment(line)) {
    columns += graphemeColumns(segment)
    if (columns > columnsMax - 1) break
    cut += segment
  }
  return columnsMax < 1 ? "" : `${cut.trimEnd()}…`
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
