/**
 * How knowledge comes to rest, and what is judged then: the last runs of the dreamer settle what dead ones left, the queue is
 * worked through, and every run is taken back, the newest first.
 *
 *   DM1  what a run changed is as it was before, or is named with the reason why it stays
 *   SE2  all that was said gets its vectors
 */
import { Effect } from "effect"
import type { RevertedDream } from "@holdfast/schema/instance/dream"
import type { SessionId } from "@holdfast/schema/id"
import { isMemoryFact, memoryIdAt, type ProjectEvent } from "@holdfast/schema/memory/fold"
import type { Memory } from "@holdfast/schema/memory/memory"
import { advance, emptyState } from "@holdfast/schema/state/state"
import { openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import type { ClientContext } from "../clients.ts"
import {
  endedBy,
  foldLog,
  judgePasses,
  judgeProject,
  judgeSaved,
  judgeWindow,
  type Memories,
  type ProjectLog,
} from "./invariants.ts"
import { type Acknowledged, type KnowledgePlan, places } from "./scholar.ts"
import { simModel } from "./worker.ts"

const roundsMax = 200
const roundMs = 2_000
const eventsMax = 100_000

/** Until nobody dreams and the queue is empty. */
export const bringToRest = Effect.fnUntraced(function* (
  { machine, record }: ClientContext,
  plan: KnowledgePlan,
) {
  for (const directory of places) {
    const location = { directory, projectRoot: directory }
    for (let round = 0; round < roundsMax; round++) {
      const end = yield* machine.call((runtime) => runtime.dreams.run({ location, by: "person" }))
      if (end.kind === "ok" && end.value.outcome !== "elsewhere") break
      if (round === roundsMax - 1) record.problems.push(`[DM2] nobody can dream in ${directory} any more`)
      yield* Effect.sleep(roundMs)
    }
  }
  // Last: what a dream writes has vectors too.
  for (let round = 0; plan.embeds && round < roundsMax; round++) {
    const end = yield* machine.call((runtime) => runtime.embedHistory({ projectRoot: null }))
    if (end.kind === "ok" && end.value.due === 0) break
    if (round === roundsMax - 1) record.problems.push("[SE2] the queue is never empty")
    yield* Effect.sleep(roundMs)
  }
})

export const judgeKnowledge = Effect.fnUntraced(function* (
  { machine, record }: ClientContext,
  plan: KnowledgePlan,
  acknowledged: readonly Acknowledged[],
  met: (what: string) => void,
) {
  const store = yield* Effect.orDie(openInlineStore({ file: machine.disk.file() }))
  const problems: string[] = []
  const projects = yield* readProjects(store)
  const visits = new Map<string, Set<string>>()
  for (const [tag, session] of record.sessions) {
    const { events } = yield* Effect.orDie(store.events(session as SessionId, 0, eventsMax))
    const seen = new Set<string>()
    events.reduce((state, event) => {
      const next = advance(state, event)
      seen.add(next.summary.location.projectRoot)
      return next
    }, emptyState)
    visits.set(session, seen)
    const judged = [
      ...judgeWindow(events, projects),
      ...judgePasses(events, projects),
      ...judgeSaved(session, events, projects),
    ]
    problems.push(...judged.map((problem) => `${tag} ${problem}`))
  }
  for (const { fact } of projects.flatMap(({ log }) => log))
    met(`${fact.type}${"source" in fact ? ` by ${fact.source.by}` : ""}`)
  for (const project of projects) problems.push(...judgeProject(project, visits, acknowledged))
  if (plan.embeds) {
    const { due } = yield* Effect.orDie(store.embeddingProgress(simModel))
    if (due > 0) problems.push(`[SE2] ${due} units wait for their vectors`)
  }
  for (const project of projects) problems.push(...(yield* revertAll(machine, store, project)))
  yield* Effect.orDie(store.close())
  return problems
})

const readProjects = Effect.fnUntraced(function* (store: Store) {
  const projects: ProjectLog[] = []
  for (const root of places) {
    const [row] = yield* Effect.orDie(store.projects({ root }))
    if (row !== undefined)
      projects.push({ key: row.key, root, log: yield* Effect.orDie(store.memoryLog(root, 0, eventsMax)) })
  }
  return projects
})

const revertAll = Effect.fnUntraced(function* (
  machine: ClientContext["machine"],
  store: Store,
  { root, log }: ProjectLog,
) {
  const problems: string[] = []
  const location = { directory: root, projectRoot: root }
  const runs = log.flatMap(({ seq, fact }) => (fact.type === "dream.started" ? [seq] : []))
  for (const start of runs.toReversed()) {
    const run = `d${start}`
    const found = yield* Effect.orDie(store.memoryLog(root, 0, eventsMax))
    const end = yield* machine.call((runtime) => runtime.dreams.revert(location, run))
    if (end.kind !== "ok") {
      problems.push(
        `[DM1] ${run} could not be reverted: ${end.kind === "failed" ? String(end.error) : end.kind}`,
      )
      continue
    }
    const left = yield* Effect.orDie(store.memoryLog(root, 0, eventsMax))
    problems.push(...judgeReverted(start, found, left, end.value))
  }
  return problems.map((problem) => `${root} ${problem}`)
})

/** What the run touched is as it found it, or somebody else changed it since. */
function judgeReverted(
  start: number,
  found: readonly ProjectEvent[],
  left: readonly ProjectEvent[],
  { run, kept }: RevertedDream,
): readonly string[] {
  const next = found.find(({ seq, fact }) => seq > start && fact.type === "dream.started")?.seq ?? Infinity
  const was = new Map<string, Memory>()
  const made = new Set<string>()
  let now: Memories = new Map()
  for (const { event, before, after } of foldLog(left)) {
    now = after
    const { seq, fact } = event
    if (seq <= start || seq >= next || !isMemoryFact(fact) || fact.source.by !== "dreamer") continue
    if (fact.type === "memory.merged" || fact.type === "memory.written") made.add(memoryIdAt(seq))
    for (const id of endedBy(fact)) {
      const memory = before.get(id)
      if (memory !== undefined && !was.has(id) && !made.has(id)) was.set(id, memory)
    }
  }
  const named = new Set(kept.flatMap(({ of }) => of.split(", ")))
  const problems: string[] = []
  for (const [id, memory] of was) {
    const standing = now.get(id)
    // What took its place stays where somebody changed that.
    const stays = [id, standing?.supersededBy ?? id].filter((one) => named.has(one))
    if (stays.some((one) => changedByOthers(found, one, start, next))) continue
    if (
      standing?.text !== memory.text ||
      standing.status !== memory.status ||
      standing.category !== memory.category
    )
      problems.push(
        `[DM1] ${run} is reverted, and ${id} is ${standing?.status} "${standing?.text}", not ${memory.status} "${memory.text}"; kept: ${JSON.stringify(kept)}`,
      )
  }
  for (const id of made)
    if (now.get(id)?.status === "active" && !(named.has(id) && changedByOthers(found, id, start, next)))
      problems.push(`[DM1] ${run} is reverted, and ${id}, which it made, holds`)
  return problems
}

/** Behind what the run did of it: by somebody, or by another run that changed what this one left. */
function changedByOthers(log: readonly ProjectEvent[], id: string, start: number, next: number): boolean {
  return log.some(({ seq, fact }) => {
    if (seq <= start || !isMemoryFact(fact) || fact.type === "memory.seen") return false
    const own = fact.source.by === "dreamer" && seq < next
    const about = "memory" in fact ? fact.memory === id : endedBy(fact).some((one) => one === id)
    return !own && about
  })
}
