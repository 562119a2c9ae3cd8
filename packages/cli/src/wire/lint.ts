/** `holdfast wire lint`: a request as somebody wrote it, judged as the simulated provider judges it. */
import { judgeBody } from "@holdfast/provider-sim"
import { judgeRequests } from "@holdfast/sdk/wire-tools"
import { printable, type Terminal } from "../terminal.ts"
import { exchangesOf, readTraffic } from "./traffic-file.ts"

export interface LintOptions {
  readonly json?: boolean
  readonly wire: string
}

export async function lintFile(terminal: Terminal, file: string, options: LintOptions): Promise<number> {
  const text = await readTraffic(terminal, file)
  const exchanges = exchangesOf(file, judgeRequests(text, options.wire, judgeBody))
  const faults = exchanges.flatMap((exchange, interaction) =>
    exchange.faults.map(({ message }) => ({ interaction, message })),
  )
  for (const { interaction, message } of faults) {
    terminal.write(
      options.json === true
        ? `${JSON.stringify({ interaction, message })}\n`
        : `${printable(`${interaction}: ${message.trim()}`)}\n`,
    )
  }
  if (options.json !== true && faults.length === 0) terminal.write("No fault.\n")
  return faults.length === 0 ? 0 : 1
}
