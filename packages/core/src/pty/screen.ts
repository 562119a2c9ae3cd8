/**
 * What stands on the screen of a terminal, and the text that draws it on a blank one (PT1).
 *
 * xterm keeps the screen and its addon writes most of it out. Three things that a program sets stay
 * set for what it prints later, and are not in that text: whether the text cursor shows, how the
 * mouse is told, and which lines scroll. They are watched here and appended.
 */
import xterm from "@xterm/headless"
import { SerializeAddon } from "@xterm/addon-serialize"
import type { SerialisedScreen, TerminalSize } from "./messages.ts"
import { UnfinishedSequence } from "./unfinished-sequence.ts"

/** Lines above the screen that a reader gets with it. */
const scrollbackLinesMax = 1_000

/** A longer text goes without the lines above the screen. */
const textLengthMax = 1_048_576

const showCursor = 25
const mouseEncodings: ReadonlySet<number> = new Set([1_005, 1_006, 1_015, 1_016])

type Parameters = (number | number[])[]

interface Region {
  readonly top: number
  readonly bottom: number
}

export class Screen {
  readonly #terminal: xterm.Terminal
  readonly #addon = new SerializeAddon()
  readonly #unfinished = new UnfinishedSequence()
  #parsed = 0
  #cursorShows = true
  #mouseEncoding: number | null = null
  readonly #regions = new Map<"normal" | "alternate", Region>()

  constructor({ columns, rows }: TerminalSize, onTitle: (title: string) => void) {
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: scrollbackLinesMax,
      allowProposedApi: true,
    })
    this.#terminal.loadAddon(this.#addon as unknown as xterm.ITerminalAddon)
    this.#terminal.onTitleChange(onTitle)
    this.#watchModes()
  }

  /** Tells when the bytes are on the screen. */
  write(bytes: Uint8Array, onParsed: () => void): void {
    this.#terminal.write(bytes, () => {
      this.#parsed += bytes.length
      this.#unfinished.feed(bytes)
      onParsed()
    })
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#terminal.resize(columns, rows)
    this.#regions.clear()
  }

  /** The screen with everything that was written before. */
  serialise(): Promise<SerialisedScreen> {
    return new Promise((resolve) =>
      this.#terminal.write("", () => {
        const { cols: columns, rows } = this.#terminal
        const cursor = this.#parsed - this.#unfinished.length
        resolve({ cursor, columns, rows, text: this.#text() + this.#modes() })
      }),
    )
  }

  dispose(): void {
    this.#terminal.dispose()
  }

  #text(): string {
    const whole = this.#addon.serialize({ scrollback: scrollbackLinesMax })
    return whole.length <= textLengthMax ? whole : this.#addon.serialize({ scrollback: 0 })
  }

  #modes(): string {
    const { active } = this.#terminal.buffer
    const region = this.#regions.get(active.type)
    const { originMode } = this.#terminal.modes
    const firstRow = originMode ? (region?.top ?? 1) : 1
    return [
      region === undefined ? "" : `\x1b[${region.top};${region.bottom}r`,
      // Both move the text cursor, which goes back to its place.
      region === undefined && !originMode
        ? ""
        : `\x1b[${active.cursorY + 2 - firstRow};${active.cursorX + 1}H`,
      this.#mouseEncoding === null ? "" : `\x1b[?${this.#mouseEncoding}h`,
      this.#cursorShows ? "" : `\x1b[?${showCursor}l`,
    ].join("")
  }

  /** Each handler says false: xterm does its own part too. */
  #watchModes(): void {
    const { parser } = this.#terminal
    const set = (isOn: boolean) => (parameters: Parameters) => {
      for (const mode of parameters) this.#setMode(Number(mode), isOn)
      return false
    }
    const reset = () => {
      this.#cursorShows = true
      this.#mouseEncoding = null
      this.#regions.clear()
      return false
    }
    parser.registerCsiHandler({ prefix: "?", final: "h" }, set(true))
    parser.registerCsiHandler({ prefix: "?", final: "l" }, set(false))
    parser.registerCsiHandler({ final: "r" }, (parameters) => this.#setRegion(parameters))
    parser.registerCsiHandler({ intermediates: "!", final: "p" }, reset)
    parser.registerEscHandler({ final: "c" }, reset)
  }

  #setMode(mode: number, isOn: boolean): void {
    if (mode === showCursor) this.#cursorShows = isOn
    if (mouseEncodings.has(mode)) this.#mouseEncoding = isOn ? mode : null
  }

  #setRegion([first, last]: Parameters): false {
    const { rows, buffer } = this.#terminal
    const top = Math.max(1, Number(first ?? 1))
    const bottom = Math.min(rows, Number(last ?? 0) || rows)
    const isWhole = top === 1 && bottom === rows
    if (isWhole) this.#regions.delete(buffer.active.type)
    else if (top < bottom) this.#regions.set(buffer.active.type, { top, bottom })
    return false
  }
}
