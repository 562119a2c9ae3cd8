/**
 * Documents of the project in the History Baseline (HB2): what they said when it was made. They come first, since they
 * change least; an edit shows with the next Fold and causes none (PS6). They share the room of the history, so that no
 * document, however long, can fill a window.
 */
import { tokensOf } from "./historian/words.ts"

/** As it was read: its name below the root of the project, with line ends of one kind. */
export interface ProjectDoc {
  readonly name: string
  readonly text: string
}

/** Of what the history may take. */
const docsShare = 0.4

export const docsBudget = (historyTokens: number): number =>
  Math.max(0, Math.floor(historyTokens * docsShare))

/** All of them where they fit; else each has its share, and ends where that does, at the end of a line. */
export function docsText(docs: readonly ProjectDoc[], budgetTokens: number): string {
  const said = docs.filter(({ text }) => text !== "")
  if (said.length === 0) return ""
  let left = budgetTokens - tokensOf(head)
  const parts = said.flatMap(({ name, text }, at) => {
    const part = within(name, text, Math.floor(left / (said.length - at)))
    left -= part === null ? 0 : tokensOf(part) + 1
    return part === null ? [] : [part]
  })
  return parts.length === 0 ? "" : [head, ...parts].join("\n")
}

const head =
  "Documents of this project, as they were when this history was stated; the files say what holds now."

function within(name: string, text: string, tokensMax: number): string | null {
  const whole = `<document name=${JSON.stringify(name)}>\n${text}\n</document>`
  if (tokensOf(whole) <= tokensMax) return whole
  const lines: string[] = []
  const note = `[the rest of ${name} is not shown; read the file for it]\n</document>`
  let left = tokensMax - tokensOf(`<document name=${JSON.stringify(name)}>\n${note}`) - 1
  for (const line of text.split("\n")) {
    left -= tokensOf(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return lines.every((line) => line.trim() === "")
    ? null
    : [`<document name=${JSON.stringify(name)}>`, ...lines, note].join("\n")
}
