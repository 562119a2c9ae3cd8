/** A terminal that keeps what it is told, so that commands can be run in the process of a test. */
import { runHoldfast } from "../src/program.ts"
import type { Terminal } from "../src/terminal.ts"

export interface KeptTerminal {
  readonly terminal: Terminal
  readonly said: { out: string; err: string }
}

export function keptTerminal(more: Partial<Terminal> = {}): KeptTerminal {
  const said = { out: "", err: "" }
  const write = (text: string) => void (said.out += text)
  const terminal: Terminal = {
    write,
    draw: more.write ?? write,
    complain: (line) => void (said.err += `${line}\n`),
    writeBytes: () => {},
    interactive: false,
    paint: (_, text) => text,
    columns: 80,
    rows: 24,
    page: async (pieces) => {
      for await (const piece of pieces) (more.write ?? write)(piece)
    },
    directory: "/",
    environment: {},
    readInput: async () => new Uint8Array(),
    ask: async () => null,
    callAbove: async () => null,
    typed: false,
    readKeys: () => () => {},
    onStop: () => () => {},
    exit: (code) => {
      throw new Error(`exit ${code}`)
    },
    ...more,
  }
  return { terminal, said }
}

/** One command from its arguments to its exit code. */
export async function runCommand(argv: readonly string[], given: Partial<Terminal>) {
  const { terminal, said } = keptTerminal(given)
  return { code: await runHoldfast(argv, terminal), ...said }
}
