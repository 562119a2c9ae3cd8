/** `holdfast workspace`: projects that see some of each other's memories (WS1). */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { HoldfastClient, Workspace } from "@holdfast/sdk"
import type { MemoryCategory } from "@holdfast/schema/memory/memory"
import { count } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { openForCommand } from "../opened.ts"
import { showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"
import { type CreateWorkspaceOptions, type PlacedOptions, refuseInCalls } from "./options.ts"

export const listWorkspaces = (terminal: Terminal, options: PlacedOptions): Promise<number> =>
  opened(terminal, options, async (holdfast) => {
    const { workspaces } = await holdfast.workspaces.list()
    if (options.json === true)
      for (const workspace of workspaces) terminal.write(`${JSON.stringify(workspace)}\n`)
    else if (workspaces.length === 0)
      terminal.write(pasteable("There is no workspace. Make one: holdfast workspace create NAME\n", options))
    else await showTable(terminal, columns, workspaces.flatMap(rowsOf))
  })

export const createWorkspace = (
  terminal: Terminal,
  workspace: string,
  options: CreateWorkspaceOptions,
): Promise<number> =>
  changing(terminal, options, "Made", (holdfast) =>
    holdfast.workspaces.create({
      workspace,
      ...(options.share && { categories: options.share }),
    }),
  )

export const shareCategories = (
  terminal: Terminal,
  workspace: string,
  categories: readonly MemoryCategory[],
  options: PlacedOptions,
): Promise<number> =>
  changing(terminal, options, "Changed", (holdfast) => holdfast.workspaces.share({ workspace, categories }))

export const addProject = (terminal: Terminal, workspace: string, options: PlacedOptions): Promise<number> =>
  changing(terminal, options, "Changed", (holdfast, directory) =>
    holdfast.workspaces.add({ workspace, directory }),
  )

export const removeProject = (
  terminal: Terminal,
  workspace: string,
  options: PlacedOptions,
): Promise<number> =>
  changing(terminal, options, "Changed", (holdfast, directory) =>
    holdfast.workspaces.remove({ workspace, directory }),
  )

export async function deleteWorkspace(
  terminal: Terminal,
  workspace: string,
  options: PlacedOptions,
): Promise<number> {
  await refuseInCalls(terminal)
  return opened(terminal, options, async (holdfast) => {
    await holdfast.workspaces.delete({ workspace })
    if (options.json !== true) terminal.write(`Deleted ${printable(workspace)}.\n`)
  })
}

async function changing(
  terminal: Terminal,
  options: PlacedOptions,
  done: string,
  change: (holdfast: HoldfastClient, directory: string) => Promise<Workspace>,
): Promise<number> {
  await refuseInCalls(terminal)
  return opened(terminal, options, async (holdfast, directory) => {
    const made = await change(holdfast, directory)
    const { name, categories, members } = made
    terminal.write(
      options.json === true
        ? `${JSON.stringify(made)}\n`
        : `${done} ${printable(name)}: ${count(members.length)} ${members.length === 1 ? "project" : "projects"}, sharing ${categories.join(", ") || "nothing"}.\n`,
    )
  })
}

/** A directory that is gone can still be removed. */
async function opened(
  terminal: Terminal,
  options: PlacedOptions,
  use: (holdfast: HoldfastClient, directory: string) => Promise<void>,
): Promise<number> {
  const directory = resolve(options.dir ?? process.cwd())
  const there = existsSync(directory)
  const { holdfast, server, close } = await openForCommand(terminal, {
    ...options,
    purpose: "look",
    directory: there ? directory : process.cwd(),
  })
  try {
    if (server !== null && there) await holdfast.locations.open({ directory })
    await use(holdfast, directory)
    return 0
  } finally {
    await close()
  }
}

const columns = [{ title: "WORKSPACE" }, { title: "SHARES", leave: 0 }, { title: "PROJECT", cutTo: 20 }]

/** A line for each project; of an empty workspace one without. */
const rowsOf = ({ name, categories, members }: Workspace): readonly (readonly string[])[] =>
  (members.length === 0 ? ["–"] : members).map((member, at) =>
    at === 0 ? [name, categories.join(", ") || "nothing", printable(member)] : ["", "", printable(member)],
  )
