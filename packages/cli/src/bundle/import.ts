/** `holdfast import`: Sessions from files, into this store (ST4). */
import { createReadStream, existsSync } from "node:fs"
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import { type BundleImport, type HoldfastClient, importBundle } from "@holdfast/sdk"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface BundleOptions extends SharedOptions {
  readonly directory?: string
  readonly trust?: boolean
}

export async function importFiles(
  terminal: Terminal,
  files: readonly string[],
  options: BundleOptions,
): Promise<number> {
  for (const file of files) await requireReadable(terminal, file)
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { holdfast } = opened
    const directory = options.directory && (await placeOf(terminal, holdfast, options.directory))
    for (const file of files) {
      const imported = await importBundle(holdfast, bytesOf(terminal, file), {
        ...(options.trust === true && { trust: true }),
        ...(directory && { directory }),
      })
      terminal.write(options.json === true ? record(imported) : describe(imported, file))
    }
    return 0
  } finally {
    await opened.close()
  }
}

/** Before anything is imported. */
async function requireReadable(terminal: Terminal, file: string): Promise<void> {
  if (file === standardInput) return
  try {
    const handle = await open(resolve(terminal.directory, file))
    const isFile = (await handle.stat()).isFile()
    await handle.close()
    if (isFile) return
  } catch {
    // Whatever the reason, the sentence below names the file.
  }
  throw new UsageError(`${printable(file)} is no file that can be read.`)
}

const standardInput = "-"

async function placeOf(terminal: Terminal, { locations }: HoldfastClient, given: string): Promise<string> {
  const { directory } = await locations.open({ directory: resolve(terminal.directory, given) })
  return directory
}

async function* bytesOf(terminal: Terminal, file: string): AsyncGenerator<Uint8Array, void, undefined> {
  if (file === standardInput) yield await terminal.readInput()
  else yield* createReadStream(resolve(terminal.directory, file))
}

function record({
  change,
  source,
  session,
  messages,
  calls,
  permissions,
  masked,
  absent,
}: BundleImport): string {
  const told = { change, permissions, masked, absent }
  return `${JSON.stringify({ type: "imported", source, session: session.id, messages, calls, skipped: 0, ...told })}\n`
}

export const bundleChanges: Readonly<Record<BundleImport["change"], string>> = {
  created: "is here now",
  extended: "has gone on: what was here is its beginning",
  same: "was here already, and nothing has changed",
  older: "is here already, with more than the file holds; nothing has changed",
  copied: "is a second Session: the one that it comes from has gone another way here, and stays as it is",
}

function describe(
  { change, session, messages, calls, permissions, absent }: BundleImport,
  file: string,
): string {
  const { id, location } = session
  const lines = [
    `Session ${id} ${bundleChanges[change]}. ${printable(file)} holds ${messages} messages and ${calls} calls.`,
  ]
  if (permissions === "dropped")
    lines.push("What it was allowed to do without asking was not taken over. --trust takes it over.")
  if (absent > 0) lines.push(`${absent} images or other blobs did not come along.`)
  if (!existsSync(location.directory))
    lines.push(
      `Its directory ${printable(location.directory)} is not here. Before it can go on: holdfast move ${id} <directory>`,
    )
  else lines.push(`Go on with: holdfast run --session ${id} "…"`)
  return `${lines.join("\n")}\n`
}
