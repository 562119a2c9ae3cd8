/**
 * The status area: lines below the transcript that are drawn over and over, on a terminal only.
 *
 *   write ─▶ erase the area ─▶ the text ─▶ draw the area again, if the text ended its line
 *
 * While a line of the answer is half written there is no area: the text itself shows that something
 * happens.
 */
import type { Terminal } from "../terminal.ts"

export interface StatusArea {
  /** The terminal, for whoever writes above the area. */
  readonly terminal: Terminal
  /** Draws these lines in place of those before. */
  readonly show: (lines: readonly string[]) => void
}

export function makeStatusArea(terminal: Terminal): StatusArea {
  let drawn = 0
  let wanted: readonly string[] = []
  let atLineStart = true
  const erase = () => {
    if (drawn > 0) terminal.draw(`\u001b[${drawn}A\r\u001b[J`)
    drawn = 0
  }
  const draw = () => {
    if (!atLineStart || wanted.length === 0) return
    terminal.write(wanted.map((line) => `${terminal.paint("dim", line)}\n`).join(""))
    drawn = wanted.length
  }
  return {
    terminal: Object.create(terminal, {
      write: {
        value: (text: string) => {
          if (text === "") return
          erase()
          terminal.write(text)
          atLineStart = text.endsWith("\n")
          draw()
        },
      },
      complain: {
        value: (line: string) => {
          erase()
          if (!atLineStart) terminal.write("\n")
          atLineStart = true
          terminal.complain(line)
          draw()
        },
      },
    }) as Terminal,
    show: (lines) => {
      if (lines.length === 0 && drawn === 0) {
        wanted = lines
        return
      }
      erase()
      wanted = lines
      draw()
    },
  }
}
