/**
 * Terminal: where the command reads, writes and is told to stop.
 *
 * Commands get it as an argument and touch `process` nowhere else. Colours are for people: only on
 * a terminal, and never where NO_COLOR is set.
 */
import { createInterface } from "node:readline"
import { buffer } from "node:stream/consumers"
import { styleText } from "node:util"
import { exitCode } from "./outcome/exit-code.ts"
import { type Pieces, showPaged } from "./pager.ts"
import { wrapFor } from "./text-width.ts"

export interface Terminal {
  /** To standard output. */
  readonly write: (text: string) => void
  /** Moves the cursor or clears: sequences of ours, never anybody's text. */
  readonly draw: (sequence: string) => void
  readonly writeBytes: (bytes: Uint8Array) => void
  /** Standard output is read by a person, not by a file or a program. */
  readonly interactive: boolean
  /** A line to standard error. */
  readonly complain: (line: string) => void
  readonly paint: (style: Style, text: string) => string
  readonly columns: number
  readonly rows: number
  /** A long text to standard output: on a terminal through the person's pager. */
  readonly page: (pieces: Pieces) => Promise<void>
  /** Empty if it is not there any more. */
  readonly directory: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** All of standard input. */
  readonly readInput: () => Promise<Uint8Array>
  /** One line that a person types after the question; null where nobody can be asked, or the signal came first. */
  readonly ask: (question: string, signal?: AbortSignal) => Promise<string | null>
  /** The call of a Session in whose process tree this command runs, or null (PE5). */
  readonly callAbove: () => Promise<string | null>
  /** A person types here. */
  readonly typed: boolean
  /** Every key as it is typed, Ctrl-C too, and each change of the size; returns the way back. Nothing where nobody types. */
  readonly readKeys: (listener: (bytes: Uint8Array) => void, resized: () => void) => () => void
  /** Calls back on Ctrl-C and on a request to end; returns the way to unregister. */
  readonly onStop: (listener: () => void) => () => void
  /** Ends the process at once. */
  readonly exit: (code: number) => never
}

export type Style = "bold" | "dim" | "green" | "red" | "yellow" | "cyan"

const columnsDefault = 100
const rowsDefault = 24

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process
  const colours = stdout.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb"
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // The reader has left, as in `holdfast sessions | head`: there is nobody to tell.
      if (error.code === "EPIPE") process.exit(exitCode.readerGone)
      if (stream === stdout)
        stderr.write(`holdfast: The output cannot be written (${error.code}). Check where it goes.\n`)
      process.exit(exitCode.failed) // what was acknowledged is stored all the same
    })
  }
  return {
    write: (piece) => void stdout.write(piece),
    draw: (sequence) => void stdout.write(sequence),
    writeBytes: (bytes) => void stdout.write(bytes),
    interactive: stdout.isTTY === true,
    complain: (line) => {
      const { isTTY: interactive = false, columns } = stderr
      stderr.write(`${wrapFor({ interactive, columns: columns || columnsDefault }, line)}\n`)
    },
    paint: (style, piece) => (colours ? styleText(style, piece, { validateStream: false }) : piece),
    // Looked at anew each time: a window can be made wider while a run goes on. One that nobody sized says 0.
    get columns() {
      return stdout.columns || columnsDefault
    },
    get rows() {
      return stdout.rows || rowsDefault
    },
    page: (pieces) => showPaged(pieces, stdout, env),
    directory: currentDirectory(),
    environment: env,
    readInput: () => buffer(process.stdin),
    ask: askLine,
    callAbove: async () => (await import("@holdfast/sdk")).callOfProcess(process.pid),
    typed: process.stdin.isTTY === true && stdout.isTTY === true,
    readKeys,
    onStop: (listener) => {
      process.on("SIGINT", listener)
      process.on("SIGTERM", listener)
      return () => {
        process.removeListener("SIGINT", listener)
        process.removeListener("SIGTERM", listener)
      }
    },
    exit: (code) => process.exit(code),
  }
}

function currentDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return "" // somebody has removed it: nothing else keeps a process from knowing where it is
  }
}

function readKeys(listener: (bytes: Uint8Array) => void, resized: () => void): () => void {
  const { stdin, stdout } = process
  if (stdin.isTTY !== true || stdout.isTTY !== true) return () => {}
  stdin.setRawMode(true)
  stdin.on("data", listener).resume()
  stdout.on("resize", resized)
  return () => {
    stdin.setRawMode(false)
    stdin.removeListener("data", listener).pause()
    stdout.removeListener("resize", resized)
  }
}

/** On standard error, so that standard output stays what it is asked for. */
async function askLine(question: string, signal?: AbortSignal): Promise<string | null> {
  const { stdin, stderr } = process
  if (stdin.isTTY !== true || stderr.isTTY !== true) return null
  stderr.write(question)
  // Not as a terminal of its own: Ctrl-C ends the command as it always does.
  using lines = createInterface({ input: stdin, terminal: false, ...(signal && { signal }) })
  for await (const line of lines) return line
  stderr.write("\n")
  return signal?.aborted === true ? null : ""
}

/**
 * The same terminal for texts of whomever: nothing that reaches a person through it moves a cursor,
 * turns a line around or speaks to the terminal itself. Whoever shows a stranger's text makes it
 * `printable` first; this holds where somebody forgot, and of JSON it leaves the same values.
 */
export function guardTerminal(terminal: Terminal): Terminal {
  const shown = terminal.interactive ? writtenOut : (text: string) => text
  return Object.create(terminal, {
    write: { value: (text: string) => terminal.write(shown(text)) },
    complain: { value: (line: string) => terminal.complain(writtenOut(line)) },
    page: { value: (pieces: Pieces) => terminal.page(each(pieces, shown)) },
    ask: {
      value: (question: string, signal?: AbortSignal) => terminal.ask(writtenOut(question), signal),
    },
  }) as Terminal
}

async function* each(pieces: Pieces, change: (text: string) => string): AsyncGenerator<string> {
  for await (const piece of pieces) yield change(piece)
}

/** The colours of `paint`, ends of lines, and whatever else a terminal would obey or hide. */
const obeyed =
  // oxlint-disable-next-line no-control-regex
  /(\u001b\[(?:1|2|22|3[1236]|39)m|\r\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu

const writtenOut = (text: string): string =>
  text.replaceAll(obeyed, (found, ours?: string) => ours ?? codeUnits(found))

/** As JSON writes them. */
const codeUnits = (text: string): string =>
  text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/**
 * Text from a model, a file or a command, safe to show: control characters could move the cursor
 * or forge what a person reads, as those do that turn the direction of reading. Line breaks and tabs stay.
 */
export function printable(piece: string): string {
  return piece.replaceAll(unseen, "")
}

const unseen =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu
