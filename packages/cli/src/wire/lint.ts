/** `holdfast wire lint`: a request as somebody wrote it, judged by the linter of its wire. */
import { lintRequest } from "@holdfast/sdk/wire-tools"
import { printable, type Terminal } from "../terminal.ts"
import { exchangesOf, readTraffic } from "./traffic-file.ts"

export interface LintOptions {
  readonly json?: boolean
  readonly wire: string
}

export async function lintFile(terminal: Terminal, file: string, options: LintOptions): Promise<number> {
  const text = await readTraffic(terminal, file)
  const exchanges = exchangesOf(file, lintRequest(text, options.wire))
  const faults = exchanges.flatMap((exchange, interaction) =>
    exchange.faults.map((fault) => ({ interaction, ...fault })),
  )
  for (const fault of faults) {
    const { interaction, block, rule, message } = fault
    terminal.write(
      options.json === true
        ? `${JSON.stringify(fault)}\n`
        : `${printable(`${interaction}: block ${block}: ${message} (${rule})`)}\n`,
    )
  }
  if (options.json !== true && faults.length === 0) terminal.write("No fault.\n")
  if (exchanges.some(({ asWritten }) => !asWritten)) {
    terminal.complain(
      `Requests of the wire ${options.wire} are judged as they would be sent from here, not as they are written.`,
    )
  }
  return faults.length === 0 ? 0 : 1
}
