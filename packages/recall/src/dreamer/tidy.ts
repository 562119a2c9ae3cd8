/**
 * What is plainly wrong with a project's memory, found without a model (DM1).
 *
 *   expired                               ▶ archived
 *   says the same, in the same category   ▶ merged into the one that was said most, then last; archived where a
 *                                           person said the same, whose words stay as they are
 *   every file that it names was deleted  ▶ archived; flagged where a person said it, or nobody knows the file
 *
 * Two statements say the same where they have the same words in the same order, but for case, punctuation, articles and
 * the number of a noun: any other word, "not" and "sometimes" too, makes two rules of one, and so does another order.
 * What has expired ends nothing that holds; all else is bounded as what a model asks for is. What a person brought back
 * stays: after its time was over too, for whoever did so knew that.
 */
import type { Memory, MemoryId } from "@holdfast/schema/memory/memory"
import { changedMax, type DreamChange, type Flag, type Proposal, touchedBy } from "./plan.ts"

export interface TidyInput {
  /** Those that are active. */
  readonly memories: readonly Memory[]
  readonly now: number
  /** When a person brought one back, last. */
  readonly broughtBackAt: ReadonlyMap<MemoryId, number>
  /** What became of a path that a memory names. */
  readonly fileState: (path: string) => FileState
}

/** `deleted`: the project had it; `unknown`: nothing says that it ever did. */
export type FileState = "there" | "deleted" | "unknown"

export interface TidyPlan extends Proposal {
  /** Memories that the run may end or rewrite beyond it. */
  readonly left: number
  /** What is over; it comes again with a later run. */
  readonly refused: number
}

export function planTidy({ memories, now, broughtBackAt, fileState }: TidyInput): TidyPlan {
  const isOver = ({ expiresAt }: Memory): boolean => expiresAt !== null && expiresAt <= now
  const expired = memories.filter(isOver).flatMap(({ id, expiresAt }): readonly DreamChange[] => {
    const until = expiresAt as number
    if ((broughtBackAt.get(id) ?? -1) >= until) return []
    const reason = `It held until ${new Date(until).toISOString().slice(0, 10)}.`
    return [{ kind: "archive", id, reason }]
  })
  const holding = memories.filter((memory) => !isOver(memory))
  const max = changedMax(holding.length)
  const lost = withoutFiles(holding, fileState, max)
  const gone = new Set(lost.changes.flatMap(touchedBy))
  const alike = duplicates(
    holding.filter(({ id }) => !gone.has(id)),
    max - lost.used,
  )
  return {
    changes: [...expired, ...lost.changes, ...alike.changes],
    flags: lost.flags,
    left: max - lost.used - alike.used,
    refused: lost.refused + alike.refused,
  }
}

interface Bounded {
  readonly changes: readonly DreamChange[]
  readonly used: number
  readonly refused: number
}

function withoutFiles(
  memories: readonly Memory[],
  fileState: TidyInput["fileState"],
  left: number,
): Bounded & Pick<Proposal, "flags"> {
  const changes: DreamChange[] = []
  const flags: Flag[] = []
  let refused = 0
  for (const memory of memories) {
    const lost = lostFiles(memory, fileState)
    if (lost === null) continue
    const { id, source } = memory
    if (lost.state === "unknown" || source.by === "person")
      flags.push({ id, reason: `It names ${lost.paths}, which is not there.` })
    else if (changes.length < left)
      changes.push({ kind: "archive", id, reason: `It is about ${lost.paths}, which was deleted.` })
    else refused++
  }
  return { changes, flags, used: changes.length, refused }
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

/** `left` is counted down: a merge ends all but one, whose words stay. */
function duplicates(memories: readonly Memory[], left: number): Bounded {
  const groups = new Map<string, Memory[]>()
  for (const memory of memories) {
    const words = wording(memory)
    groups.set(words, [...(groups.get(words) ?? []), memory])
  }
  const changes: DreamChange[] = []
  let used = 0
  let refused = 0
  for (const members of groups.values()) {
    if (members.length < 2) continue
    const kept = members.reduce((best, one) => (preferred(one, best) ? one : best))
    const others = members.filter((one) => one !== kept && one.source.by !== "person")
    const ended = others.slice(0, left - used)
    used += ended.length
    refused += others.length - ended.length
    if (ended.length === 0) continue
    if (kept.source.by === "person")
      for (const { id } of ended)
        changes.push({ kind: "archive", id, reason: `A person said the same: ${kept.id}.` })
    else {
      const ids = members.filter((one) => one === kept || ended.includes(one)).map(({ id }) => id)
      changes.push({ kind: "merge", ids, text: kept.text, reason: "They say the same." })
    }
  }
  return { changes, used, refused }
}

/** What a person said, then what was said most, then last. */
function preferred(one: Memory, other: Memory): boolean {
  const said = Number(one.source.by === "person") - Number(other.source.by === "person")
  if (said !== 0) return said > 0
  return one.seen !== other.seen ? one.seen > other.seen : one.createdAt >= other.createdAt
}

/** The words of a statement one behind the other, without what makes no difference to what it says. */
function wording({ category, text }: Memory): string {
  const words = text
    .normalize("NFC")
    .replaceAll("\u2019", "'")
    .split(/\s+/)
    .map((word) => word.replace(/^["'`]+/, "").replace(/["'`.,;:!?]+$/, ""))
    .filter((word) => word !== "")
    .map((word, at) => (at === 0 && /^\p{Lu}\p{Ll}*$/u.test(word) ? word.toLowerCase() : word))
    .filter((word) => !articles.has(word))
    .map((word) => (isName(word) ? word : inflected(word)))
  return JSON.stringify([category, ...words])
}

/** A number, path or identifier: compared letter by letter. */
const isName = (word: string): boolean => /[^\p{L}'-]/u.test(word) || /\p{Ll}\p{Lu}/u.test(word)

/** One of several is the same word; a word that begins with a capital may be somebody's name, and keeps its ending. */
function inflected(word: string): string {
  const lower = word.toLowerCase()
  const verb = verbs.get(lower)
  if (verb !== undefined) return verb
  return word === lower && /^[a-z]{3,}s$/.test(word) && !/(?:ss|us|is)$/.test(word)
    ? word.slice(0, -1)
    : lower
}

const articles = new Set(["a", "an", "the"])
const verbs = new Map([
  ["are", "is"],
  ["were", "was"],
  ["have", "has"],
])
