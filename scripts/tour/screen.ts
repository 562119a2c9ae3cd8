/**
 * The screen: titled sections in at most 80 columns, words kept whole, colours only for people.
 *
 * Text may come in pieces, as a model streams it. A word is held back until it is known to be
 * complete, so that it never crosses the edge.
 */
import { processTerminal, type Style, type Terminal } from "../../packages/cli/src/terminal.ts"
import { columnsOf } from "../../packages/cli/src/text-width.ts"

export interface Screen {
  readonly columns: number
  readonly paint: Terminal["paint"]
  /** Begins a section. */
  readonly title: (text: string) => void
  /** A line of the tour itself, wrapped. */
  readonly line: (text?: string, style?: Style) => void
  /** What is asked of the agent. */
  readonly prompt: (text: string) => void
  /** A line as it is, however long: a command to copy, a row of a table. */
  readonly row: (text: string) => void
  /** What to notice. */
  readonly notice: (text: string) => void
  /** A step: a mark, what was done, and what came of it. */
  readonly step: (mark: "✓" | "✗" | "·" | "?", what: string, result: string) => void
  /** A piece of streamed text. */
  readonly write: (piece: string) => void
}

const columnsMax = 80
const columnsMin = 40
const indent = "  "
const stepColumns = 16
const markStyles = { "✓": "green", "✗": "red", "·": "yellow", "?": "cyan" } as const

export function makeScreen(
  terminal: Pick<Terminal, "write" | "paint" | "columns"> = processTerminal(),
): Screen {
  const { paint } = terminal
  const columns = Math.max(columnsMin, Math.min(columnsMax, terminal.columns))
  const write = withoutDoubleBlanks(terminal.write)
  const flow = makeFlow(write, columns)
  const line = (text = "", style?: Style, lead = "") => {
    flow.breakLine()
    const room = columns - indent.length - columnsOf(lead)
    for (const [at, part] of wrapped(text, room).entries()) {
      const whole = (at === 0 ? lead : " ".repeat(columnsOf(lead))) + part
      write(`${whole === "" ? "" : indent + (style === undefined ? whole : paint(style, whole))}\n`)
    }
  }
  return {
    columns: columns - indent.length,
    paint,
    line: (text, style) => line(text, style),
    prompt: (text) => line(text, "cyan", "> "),
    row: (text) => {
      flow.breakLine()
      write(`${indent}${text}\n`)
    },
    notice: (text) => line(text, "dim", "↳ "),
    step: (mark, what, result) => line(result, markStyles[mark], `${mark} ${what.padEnd(stepColumns)}`),
    title: (text) => {
      flow.breakLine()
      const rule = "─".repeat(Math.max(0, columns - columnsOf(text) - 4))
      write(`\n${paint("bold", `── ${text}`)} ${paint("dim", rule)}\n\n`)
    },
    write: flow.write,
  }
}

/** Whoever writes may ask for a blank line; two would be one too many. */
function withoutDoubleBlanks(write: (text: string) => void): (text: string) => void {
  let breaks = 2
  return (text) => {
    let kept = ""
    for (const character of text) {
      breaks = character === "\n" ? breaks + 1 : 0
      if (breaks <= 2) kept += character
    }
    write(kept)
  }
}

/** Lines of at most so many columns; a word that is longer stands on a line of its own. */
function wrapped(text: string, room: number): readonly string[] {
  const lines: string[] = []
  for (const paragraph of text.split("\n")) {
    let current = ""
    for (const word of paragraph.split(" ")) {
      const longer = current === "" ? word : `${current} ${word}`
      if (widthOf(longer) <= room || current === "") current = longer
      else {
        lines.push(current)
        current = word
      }
    }
    lines.push(current)
  }
  return lines
}

function makeFlow(write: (text: string) => void, columns: number) {
  let column = 0
  let word = ""
  const endWord = () => {
    const width = widthOf(word)
    if (width === 0) return
    if (column === 0) column = indent.length
    else if (column + 1 + width > columns) {
      write(`\n`)
      column = indent.length
    } else {
      write(" ")
      column++
    }
    write(column === indent.length ? indent + word : word)
    column += width
    word = ""
  }
  const endLine = () => {
    endWord()
    write("\n")
    column = 0
  }
  return {
    write: (piece: string) => {
      for (const character of piece) {
        if (character === "\n") endLine()
        else if (character === " ") endWord()
        else word += character
      }
    },
    breakLine: () => {
      endWord()
      if (column > 0) endLine()
    },
  }
}

/** Colours take no room. */
// oxlint-disable-next-line no-control-regex
const widthOf = (text: string): number => columnsOf(text.replaceAll(/\u001b\[[0-9;]*m/g, ""))
