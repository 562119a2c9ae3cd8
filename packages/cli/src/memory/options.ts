/** Options of the commands about memory, and how they are opened. */
import { resolve } from "node:path"
import type { HoldfastClient, Memory } from "@holdfast/sdk"
import { UsageError } from "../outcome/outcome.ts"
import { type Opened, openForCommand, type Purpose, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"

export interface PlacedOptions extends SharedOptions {
  readonly dir?: string
}

export interface ListMemoryOptions extends PlacedOptions {
  readonly status?: Memory["status"] | "all"
  readonly category?: Memory["category"]
}

export interface ExportMemoryOptions extends PlacedOptions {
  readonly all?: boolean
}

/** Milliseconds since 1970. */
export type GivenExpiry = number | "never"

export interface AddMemoryOptions extends PlacedOptions {
  readonly category?: Memory["category"]
  readonly expires?: GivenExpiry
  readonly replaces?: readonly string[]
}

export interface EditMemoryOptions extends PlacedOptions {
  readonly category?: Memory["category"]
  readonly expires?: GivenExpiry
}

export interface CreateWorkspaceOptions extends PlacedOptions {
  readonly share?: readonly Memory["category"][]
}

export interface ArchiveMemoryOptions extends PlacedOptions {
  readonly reason?: string
}

/** Of an id such as `m12@3`, what says whose it is: "@3"; nothing for the project itself. */
export const sharerOf = (id: string): string => /@\d+$/.exec(id)?.[0] ?? ""

/** The project of the directory; a server is told of the directory first, since nobody may have opened it. */
export async function withProject(
  terminal: Terminal,
  options: PlacedOptions,
  use: (holdfast: HoldfastClient, directory: string, opened: Opened) => Promise<number | void>,
  purpose: Purpose = "look",
): Promise<number> {
  const directory = resolve(terminal.directory, options.dir ?? "")
  const opened = await openForCommand(terminal, { ...options, purpose, directory })
  try {
    if (opened.server !== null) await opened.holdfast.locations.open({ directory })
    return (await use(opened.holdfast, directory, opened)) ?? 0
  } finally {
    await opened.close()
  }
}

/** What a call of a Session started is no person. */
export async function refuseInCalls(terminal: Terminal): Promise<void> {
  const call = await terminal.callAbove()
  if (call !== null)
    throw new UsageError(
      `This command was started by the call ${call} of a Session, and only a person changes memory from outside. The agent has context_memory and context_note.`,
    )
}
