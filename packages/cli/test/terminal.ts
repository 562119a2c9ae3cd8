/** A terminal that keeps what it is told, so that commands can be run in the process of a test. */
import { runHoldfast } from "../src/program.ts"
import type { Terminal } from "../src/terminal.ts"

export interface Said {
  out: string
  err: string
}

export function recordTerminal(given: Partial<Terminal> = {}): {
  readonly terminal: Terminal
  readonly said: Said
} {
  const said = { out: "", err: "" }
  const terminal: Terminal = {
    write: (text) => void (said.out += text),
    complain: (line) => void (said.err += `${line}\n`),
    writeBytes: () => {},
    interactive: false,
    paint: (_, text) => text,
    columns: 80,
    directory: "/",
    environment: {},
    readInput: async () => "",
    ask: async () => null,
    onStop: () => () => {},
    exit: (code) => {
      throw new Error(`exit ${code}`)
    },
    ...given,
  }
  return { terminal, said }
}

/** One command from its arguments to its exit code. */
export async function runCommand(argv: readonly string[], given: Partial<Terminal>) {
  const { terminal, said } = recordTerminal(given)
  return { code: await runHoldfast(argv, terminal), ...said }
}
