/** `holdfast memory add`, `edit`, `archive`, `restore` and `merge`: changes by a person (MM1). */
import type { HoldfastClient, Memory } from "@holdfast/sdk"
import { readText } from "../input/standard-input.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { statusOf } from "./list.ts"
import {
  type AddMemoryOptions,
  type ArchiveMemoryOptions,
  type EditMemoryOptions,
  type PlacedOptions,
  refuseInCalls,
  withProject,
} from "./options.ts"
import { timesText } from "./show.ts"

export async function addStatement(
  terminal: Terminal,
  given: string,
  options: AddMemoryOptions,
): Promise<number> {
  const text = await readText(terminal, given)
  const { category, expires, replaces } = options
  return changing(terminal, options, "Known as", (holdfast, directory) =>
    holdfast.memories.write({
      directory,
      text,
      category,
      ...(expires !== undefined && { expiresAt: expires }),
      ...(replaces !== undefined && { supersedes: replaces }),
    }),
  )
}

export async function editMemory(
  terminal: Terminal,
  id: string,
  given: string | undefined,
  { category, expires, ...options }: EditMemoryOptions,
): Promise<number> {
  const text = given === undefined ? undefined : await readText(terminal, given)
  if (text === undefined && category === undefined && expires === undefined)
    throw new UsageError("Say what changes: a text, --category or --expires.")
  return changing(terminal, options, "Changed", (holdfast, directory) =>
    holdfast.memories.update({
      memoryID: id,
      directory,
      ...(text !== undefined && { text }),
      ...(category !== undefined && { category }),
      ...(expires !== undefined && { expiresAt: expires }),
    }),
  )
}

export const archiveMemory = (
  terminal: Terminal,
  id: string,
  { reason, ...options }: ArchiveMemoryOptions,
): Promise<number> =>
  changing(terminal, options, "Archived", (holdfast, directory) =>
    holdfast.memories.archive({ memoryID: id, directory, ...(reason !== undefined && { reason }) }),
  )

export const restoreMemory = (terminal: Terminal, id: string, options: PlacedOptions): Promise<number> =>
  changing(terminal, options, "Restored", (holdfast, directory) =>
    holdfast.memories.restore({ memoryID: id, directory }),
  )

export function mergeMemories(
  terminal: Terminal,
  words: readonly string[],
  { category, ...options }: EditMemoryOptions,
): Promise<number> {
  const ids = words.filter((word) => /^m\d+$/.test(word))
  const text = words.filter((word) => !ids.includes(word)).join(" ")
  if (ids.length < 2 || text === "")
    throw new UsageError('Name two memories or more and then the statement, as in: merge m3 m7 "Use tabs."')
  return changing(terminal, options, "Merged into", (holdfast, directory) =>
    holdfast.memories.merge({ memoryIDs: ids, text, directory, ...(category !== undefined && { category }) }),
  )
}

type Done = "Known as" | "Changed" | "Archived" | "Restored" | "Merged into"

async function changing(
  terminal: Terminal,
  options: PlacedOptions,
  done: Done,
  change: (holdfast: HoldfastClient, directory: string) => Promise<Memory>,
): Promise<number> {
  await refuseInCalls(terminal)
  return withProject(terminal, options, async (holdfast, directory) => {
    const memory = await change(holdfast, directory)
    terminal.write(
      options.json === true
        ? `${JSON.stringify(memory)}\n`
        : `${done} ${memory.id} (${aboutOf(memory, done).join(", ")}): ${printable(memory.text)}\n`,
    )
  })
}

/** What a person would not have expected is told at once: it was known, or it ended something. */
const aboutOf = (memory: Memory, done: Done): readonly string[] => [
  memory.category,
  ...(done !== "Archived" && memory.supersedes.length > 0
    ? [`in place of ${memory.supersedes.join(", ")}`]
    : []),
  ...(done === "Known as" && memory.seen > 1 ? [`said ${timesText(memory.seen)}`] : []),
  ...(statusOf(memory, Date.now()) === "expired" ? ["expired"] : []),
]
