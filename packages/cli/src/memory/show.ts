/** `holdfast memory show`: one memory, how it came to be, and how to open each place (MM1). */
import type { MemoryDetail, MemoryEvent } from "@holdfast/sdk"
import { age, count } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { printable, type Terminal } from "../terminal.ts"
import { makers, statusOf } from "./list.ts"
import { type PlacedOptions, withProject } from "./options.ts"

export const showMemory = (terminal: Terminal, id: string, options: PlacedOptions): Promise<number> =>
  withProject(terminal, options, async (holdfast, directory) => {
    const detail = await holdfast.memories.get({ memoryID: id, directory })
    if (options.json === true) return terminal.write(`${JSON.stringify(detail)}\n`)
    terminal.write(pasteable(memoryText(terminal, detail, Date.now()), options))
  })

function memoryText(terminal: Terminal, { memory, history }: MemoryDetail, now: number): string {
  const { id, category, text, seen, uses, expiresAt, supersedes, supersededBy, reason } = memory
  const facts = [
    `${id} · ${category} · ${statusOf(memory, now)}`,
    `said ${timesText(seen)}, found by searches of models ${timesText(uses)}`,
    ...(expiresAt === null ? [] : [`expires ${new Date(expiresAt).toISOString()}`]),
    ...(supersedes.length === 0 ? [] : [`takes the place of ${supersedes.join(", ")}`]),
    ...(supersededBy === null ? [] : [`its place was taken by ${supersededBy}`]),
    ...(reason === null ? [] : [`archived: ${printable(reason)}`]),
  ]
  const lines = history.map((event) => eventText(terminal, event, now))
  return `${printable(text)}\n\n${facts.map((fact) => terminal.paint("dim", fact)).join("\n")}\n\n${lines.join("\n")}\n`
}

export const timesText = (amount: number): string => (amount === 1 ? "once" : `${count(amount)} times`)

function eventText(terminal: Terminal, event: MemoryEvent, now: number): string {
  const { change, by, time, text, others, place } = event
  const ago = age(now - time) === "now" ? "just now" : `${age(now - time)} ago`
  const more = others.length === 0 ? "" : ` (${linked[change] ?? "with"} ${others.join(", ")})`
  const said = text === null || change === "written" ? "" : `: ${printable(text)}`
  const head = `${ago}: ${change} by ${makers[by]}${more}${said}`
  if (place === null) return head
  if (!place.exists) return `${head}\n  in Session ${place.session}, which was deleted`
  const title = place.title === null ? "" : ` "${printable(place.title)}"`
  const [first] = place.messages
  const around = first === undefined ? "" : ` --around ${first}`
  const open = `holdfast show ${place.session}${around}`
  return `${head}\n  in Session${title}; open it with: ${terminal.paint("dim", open)}`
}

const linked: Partial<Record<MemoryEvent["change"], string>> = {
  written: "in place of",
  merged: "from",
  superseded: "by",
}
