/**
 * `holdfast wire record`: one real exchange as a recording, so that whoever has a key can give
 * traffic that nobody here has. A file is written once, whole, and never with a secret in it.
 */
import { closeSync, existsSync, openSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { type Asked, recordRequest } from "@holdfast/sdk/wire-tools"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"
import { readTrafficBytes } from "./traffic-file.ts"

export interface RecordOptions {
  readonly provider: string
  readonly model: string
  readonly to: string
  /** A file whose bytes are the request, in place of a prompt. */
  readonly body?: string
}

const answered = 200

export async function recordToFile(
  terminal: Terminal,
  prompt: string | undefined,
  options: RecordOptions,
): Promise<number> {
  const { provider, model, to } = options
  const file = resolve(terminal.directory, to)
  const asked = await askedOf(terminal, prompt, options.body)
  checkWritable(file, to)
  const { environment } = terminal
  const recorded = await recordRequest({ environment }, { provider, model, asked })
  if (recorded.kind === "failed") {
    terminal.complain(`Nothing was recorded: ${recorded.message}`)
    return 1
  }
  if (recorded.kind === "secret") {
    terminal.complain(`Nothing was written: the exchange holds ${recorded.finds.join(" and ")}.`)
    return 1
  }
  await writeFile(file, recorded.text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw unwritable(to, error)
  })
  terminal.write(`Recorded in ${to}. Try: holdfast wire replay ${to}\n`)
  if (recorded.status === answered) return 0
  terminal.complain(`The provider answered with status ${recorded.status}; that is what was recorded.`)
  return 1
}

async function askedOf(
  terminal: Terminal,
  prompt: string | undefined,
  body: string | undefined,
): Promise<Asked> {
  if ((prompt === undefined) === (body === undefined))
    throw new UsageError("Give a prompt, or a request with --body, and not both.")
  if (body === undefined) {
    if (prompt?.trim() === "") throw new UsageError("The prompt is empty.")
    return { kind: "prompt", text: prompt ?? "" }
  }
  const bytes = await readTrafficBytes(terminal, body)
  if (!isJsonObject(bytes)) throw new UsageError(`${body}: It is not a JSON object.`)
  return { kind: "body", bytes }
}

/** Text that is no UTF-8 would be recorded otherwise than it was sent. */
function isJsonObject(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false // a SyntaxError or a TypeError: it is no JSON, or no text
  }
}

/** By making the file and removing it: a request is paid for, and its answer must find a place. */
function checkWritable(file: string, name: string): void {
  if (existsSync(file)) throw new UsageError(`${name} exists already. Name another file.`)
  try {
    closeSync(openSync(file, "wx"))
  } catch (error) {
    throw unwritable(name, error as NodeJS.ErrnoException) // all that openSync throws
  }
  rmSync(file)
}

const unwritable = (name: string, { code }: NodeJS.ErrnoException): UsageError =>
  new UsageError(`${name} cannot be written (${code ?? "no code"}). Name another file.`)
