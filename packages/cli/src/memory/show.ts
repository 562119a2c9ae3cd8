/** `holdfast memory show`: one memory, how it came to be, and how to open each place (MM1). */
import type { DreamRun, MemoryDetail, MemoryEvent } from "@holdfast/sdk"
import { age, count } from "../figures.ts"
import { pasteable, quoted } from "../hint.ts"
import { printable, type Terminal } from "../terminal.ts"
import { makers, statusOf } from "./list.ts"
import { sharerOf, type PlacedOptions, withProject } from "./options.ts"

export const showMemory = (terminal: Terminal, id: string, options: PlacedOptions): Promise<number> =>
  withProject(terminal, options, async ({ memories, dreams }, directory) => {
    const detail = await memories.get({ memoryID: id, directory })
    if (options.json === true) return terminal.write(`${JSON.stringify(detail)}\n`)
    const dreamed = detail.history.some(({ by }) => by === "dreamer")
    const runs = dreamed ? (await dreams.list({ directory: detail.project ?? directory })).runs : []
    terminal.write(pasteable(memoryText(terminal, detail, runs, Date.now(), sharerOf(id)), options))
  })

export function memoryText(
  terminal: Pick<Terminal, "paint">,
  { memory, history, project }: MemoryDetail,
  runs: readonly DreamRun[],
  now: number,
  key = "",
): string {
  const { category, text, seen, uses, expiresAt, reason } = memory
  const of = project === undefined ? "" : key
  const named = (id: string): string => `${id}${of}`
  const supersedes = memory.supersedes.map(named)
  const supersededBy = memory.supersededBy === null ? null : named(memory.supersededBy)
  const facts = [
    `${named(memory.id)} · ${category} · ${statusOf(memory, now)}`,
    ...(project === undefined ? [] : [`of ${printable(project)}, which shares it`]),
    `said ${timesText(seen)}, found by searches of models ${timesText(uses)}`,
    ...(expiresAt === null ? [] : [`expires ${new Date(expiresAt).toISOString()}`]),
    ...(supersedes.length === 0 ? [] : [`takes the place of ${supersedes.join(", ")}`]),
    ...(supersededBy === null ? [] : [`its place was taken by ${supersededBy}`]),
    ...(reason === null ? [] : [`archived: ${printable(reason)}`]),
  ]
  const lines = history.map((event) => {
    const told = { ...event, others: event.others.map(named) }
    return `${headOf(told, text, now)}\n  ${placeOf(terminal, event, runs, project)}`
  })
  return `${printable(text)}\n\n${facts.map((fact) => terminal.paint("dim", fact)).join("\n")}\n\n${lines.join("\n")}\n`
}

export const timesText = (amount: number): string => (amount === 1 ? "once" : `${count(amount)} times`)

/** What was said is told where it is not what stands above; a change always says what it made of the memory. */
function headOf(
  event: Omit<MemoryEvent, "others"> & { readonly others: readonly string[] },
  current: string,
  now: number,
): string {
  const { change, by, time, text, category, expiresAt, others, reason } = event
  const ago = age(now - time) === "now" ? "just now" : `${age(now - time)} ago`
  const more = others.length === 0 ? "" : ` (${linked[change] ?? "with"} ${others.join(", ")})`
  const said = text === null || (text === current && change !== "updated") ? [] : [text]
  const told = [...said, ...(reason === null ? [] : [reason])].map(printable).join(" · ")
  const about = [
    ...(change === "updated" && category !== null ? [`its category is ${category} now`] : []),
    ...(expiresAt === undefined ? [] : [untilText(expiresAt, change)]),
  ]
  const head = [`${ago}: ${words[change] ?? change} by ${makers[by]}${more}`, ...about].join(", ")
  return told === "" ? head : `${head}: ${told}`
}

const untilText = (expiresAt: number | null, change: MemoryEvent["change"]): string => {
  if (expiresAt === null) return "it expires no more"
  const until = new Date(expiresAt).toISOString()
  return change === "updated" ? `it expires ${until}` : `until ${until}`
}

const words: Partial<Record<MemoryEvent["change"], string>> = { seen: "said again", updated: "changed" }

/** The message and the Session, the run of the dreamer, or that it was no Session at all. */
function placeOf(
  terminal: Pick<Terminal, "paint">,
  { by, seq, place }: MemoryEvent,
  runs: readonly DreamRun[],
  project: string | undefined,
): string {
  const opened = (command: string): string => `open it with: ${terminal.paint("dim", command)}`
  if (place === null) {
    const run = runs.find((one) => Number(one.run.slice(1)) < seq)?.run
    return by !== "dreamer" || run === undefined
      ? "outside of any Session"
      : `in its run ${run}; ${opened(`${project === undefined ? "" : `cd ${quoted(project)} && `}holdfast dream show ${run}`)}`
  }
  if (!place.exists) return `in Session ${place.session}, which was deleted`
  const { session, title, messages } = place
  const named = title === null ? session : `"${printable(title)}"`
  const [first] = messages
  if (first === undefined) return `in Session ${named}; ${opened(`holdfast show ${session}`)}`
  const numbers = `message${messages.length === 1 ? "" : "s"} ${messages.map((one) => `#${one}`).join(", ")}`
  return `in ${numbers} of Session ${named}; ${opened(`holdfast show ${session} --around ${first}`)}`
}

const linked: Partial<Record<MemoryEvent["change"], string>> = {
  written: "in place of",
  updated: "in place of",
  restored: "in place of",
  merged: "from",
  superseded: "by",
}
