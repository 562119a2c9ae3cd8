/** `holdfast memory list` and `export`: what is known of a project (MM1). */
import type { HoldfastClient, Memory, ProjectInfo } from "@holdfast/sdk"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import { age, clip, count } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { listItems } from "../list-items.ts"
import { showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"
import { tellOfCopy } from "./copy.ts"
import { type ExportMemoryOptions, type ListMemoryOptions, withProject } from "./options.ts"

const textCharactersMax = 200

export const listMemory = (terminal: Terminal, options: ListMemoryOptions): Promise<number> =>
  withProject(terminal, options, async (holdfast, directory) => {
    const { status, category } = options
    const asked = { directory, ...(status && { status }), ...(category && { category }) }
    const found = await allMemories(holdfast, asked)
    const project = await holdfast.memories.project({ directory })
    if (options.json === true) for (const memory of found) terminal.write(`${JSON.stringify(memory)}\n`)
    else if (found.length === 0) terminal.write(pasteable(nothing(project), options))
    else await showTable(terminal, columns, found.map(rowOf(Date.now())))
    tellOfCopy(terminal, project, options)
  })

export const exportMemory = (terminal: Terminal, options: ExportMemoryOptions): Promise<number> =>
  withProject(terminal, options, async (holdfast, directory) => {
    const found = await allMemories(holdfast, { directory, ...(options.all === true && { status: "all" }) })
    if (options.json === true) for (const memory of found) terminal.write(`${JSON.stringify(memory)}\n`)
    else terminal.write(markdownOf(found, Date.now()))
  })

type Asked = Parameters<HoldfastClient["memories"]["list"]>[0]

const allMemories = (holdfast: HoldfastClient, asked: Asked): Promise<readonly Memory[]> =>
  listItems((page) => holdfast.memories.list("cursor" in page ? page : { ...asked, ...page }))

const nothing = ({ root, active }: ProjectInfo): string =>
  active > 0
    ? "No memory is like that. holdfast memory list --status all shows all of them.\n"
    : `Nothing is known of ${printable(root)} yet. Agents learn, and you can add: holdfast memory add "…"\n`

const columns = [
  { title: "ID" },
  { title: "CATEGORY", leave: 1 },
  { title: "STATUS", leave: 0 },
  { title: "FROM", leave: 2 },
  { title: "AGE", right: true, leave: 3 },
  { title: "TEXT", cutTo: 20 },
]

const rowOf =
  (now: number) =>
  (memory: Memory): readonly string[] => [
    memory.id,
    memory.category,
    statusOf(memory, now),
    memory.source.wordsOf ?? memory.source.by,
    age(now - memory.updatedAt),
    clip(printable(memory.text.replaceAll(/\s+/g, " ")), textCharactersMax),
  ]

export const statusOf = ({ status, expiresAt }: Memory, now: number): string =>
  status === "active" && expiresAt !== null && expiresAt <= now ? "expired" : status

function markdownOf(memories: readonly Memory[], now: number): string {
  const groups = Map.groupBy(memories, ({ category }) => category)
  const parts = memoryCategories.flatMap((category) => {
    const lines = (groups.get(category) ?? []).map(
      (memory) => `- ${printable(memory.text.replaceAll(/\s+/g, " "))} <!-- ${aboutOf(memory, now)} -->`,
    )
    return lines.length === 0 ? [] : [`## ${category}\n\n${lines.join("\n")}\n`]
  })
  const title = `# Memory (${count(memories.length)})\n`
  return [title, ...parts].join("\n")
}

/** Which one it is and where it came from, for whoever reads the file and not for whom it is rendered. */
function aboutOf(memory: Memory, now: number): string {
  const { id, source, createdAt, expiresAt, seen, supersedes, supersededBy, reason } = memory
  const status = statusOf(memory, now)
  return [
    id,
    `${makers[source.wordsOf ?? source.by]}${source.session === null ? "" : ` in ${source.session}`}, ${dayOf(createdAt)}`,
    ...(seen > 1 ? [`said ${count(seen)} times`] : []),
    ...(supersedes.length === 0 ? [] : [`in place of ${supersedes.join(", ")}`]),
    ...(expiresAt === null ? [] : [`${expiresAt <= now ? "expired" : "expires"} ${dayOf(expiresAt)}`]),
    ...(status === "active" || status === "expired"
      ? []
      : [status + (supersededBy === null ? "" : ` by ${supersededBy}`)]),
    ...(reason === null ? [] : [printable(reason.replaceAll(/\s+/g, " ")).replaceAll("--", "-")]),
  ].join("; ")
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export const makers: Readonly<Record<Memory["source"]["by"], string>> = {
  person: "a person",
  agent: "an agent",
  historian: "the historian",
  dreamer: "the dreamer",
}
