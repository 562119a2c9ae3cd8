/** `holdfast memory add`, `edit`, `archive`, `restore` and `merge`: changes by a person (MM1). */
import type { HoldfastClient, Memory } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { readText } from "../input/standard-input.ts"
import { UsageError } from "../outcome/outcome.ts"
import { printable, type Terminal } from "../terminal.ts"
import { statusOf } from "./list.ts"
import {
  type AddMemoryOptions,
  type ArchiveMemoryOptions,
  type EditMemoryOptions,
  sharerOf,
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
  return changing(terminal, options, { done: "Known as", given: text }, (holdfast, directory) =>
    holdfast.memories.write({
      directory,
      text,
      ...(category !== undefined && { category }),
      ...(expires !== undefined && { expiresAt: expires === "never" ? null : expires }),
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
  return changing(
    terminal,
    options,
    { done: "Changed", key: sharerOf(id), given: text },
    (holdfast, directory) =>
      holdfast.memories.update({
        memoryID: id,
        directory,
        ...(text !== undefined && { text }),
        ...(category !== undefined && { category }),
        ...(expires !== undefined && { expiresAt: expires === "never" ? null : expires }),
      }),
  )
}

export const archiveMemory = (
  terminal: Terminal,
  id: string,
  { reason, ...options }: ArchiveMemoryOptions,
): Promise<number> =>
  changing(terminal, options, { done: "Archived", key: sharerOf(id) }, (holdfast, directory) =>
    holdfast.memories.archive({ memoryID: id, directory, ...(reason !== undefined && { reason }) }),
  )

export const restoreMemory = (terminal: Terminal, id: string, options: PlacedOptions): Promise<number> =>
  changing(terminal, options, { done: "Restored", key: sharerOf(id) }, (holdfast, directory) =>
    holdfast.memories.restore({ memoryID: id, directory }),
  )

export function mergeMemories(
  terminal: Terminal,
  words: readonly string[],
  { category, ...options }: EditMemoryOptions,
): Promise<number> {
  const ids = words.filter((word) => /^m\d+(?:@\d+)?$/.test(word))
  const text = words.filter((word) => !ids.includes(word)).join(" ")
  if (new Set(ids).size < 2 || text === "")
    throw new UsageError(
      'Name two different memories or more and then the statement, as in: merge m3 m7 "Use tabs."',
    )
  return changing(
    terminal,
    options,
    { done: "Merged into", key: sharerOf(ids[0] ?? ""), given: text },
    (holdfast, directory) =>
      holdfast.memories.merge({
        memoryIDs: ids,
        text,
        directory,
        ...(category !== undefined && { category }),
      }),
  )
}

type Done = "Known as" | "Changed" | "Archived" | "Restored" | "Merged into"

interface Changing {
  readonly done: Done
  /** Of the ids that were given. */
  readonly key?: string
  /** The statement as it was given. */
  readonly given?: string | undefined
}

const maskBegins = "⟦secret:"

async function changing(
  terminal: Terminal,
  options: PlacedOptions,
  { done, key = "", given }: Changing,
  change: (holdfast: HoldfastClient, directory: string) => Promise<Memory>,
): Promise<number> {
  await refuseInCalls(terminal)
  return withProject(terminal, options, async (holdfast, directory) => {
    const memory = await change(holdfast, directory)
    const id = `${memory.id}${key}`
    if (options.json === true) return terminal.write(`${JSON.stringify(memory)}\n`)
    terminal.write(`${done} ${id} (${aboutOf(memory, done, key).join(", ")}): ${printable(memory.text)}\n`)
    if (given?.includes(maskBegins) === false && memory.text.includes(maskBegins))
      terminal.complain("What looks like a secret was hidden: memory keeps none.")
    if (done === "Restored" && statusOf(memory, Date.now()) === "expired")
      terminal.complain(
        pasteable(
          `It is shown to no model until it holds again: holdfast memory edit ${id} --expires never`,
          options,
        ),
      )
  })
}

/** What a person would not have expected is told at once: it was known, or it ended something. */
const aboutOf = (memory: Memory, done: Done, key: string): readonly string[] => [
  memory.category,
  ...(done !== "Archived" && memory.supersedes.length > 0
    ? [`in place of ${memory.supersedes.map((id) => `${id}${key}`).join(", ")}`]
    : []),
  ...(done === "Known as" && memory.seen > 1 ? [`said ${timesText(memory.seen)}`] : []),
  ...(statusOf(memory, Date.now()) === "expired" ? ["expired"] : []),
]
