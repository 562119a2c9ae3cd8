/** Sessions of other agents that could be taken in: found in files, told by their first words, and chosen. */
import {
  type Agent,
  findSources,
  type ForeignRecord,
  readSource,
  type Source,
  usualPlaces,
} from "@holdfast/foreign"
import { age, clip } from "../figures.ts"
import { UsageError } from "../outcome/outcome.ts"
import { formatTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface Candidate {
  readonly agent: Agent
  /** The agent's own id. */
  readonly session: string
  /** Its title, or its first words. */
  readonly title: string | null
  readonly directory: string | null
  readonly at: number | null
  /** Files that hold some of it. */
  readonly sources: readonly Source[]
}

/** Of the files and folders that are named, or of the usual places; `whole` files are read to their end. */
export async function findCandidates(
  terminal: Terminal,
  paths: readonly string[] | null,
  from: string | undefined,
  whole = false,
): Promise<readonly Candidate[]> {
  const { sources, unknown } = await findSources(paths ?? usualPlaces(terminal.environment))
  for (const { path, why } of paths === null ? [] : unknown) {
    const words = {
      absent: "is not there",
      unreadable: "cannot be read",
      "unknown-format": "is no session that is known here",
    }
    throw new UsageError(`${printable(path)} ${words[why]}.`)
  }
  const found = new Map<string, Candidate>()
  for (const source of sources) {
    if (from !== undefined && source.agent !== from) continue
    for (const candidate of await candidatesIn(source, whole)) {
      const key = `${candidate.agent} ${candidate.session}`
      const known = found.get(key)
      found.set(key, known === undefined ? candidate : { ...known, sources: [...known.sources, source] })
    }
  }
  return [...found.values()].sort((a, b) => (b.at ?? 0) - (a.at ?? 0))
}

/** Side chains belong to the session that they hang on. */
async function candidatesIn(source: Source, whole: boolean): Promise<readonly Candidate[]> {
  const found = new Map<string, Candidate>()
  const single = source.format !== "opencode-store" && !whole
  for await (const record of readSource(source)) {
    const { session } = record
    if (session === null) continue
    const known = found.get(session)
    if (record.type === "session") {
      const root = record.parent?.kind === "child" ? record.parent.session : session
      if (root !== session && !found.has(root)) found.set(root, rootOf(source, root, record.createdAt))
      if (root === session) found.set(session, headed(source, record, known))
    } else if (
      record.type === "prompt" &&
      record.by === "person" &&
      known !== undefined &&
      known.title === null
    ) {
      found.set(session, { ...known, title: clip(record.text, titleCharacters) })
      // The rest of a file tells nothing that a listing shows.
      if (single) break
    }
  }
  return [...found.values()]
}

const titleCharacters = 200

const rootOf = (source: Source, session: string, at: number | null): Candidate => ({
  agent: source.agent,
  session,
  title: null,
  directory: null,
  at,
  sources: [source],
})

const headed = (
  source: Source,
  record: Extract<ForeignRecord, { type: "session" }>,
  known: Candidate | undefined,
): Candidate => ({
  agent: record.agent,
  session: record.session,
  title: record.title ?? known?.title ?? null,
  directory: record.directory ?? known?.directory ?? null,
  at: known?.at ?? record.createdAt,
  sources: [source],
})

/** By its whole id or a beginning of it. */
export function pickCandidate(given: string, all: readonly Candidate[]): Candidate {
  const exact = all.filter(({ session }) => session === given)
  const begun = given.length < beginningMin ? [] : all.filter(({ session }) => session.startsWith(given))
  const [first, second] = exact.length > 0 ? exact : begun
  if (first === undefined)
    throw new UsageError(
      `${printable(given)} is no file, and no session of another agent in the usual folders. holdfast import lists what is there.`,
    )
  if (second !== undefined)
    throw new UsageError(`Several sessions begin with ${printable(given)}. Give more of the id, or --from.`)
  return first
}

const beginningMin = 4

export function candidateTable(terminal: Terminal, all: readonly Candidate[], nowMs: number): string {
  const columns = [
    { title: "#", right: true },
    { title: "agent" },
    { title: "session", cutTo: 12 },
    { title: "age", right: true },
    { title: "directory", cutTo: 12, leave: 1 },
    { title: "title", cutTo: 20 },
  ]
  const rows = all.map(({ agent, session, at, directory, title }, index) => [
    String(index + 1),
    agent,
    printable(session),
    at === null ? "" : age(Math.max(0, nowMs - at)),
    printable(directory ?? ""),
    clip(printable(title ?? ""), 60),
  ])
  return `${formatTable(columns, rows, terminal.interactive ? terminal.columns : Infinity)}\n`
}

export const candidateLine = ({ agent, session, title, directory, at, sources }: Candidate): string =>
  `${JSON.stringify({ type: "found", source: `${agent}:${session}`, title, directory, at, files: sources.map(({ path }) => path) })}\n`

/** Numbers and ranges of a list, `all`, or nothing; null where it is none of these. */
export function readNumbers(line: string, count: number): readonly number[] | null {
  const text = line.trim().toLowerCase()
  if (text === "") return []
  if (text === "all") return Array.from({ length: count }, (_, index) => index)
  const chosen = new Set<number>()
  for (const word of text.split(/[\s,]+/)) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(word) ?? []
    const first = Number(from)
    const last = Number(to)
    if (from === undefined || first < 1 || last > count || first > last) return null
    for (let number = first; number <= last; number++) chosen.add(number - 1)
  }
  return [...chosen]
}
