/** A program in a pseudo-terminal of 80×24, and its screen as a person sees it. */
import { spawn } from "@lydell/node-pty"
import xterm from "@xterm/headless"

export interface SeenScreen {
  readonly code: number
  /** The 24 lines that stand there at the end, without blanks on the right. */
  readonly lines: readonly string[]
  /** Every line that was printed, in the same way. */
  readonly all: readonly string[]
  /** Lines that the terminal had to continue on the next one. */
  readonly wrapped: readonly string[]
  /** Colours of the letters on the last screen, without the default one. */
  readonly colours: ReadonlySet<number>
}

const size = { cols: 80, rows: 24 } as const
const linesMax = 5_000

export async function watchProgram(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  /** Ctrl-C is pressed when this has been printed. */
  interruptAt?: string,
): Promise<SeenScreen> {
  const terminal = new xterm.Terminal({ ...size, scrollback: linesMax, allowProposedApi: true })
  const process = spawn(program, [...args], { ...size, ...options, name: "xterm-256color" })
  let printed = ""
  process.onData((data) => {
    terminal.write(data)
    const before = printed
    printed += data
    if (interruptAt === undefined || before.includes(interruptAt) || !printed.includes(interruptAt)) return
    process.write("\u0003")
  })
  const code = await new Promise<number>((resolve) => process.onExit(({ exitCode }) => resolve(exitCode)))
  // What was written before is on the screen when this is.
  await new Promise<void>((resolve) => terminal.write("", resolve))
  const { active } = terminal.buffer
  const rows = Array.from({ length: active.length }, (_, at) => active.getLine(at))
  const textOf = (row: (typeof rows)[number]) => row?.translateToString(true) ?? ""
  const shown = rows.slice(active.baseY, active.baseY + size.rows)
  const colours = new Set(
    shown.flatMap((row) =>
      Array.from({ length: size.cols }, (_, column) => row?.getCell(column)).flatMap((cell) =>
        cell === undefined || cell.isFgDefault() ? [] : [cell.getFgColor()],
      ),
    ),
  )
  const seen = {
    code,
    lines: shown.map(textOf),
    all: rows.map(textOf),
    wrapped: rows.filter((row) => row?.isWrapped === true).map(textOf),
    colours,
  }
  terminal.dispose()
  return seen
}
