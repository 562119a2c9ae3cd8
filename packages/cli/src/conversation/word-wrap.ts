/**
 * Word wrap of a text that comes in pieces: a terminal would break it inside a word.
 *
 * The word at the end of a piece is held back until it is known to be whole. Code in fences keeps
 * its lines, since whoever copies it wants them as they are.
 */
import { columnsOf } from "../text-width.ts"

export interface WordWrap {
  /** What can be shown now. */
  readonly take: (text: string) => string
  /** What was held back; the next piece begins a line. */
  readonly flush: () => string
}

/** Text without spaces, as in Chinese, is not held back for longer than this. */
const heldMax = 40

export function makeWordWrap(columns: () => number): WordWrap {
  let column = 0
  let spaces = ""
  let word = ""
  let fenced = false

  const release = (): string => {
    if (word === "") return ""
    if (column === 0 && spaces === "" && word.startsWith("```")) fenced = !fenced
    const width = columnsOf(word)
    const breaks = !fenced && column > 0 && column + spaces.length + width > columns()
    const shown = breaks ? `\n${word}` : spaces + word
    column = (breaks ? 0 : column + spaces.length) + width
    spaces = ""
    word = ""
    return shown
  }

  return {
    take: (text) => {
      let shown = ""
      for (const [token] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
        if (token === "\n") {
          shown += `${release()}\n`
          column = 0
          spaces = ""
        } else if (token.trim() === "") {
          shown += release()
          spaces += token
        } else {
          word += token
          if (word.length > heldMax) shown += release()
        }
      }
      return shown
    },
    flush: () => {
      const shown = release()
      column = 0
      spaces = ""
      fenced = false
      return shown
    },
  }
}
