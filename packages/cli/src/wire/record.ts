/**
 * `holdfast wire record`: one real exchange as a recording, so that whoever has a key can give
 * traffic that nobody here has. A file is written once, whole, and never with a secret in it.
 */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { recordPrompt } from "@holdfast/sdk/wire-tools"
import { UsageError } from "../outcome.ts"
import type { Terminal } from "../terminal.ts"

export interface RecordOptions {
  readonly provider: string
  readonly model: string
  readonly to: string
}

const answered = 200

export async function recordFile(
  terminal: Terminal,
  prompt: string,
  options: RecordOptions,
): Promise<number> {
  const { provider, model, to } = options
  const file = resolve(terminal.directory, to)
  if (existsSync(file)) throw new UsageError(`${to} exists already. Name another file.`)
  if (prompt.trim() === "") throw new UsageError("The prompt is empty.")
  const { environment } = terminal
  const recorded = await recordPrompt({ environment }, { provider, model, prompt })
  if (recorded.kind === "failed") {
    terminal.complain(`Nothing was recorded: ${recorded.message}`)
    return 1
  }
  if (recorded.kind === "secret") {
    terminal.complain(`Nothing was written: the exchange holds ${recorded.finds.join(" and ")}.`)
    return 1
  }
  await writeFile(file, recorded.text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${to} cannot be written (${error.code ?? "no code"}).`)
  })
  terminal.write(`Recorded in ${to}. Try: holdfast wire replay ${to}\n`)
  if (recorded.status === answered) return 0
  terminal.complain(`The provider answered with status ${recorded.status}; that is what was recorded.`)
  return 1
}
