/**
 * A terminal as the runtime knows it: what it is, its newest output, and whether it has ended.
 *
 *   running ─ exited ─▶ over   (output, title and size do not change any more)
 */
import type { Pty, PtyExit } from "@holdfast/schema/pty/pty"
import type { PtyId } from "@holdfast/schema/id"
import type { SerialisedScreen, TerminalSize, TreeRoot } from "./messages.ts"
import { OutputBuffer } from "./output-buffer.ts"

/** Output that is kept for readers that come late or come back. */
const bufferBytesMax = 2_097_152

const titleLengthMax = 200

export interface NewTerminal extends TerminalSize {
  readonly id: PtyId
  /** Order among the terminals of a runtime. */
  readonly seq: number
  readonly argv: readonly string[]
  readonly directory: string
  /** Null leaves it to the program. */
  readonly title: string | null
}

export class Terminal {
  readonly id: PtyId
  readonly seq: number
  readonly root: TreeRoot
  readonly output: OutputBuffer
  readonly #made: NewTerminal
  readonly #watchers = new Set<() => void>()
  #size: TerminalSize
  #inputBytes = 0
  #programTitle: string | null = null
  #exit: PtyExit | null = null
  #lastScreen: SerialisedScreen | null = null

  constructor(made: NewTerminal, root: TreeRoot, bytesMax = bufferBytesMax) {
    this.#made = made
    this.id = made.id
    this.seq = made.seq
    this.root = root
    this.#size = { columns: made.columns, rows: made.rows }
    this.output = new OutputBuffer(bytesMax)
  }

  get size(): TerminalSize {
    return this.#size
  }

  get exit(): PtyExit | null {
    return this.#exit
  }

  /** Input that the program has not been given yet. */
  get inputBytes(): number {
    return this.#inputBytes
  }

  /** What stood there at the end; null while it runs, and where the holder of terminals died. */
  get lastScreen(): SerialisedScreen | null {
    return this.#lastScreen
  }

  describe(): Pty {
    const { argv, directory, title } = this.#made
    return {
      id: this.id,
      title: title ?? this.#programTitle ?? lineOf(argv.join(" ")),
      argv,
      directory,
      ...this.#size,
      cursor: this.output.end,
      exit: this.#exit,
    }
  }

  put(bytes: Uint8Array): void {
    this.output.append(bytes)
    this.#tell()
  }

  /** So much input is on its way. */
  give(count: number): void {
    this.#inputBytes += count
  }

  /** So much of it has arrived. */
  took(count: number): void {
    this.#inputBytes = Math.max(0, this.#inputBytes - count)
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#size = { columns, rows }
    this.#tell()
  }

  entitle(title: string): void {
    this.#programTitle = lineOf(title) || null
  }

  finish(exit: PtyExit, lastScreen: SerialisedScreen | null): void {
    if (this.#exit !== null) return
    this.#exit = exit
    this.#lastScreen = lastScreen
    this.#inputBytes = 0
    this.#tell()
  }

  /** Tells of every change, until the answer is called. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  #tell(): void {
    for (const changed of this.#watchers) changed()
  }
}

/** What programs call themselves is their own word; it becomes a line, and not a long one. */
const lineOf = (text: string): string => text.replaceAll(/\p{C}/gu, " ").trim().slice(0, titleLengthMax)
