/**
 * What is plainly wrong with a project's memory, found without a model (DM1).
 *
 *   expired                               ▶ archived
 *   says the same, in the same category   ▶ merged into the one that was said most, then last; archived where a
 *                                           person said the same, whose words stay as they are
 *   every file that it names was deleted  ▶ archived; flagged where a person said it, or nobody knows the file
 *
 * Two statements say the same where they have the same names, numbers, paths and negations, and nearly the same
 * other words: a digit or a "never" makes two rules of one.
 */
import type { Memory, MemoryId } from "@holdfast/schema/memory/memory"
import type { DreamChange, Flag, Proposal } from "./plan.ts"

/** The share of words that near duplicates have in common. */
const alikeMin = 0.8
/** Statements of one category that are compared; a project has far fewer. */
const comparedMax = 2_000

export interface TidyInput {
  /** Those that are active. */
  readonly memories: readonly Memory[]
  readonly now: number
  /** What became of a path that a memory names. */
  readonly fileState: (path: string) => FileState
}

/** `deleted`: the project had it; `unknown`: nothing says that it ever did. */
export type FileState = "there" | "deleted" | "unknown"

export function planTidy({ memories, now, fileState }: TidyInput): Proposal {
  const expired = memories.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
  const ended = new Set<MemoryId>(expired.map(({ id }) => id))
  const changes: DreamChange[] = expired.map(({ id, expiresAt }) => ({
    kind: "archive",
    id,
    reason: `It held until ${new Date(expiresAt as number).toISOString().slice(0, 10)}.`,
  }))
  const flags: Flag[] = []
  for (const memory of memories) {
    if (ended.has(memory.id)) continue
    const lost = lostFiles(memory, fileState)
    if (lost === null) continue
    if (lost.state === "deleted" && memory.source.by !== "person") {
      ended.add(memory.id)
      changes.push({
        kind: "archive",
        id: memory.id,
        reason: `It is about ${lost.paths}, which was deleted.`,
      })
    } else flags.push({ id: memory.id, reason: `It names ${lost.paths}, which is not there.` })
  }
  const merges = duplicates(memories.filter(({ id }) => !ended.has(id)))
  return { changes: [...changes, ...merges], flags }
}

/** Null where a file that it names is there, or it names none. */
function lostFiles(
  { text }: Memory,
  fileState: TidyInput["fileState"],
): { readonly state: "deleted" | "unknown"; readonly paths: string } | null {
  const paths = pathsIn(text)
  const states = paths.map(fileState)
  if (paths.length === 0 || states.includes("there")) return null
  return {
    state: states.every((state) => state === "deleted") ? "deleted" : "unknown",
    paths: paths.join(", "),
  }
}

/** Files that a statement names: relative, with a folder and an ending, no pattern and no address. */
export function pathsIn(text: string): readonly string[] {
  const words = text.split(/[\s`'"()[\]{},;]+/)
  const paths = words
    .map((word) =>
      word
        .replace(/^\.\//, "")
        .replace(/(?::\d+)+$/, "")
        .replace(/[.:!?]+$/, ""),
    )
    .filter((word) => /^[\w@.-]+(?:\/[\w@.-]+)+\.\w{1,8}$/.test(word) && !word.split("/").includes(".."))
    // `example.com/page.html` is an address: no folder of a project ends like a host.
    .filter((word) => !/^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai)\//.test(word))
  return [...new Set(paths)]
}

function duplicates(memories: readonly Memory[]): readonly DreamChange[] {
  const groups = new Map<string, { readonly words: ReadonlySet<string>; readonly members: Memory[] }[]>()
  for (const memory of memories.slice(0, comparedMax)) {
    const { key, words } = gist(memory)
    const alike = groups.get(key) ?? []
    groups.set(key, alike)
    const found = alike.find((group) => similarity(group.words, words) >= alikeMin)
    if (found === undefined) alike.push({ words, members: [memory] })
    else found.members.push(memory)
  }
  return [...groups.values()].flat().flatMap(({ members }): readonly DreamChange[] => {
    const [first] = members
    if (members.length < 2 || first === undefined) return []
    const kept = members.reduce((best, one) => (preferred(one, best) ? one : best))
    if (kept.source.by === "person")
      return members
        .filter(({ source }) => source.by !== "person")
        .map(({ id }) => ({ kind: "archive", id, reason: `A person said the same: ${kept.id}.` }))
    const ids = members.map(({ id }) => id)
    return [{ kind: "merge", ids, text: kept.text, reason: "They say the same." }]
  })
}

/** What a person said, then what was said most, then last. */
function preferred(one: Memory, other: Memory): boolean {
  const said = Number(one.source.by === "person") - Number(other.source.by === "person")
  if (said !== 0) return said > 0
  return one.seen !== other.seen ? one.seen > other.seen : one.createdAt >= other.createdAt
}

/** Hard words have to be equal, and stand in the same order; the soft ones nearly. */
function gist({ category, text }: Memory): { readonly key: string; readonly words: ReadonlySet<string> } {
  const tokens = text
    .normalize("NFC")
    .split(/[\s`'"()[\]{},;!?]+/)
    .map((word) => word.replace(/[.:]+$/, ""))
    .filter((word) => word !== "")
  const hard = tokens.filter(isHard).map((word) => (negations.has(word.toLowerCase()) ? "not" : word))
  const soft = tokens
    .filter((word) => !isHard(word))
    .map((word) => word.toLowerCase())
    .filter((word) => !fillers.has(word))
  return { key: JSON.stringify([category, ...hard]), words: new Set(soft) }
}

/** A name, number, path or negation: what makes the difference between two rules. */
const isHard = (word: string): boolean =>
  /[\d_/\\.@$=<>#:-]/.test(word) || /[a-z][A-Z]/.test(word) || negations.has(word.toLowerCase())

const negations = new Set([
  "not",
  "no",
  "never",
  "without",
  "don't",
  "dont",
  "cannot",
  "except",
  "unless",
  "only",
])

const fillers = new Set(
  "a an the is are be to of in on for and with by it its this that always must should".split(" "),
)

/** The share of their words that two statements have in common. */
function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  return shared / (a.size + b.size - shared)
}
