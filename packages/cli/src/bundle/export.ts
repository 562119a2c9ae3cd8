/** `holdfast export`: a Session as one file, for another store or for people (ST4). */
import { createWriteStream, existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { resolve } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"

export interface ExportOptions extends SharedOptions {
  readonly out?: string
  readonly markdown?: boolean
  readonly html?: boolean
  readonly system?: boolean
  readonly reasoning?: boolean
}

export async function exportSession(
  terminal: Terminal,
  given: string,
  options: ExportOptions,
): Promise<number> {
  const { out, json, markdown, html, system, reasoning } = options
  const format = formatOf(options)
  if (format === "bundle" && (system === true || reasoning === true))
    throw new UsageError("A bundle holds everything. --system and --reasoning go with --markdown or --html.")
  const file = out === undefined ? null : resolve(terminal.directory, out)
  if (file !== null && existsSync(file)) throw new UsageError(`${out} exists already. Name another file.`)
  if (file === null && markdown !== true && html !== true && terminal.interactive)
    throw new UsageError("A bundle is not for reading. Name a file with --out, or redirect the output.")
  if (file === null && json === true) throw new UsageError("With --json, name a file with --out.")
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const { status } = await sessions.get({ sessionID })
    const shown = { ...(system && { system }), ...(reasoning && { reasoning }) }
    const counted = count(sessions.export({ sessionID, format, ...shown }))
    if (file === null) for await (const bytes of counted.bytes) terminal.writeBytes(bytes)
    else await save(file, counted.bytes)
    if (status.state === "running")
      terminal.complain("A turn is at work: the export ends where everything before it was settled.")
    if (file !== null)
      terminal.write(
        json === true
          ? `${JSON.stringify({ type: "exported", session: sessionID, format, file, bytes: counted.total() })}\n`
          : `Session ${sessionID} is in ${out}.\n`,
      )
    return 0
  } finally {
    await opened.close()
  }
}

function formatOf({ markdown, html }: ExportOptions): "bundle" | "markdown" | "html" {
  if (markdown === true && html === true) throw new UsageError("Choose one of --markdown and --html.")
  return markdown === true ? "markdown" : html === true ? "html" : "bundle"
}

function count(source: AsyncIterable<Uint8Array>) {
  let total = 0
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const bytes of source) {
      total += bytes.byteLength
      yield bytes
    }
  }
  return { bytes: counted(), total: () => total }
}

/** What a Session holds is its person's alone. */
const fileMode = 0o600

/** Under its name it is whole, or not there. */
async function save(file: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const part = `${file}.part`
  const sink = createWriteStream(part, { flags: "wx", mode: fileMode })
  const source = Readable.from(bytes)
  try {
    await (file.endsWith(".gz") ? pipeline(source, createGzip(), sink) : pipeline(source, sink))
    await rename(part, file)
  } catch (cause) {
    const code = cause instanceof Error && "syscall" in cause && "code" in cause ? String(cause.code) : null
    if (code !== "EEXIST") await rm(part, { force: true })
    if (code !== null) throw new UsageError(`${file} cannot be written (${code}).`)
    throw cause
  }
}
