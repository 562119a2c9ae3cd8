/**
 * A reader of a terminal (PT1): its output from a cursor on, and as it comes.
 *
 *   fresh ─ cursor is kept ──────▶ reading ─ program ended, all read ─▶ `exit`, the end
 *         ─ it is not, or none ──▶ screen ─▶ reading ─ behind the buffer ─▶ `cut-off`, the end
 *
 * What it has not read waits in the buffer of the terminal and nowhere else. So a slow reader neither
 * holds the terminal back nor costs memory; it is cut off once the buffer has moved past it, and may
 * attach again. There is one `next` at a time.
 */
import type { PtyItem } from "@holdfast/schema/pty/item"
import type { SerialisedScreen, TerminalSize } from "./messages.ts"
import type { Terminal } from "./terminal.ts"

export interface Attachment {
  /** Up to where it has read; null until its screen is read. */
  readonly cursor: number | null
  /** The next item; `quiet` if there was none for that long; null at the end. */
  readonly next: (waitMs: number) => Promise<PtyItem | "quiet" | null>
  /** Ends it at once, also a `next` that waits. */
  readonly leave: () => void
}

/** Bytes of one item, at most. */
const itemBytesMax = 65_536

type ReadScreen = () => Promise<SerialisedScreen>

/** Without a cursor it begins with the screen. */
export function attachTo(terminal: Terminal, from: number | null, readScreen: ReadScreen): Attachment {
  const { output } = terminal
  const isKept = from !== null && from >= output.start && from <= output.end
  let cursor: number | null = isKept ? from : null
  let told: TerminalSize = terminal.size
  let isOver = false
  let wake = () => {}

  const leave = () => {
    isOver = true
    wake()
  }
  const finish = (item: PtyItem): PtyItem => {
    leave()
    return item
  }
  const begin = async (): Promise<PtyItem> => {
    const { text, ...screen } = await readScreen()
    cursor = screen.cursor
    told = { columns: screen.columns, rows: screen.rows }
    return { type: "screen", ...screen, data: Buffer.from(text) }
  }
  /** What there is now, or null where it has to be waited for. */
  const ready = (at: number): PtyItem | null => {
    if (at < output.start) return finish({ type: "cut-off", cursor: at, reason: behind })
    if (!isSame(told, terminal.size)) {
      told = terminal.size
      return { type: "resized", columns: told.columns, rows: told.rows }
    }
    if (at < output.end) {
      const data = output.read(at, itemBytesMax)
      cursor = at + data.length
      return { type: "output", cursor, data }
    }
    return terminal.exit === null ? null : finish({ type: "exit", cursor: at, ...terminal.exit })
  }
  /** It watches only while it waits, so that one that is never read leaves nothing behind. */
  const changed = (waitMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (isChanged: boolean) => {
        clearTimeout(timer)
        unwatch()
        resolve(isChanged)
      }
      // Whoever only waits keeps no process alive; the terminal does.
      const timer = setTimeout(settle, waitMs, false).unref()
      const unwatch = terminal.watch(() => wake())
      wake = () => settle(true)
    })

  return {
    get cursor() {
      return cursor
    },
    leave,
    next: async (waitMs) => {
      for (;;) {
        if (isOver) return null
        if (cursor === null) return begin()
        const item = ready(cursor)
        if (item !== null) return item
        if (!(await changed(waitMs))) return "quiet"
      }
    },
  }
}

const isSame = (a: TerminalSize, b: TerminalSize): boolean => a.columns === b.columns && a.rows === b.rows

const behind = {
  code: "reader_behind",
  message: "The reader fell behind all output that is kept. Attach again: it begins with the screen.",
}
