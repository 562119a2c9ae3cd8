/** All that a person could tell two screens apart by, cell by cell. */
import xterm from "@xterm/headless"
import type { TerminalSize } from "../../src/pty/messages.ts"

export function blankTerminal({ columns, rows }: TerminalSize): xterm.Terminal {
  return new xterm.Terminal({ cols: columns, rows, scrollback: 1_000, allowProposedApi: true })
}

export const writeTo = (terminal: xterm.Terminal, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => terminal.write(bytes, resolve))

export function lookAt(terminal: xterm.Terminal) {
  const { active } = terminal.buffer
  return {
    size: [terminal.cols, terminal.rows],
    buffer: active.type,
    place: [active.cursorX, active.cursorY],
    cursorHidden: innerOf(terminal).coreService.isCursorHidden,
    mouse: innerOf(terminal).coreMouseService.activeEncoding,
    modes: { ...modesOf(terminal) },
    lines: Array.from({ length: active.length }, (_, at) => lineOf(active.getLine(at))),
  }
}

export const textOf = (terminal: xterm.Terminal): readonly string[] => {
  const { active } = terminal.buffer
  return Array.from(
    { length: terminal.rows },
    (_, at) => active.getLine(active.baseY + at)?.translateToString(true) ?? "",
  )
}

function lineOf(line: xterm.IBufferLine | undefined) {
  const cells = Array.from({ length: line?.length ?? 0 }, (_, at) => line?.getCell(at)).map((cell) =>
    cell === undefined ? "" : cellOf(cell),
  )
  return cells.join("").trimEnd()
}

/** The 16 colours with names are the first of the 256 with numbers. */
const named = 0x100_0000
const indexed = 0x200_0000
const plainCell = " |0,0,-1,-1,"

function cellOf(cell: xterm.IBufferCell): string {
  const flags = [cell.isBold(), cell.isItalic(), cell.isUnderline(), cell.isInverse(), cell.isDim()]
  const modes = [cell.getFgColorMode(), cell.getBgColorMode()].map((mode) =>
    mode === named ? indexed : mode,
  )
  const colours = [...modes, cell.getFgColor(), cell.getBgColor()]
  const told = `${cell.getChars() || " "}|${colours.join()},${flags.map((flag) => (flag ? 1 : "")).join("")}`
  return told === plainCell ? " " : `${told};`
}

/** What the public interface does not tell. */
interface Inner {
  readonly coreService: { readonly isCursorHidden: boolean }
  readonly coreMouseService: { readonly activeEncoding: string }
}

const innerOf = (terminal: xterm.Terminal): Inner => (terminal as unknown as { readonly _core: Inner })._core

function modesOf(terminal: xterm.Terminal) {
  const { applicationCursorKeysMode, bracketedPasteMode, insertMode, mouseTrackingMode, originMode } =
    terminal.modes
  return { applicationCursorKeysMode, bracketedPasteMode, insertMode, mouseTrackingMode, originMode }
}
