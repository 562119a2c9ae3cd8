/** What a run of the dreamer changed, read from the log of its project: also of a run that nobody watched, or that died (DM1, SU4). */
import type { DreamDifference } from "@holdfast/schema/instance/dream"
import type { DreamId } from "@holdfast/schema/memory/dream"
import { foldMemory, isMemoryFact, memoryIdAt, type ProjectEvent } from "@holdfast/schema/memory/fold"
import type { Memory, MemoryId } from "@holdfast/schema/memory/memory"
import type { SmartNoteId } from "@holdfast/schema/memory/note"
import { smartNoteIdAt } from "@holdfast/schema/memory/note-fold"
import { eventsOfRun } from "./revert.ts"

/** `log` is all of it, or for their number what begins with the run; null where there is no such run. */
export function differencesOf(log: readonly ProjectEvent[], run: DreamId): readonly DreamDifference[] | null {
  const own = eventsOfRun(log, run)
  if (own === null) return null
  const seqs = new Set(own.map(({ seq }) => seq))
  const now = new Map<MemoryId, Memory>()
  const found: DreamDifference[] = []
  let last: ProjectEvent | null = null
  for (const event of log) {
    if (seqs.has(event.seq)) {
      const difference = differenceOf(event, (id) => now.get(id)?.text ?? "", lastOf(log, event), log)
      if (isRestOfSplit(event, last)) found.splice(-1, 1, joined(found.at(-1), difference))
      else if (difference !== null) found.push(difference)
      last = event
    }
    const { fact } = event
    for (const memory of isMemoryFact(fact) ? (foldMemory({ ...event, fact }, byId(now)) ?? []) : [])
      now.set(memory.id, memory)
  }
  return found
}

const byId = (now: ReadonlyMap<MemoryId, Memory>) => (id: MemoryId) => now.get(id) ?? null

/** One statement became several: only the first of them names it. */
const isRestOfSplit = ({ seq, fact }: ProjectEvent, last: ProjectEvent | null): boolean =>
  fact.type === "memory.written" &&
  fact.supersedes.length === 0 &&
  last?.fact.type === "memory.written" &&
  last.seq === seq - 1

const joined = (first: DreamDifference | undefined, rest: DreamDifference | null): DreamDifference => {
  const all = first ?? { kind: "split", of: [], before: [], after: [], reason: "" }
  return {
    ...all,
    after: [...all.after, ...(rest?.after ?? [])],
    made: [...(all.made ?? []), ...(rest?.made ?? [])],
  }
}

const lastOf = (log: readonly ProjectEvent[], { seq, fact }: ProjectEvent) =>
  log.findLast((event) => event.seq < seq && event.fact.type === fact.type)?.fact

function differenceOf(
  { seq, fact }: ProjectEvent,
  text: (id: MemoryId) => string,
  earlier: ProjectEvent["fact"] | undefined,
  log: readonly ProjectEvent[],
): DreamDifference | null {
  const made = [memoryIdAt(seq)]
  const { task, reason = "" } = "source" in fact ? fact.source : {}
  switch (fact.type) {
    case "memory.archived":
      return {
        ...(task && { task }),
        kind: "archive",
        of: [fact.memory],
        before: [text(fact.memory)],
        after: [],
        reason: fact.reason ?? "",
      }
    case "memory.updated":
      return {
        ...(task && { task }),
        kind: "update",
        of: [fact.memory],
        before: [text(fact.memory)],
        after: [fact.text ?? ""],
        reason,
      }
    case "memory.merged":
      return {
        ...(task && { task }),
        kind: "merge",
        of: fact.from,
        before: fact.from.map(text),
        after: [fact.text],
        made,
        reason,
      }
    case "memory.written":
      return {
        ...(task && { task }),
        kind: "split",
        of: fact.supersedes,
        before: fact.supersedes.map(text),
        after: [fact.text],
        made,
        reason,
      }
    case "document.written": {
      const before = fact.before === null ? [] : [fact.before]
      return { kind: "document", of: [fact.path], before, after: [fact.after], reason: "" }
    }
    case "keyfiles.chosen": {
      const paths = (one: typeof earlier) =>
        one?.type === fact.type ? one.files.map(({ path }) => path) : []
      return { kind: "key-files", of: ["key-files"], before: paths(earlier), after: paths(fact), reason: "" }
    }
    case "profile.written": {
      const before = earlier?.type === fact.type ? earlier.lines : []
      return { kind: "profile", of: ["profile"], before, after: fact.lines, reason: "" }
    }
    case "smart-note.ready":
      return {
        kind: "note",
        of: [fact.note],
        before: [],
        after: noteText(log, fact.note, seq),
        reason: fact.reason ?? "",
      }
    default:
      return null
  }
}

/** As it was written or changed last before a place; none where the log begins behind that. */
function noteText(log: readonly ProjectEvent[], note: SmartNoteId, before: number): readonly string[] {
  const texts = log.flatMap(({ seq, fact }): readonly string[] => {
    if (seq >= before) return []
    if (fact.type === "smart-note.written") return smartNoteIdAt(seq) === note ? [fact.text] : []
    return fact.type === "smart-note.updated" && fact.note === note ? [fact.text ?? []].flat() : []
  })
  return texts.slice(-1)
}
