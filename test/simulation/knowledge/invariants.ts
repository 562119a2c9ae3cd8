/**
 * What holds for the log of a project, whoever was killed while it was written, and for what windows showed of it.
 *
 *   MM1  nothing that was acknowledged is lost
 *   MM2  what stands in a log, and in a window, is of that project
 *   DM1  a run ends or rewrites a fifth at most by its model, and nothing that a person said
 *   DM2  the dreamer changes things within one run at a time
 *   NT1  a note surfaces once
 *   HB2  a Fold shows each memory once, as it was; a Delta tells changes of those alone, each once
 *   HB3  memory breaks the prefix only where somebody edited it from outside, or it is another's
 *   SE1  a search tells nothing that the window shows
 */
import { changedMax } from "@holdfast/recall"
import type { Event } from "@holdfast/schema/event"
import { bumpsEpoch, foldMemory, isMemoryFact, type ProjectEvent } from "@holdfast/schema/memory/fold"
import type { Memory, MemoryFact, MemoryId } from "@holdfast/schema/memory/memory"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import { judgeTold, markerOf, shownLine } from "../../recall/driver/knowledge.ts"
import { dreamt } from "./dreamer.ts"
import { type Acknowledged, markOf } from "./scholar.ts"

export interface ProjectLog {
  readonly key: number
  readonly root: string
  readonly log: readonly ProjectEvent[]
}

/** Where each Session ever was. */
export type Visits = ReadonlyMap<string, ReadonlySet<string>>

export function judgeProject(
  { root, log }: ProjectLog,
  visits: Visits,
  acknowledged: readonly Acknowledged[],
): readonly string[] {
  const problems = log.flatMap(({ seq }, at) => (seq === at + 1 ? [] : [`[MM1] the log jumps to ${seq}`]))
  const told = acknowledged.filter((one) => one.root === root)
  for (const { type, text } of told)
    if (!log.some(({ fact }) => fact.type === type && says(fact) === text))
      problems.push(`[MM1] ${type} "${text}" was acknowledged and is lost`)
  for (const { seq, fact } of log) {
    const other = /\bK\d\b/.exec(says(fact) ?? "")?.[0] ?? markOf(root)
    const dreamer = "source" in fact && fact.source.by === "dreamer"
    if (other !== markOf(root) && !dreamer) problems.push(`[MM2] ${seq} says what is of ${other}`)
    const session = "source" in fact ? fact.source.session : "session" in fact ? fact.session : null
    if (session !== null && visits.get(session)?.has(root) === false)
      problems.push(`[MM2] ${seq} comes from ${session}, which was never here`)
  }
  return [...problems, ...judgeRuns(log), ...judgeNotes(log)].map((problem) => `${root} ${problem}`)
}

const says = (fact: ProjectEvent["fact"]): string | null => {
  if (fact.type === "memory.archived") return fact.reason
  return "text" in fact ? (fact.text ?? null) : null
}

export type Memories = ReadonlyMap<string, Memory>

/** Memories as they were behind each place of the log. */
export function* foldLog(
  log: readonly ProjectEvent[],
): Generator<{ readonly event: ProjectEvent; readonly before: Memories; readonly after: Memories }> {
  let now: Memories = new Map()
  for (const event of log) {
    const before = now
    const { fact } = event
    if (isMemoryFact(fact)) {
      const changed = foldMemory({ ...event, fact }, (id) => before.get(id) ?? null) ?? []
      now = new Map([...before, ...changed.map((memory) => [memory.id as string, memory] as const)])
    }
    yield { event, before, after: now }
  }
}

const active = (memories: Memories): number =>
  [...memories.values()].filter(({ status }) => status === "active").length

/** What a change ends or rewrites. */
export const endedBy = (fact: MemoryFact): readonly MemoryId[] => {
  if (fact.type === "memory.written") return fact.supersedes
  if (fact.type === "memory.merged") return fact.from
  return fact.type === "memory.updated" || fact.type === "memory.archived" ? [fact.memory] : []
}

function judgeRuns(log: readonly ProjectEvent[]): readonly string[] {
  const problems: string[] = []
  const theirs = new Set<string>()
  let run: { readonly seq: number; most: number; changed: number } | null = null
  for (const { event, before, after } of foldLog(log)) {
    const { seq, fact } = event
    if (run !== null) run.most = Math.max(run.most, active(before))
    if (fact.type === "memory.restored" && fact.source.by === "person") theirs.add(fact.memory)
    if (fact.type === "dream.started") {
      if (run !== null) problems.push(`[DM2] d${seq} begins while d${run.seq} goes on`)
      run = { seq, most: active(after), changed: 0 }
    } else if (fact.type === "dream.settled") {
      if (run === null || fact.run !== `d${run.seq}`)
        problems.push(`[DM2] ${fact.run} ends and does not go on`)
      run = null
    } else if ("source" in fact && fact.source.by === "dreamer") {
      if (run === null) problems.push(`[DM2] ${fact.type} at ${seq} is of no run`)
      else if (isMemoryFact(fact)) problems.push(...judgeDreamt(seq, fact, before, theirs, run))
    }
  }
  if (run !== null) problems.push(`[DM2] d${run.seq} never ends`)
  return problems
}

function judgeDreamt(
  seq: number,
  fact: MemoryFact,
  before: Memories,
  theirs: ReadonlySet<string>,
  run: { readonly seq: number; readonly most: number; changed: number },
): readonly string[] {
  const problems: string[] = []
  const byModel = (says(fact) ?? "").includes(dreamt)
  for (const id of endedBy(fact)) {
    const memory = before.get(id)
    const ofPerson = memory?.source.by === "person" || theirs.has(id)
    // What was only to hold for a while ends, whoever said it.
    if (ofPerson && (byModel || memory?.expiresAt === null))
      problems.push(`[DM1] ${fact.type} at ${seq} ends ${id}, which a person said: ${memory?.text}`)
  }
  // Of those that are merged one goes on.
  if (byModel) run.changed += endedBy(fact).length - (fact.type === "memory.merged" ? 1 : 0)
  if (run.changed > changedMax(run.most))
    problems.push(`[DM1] d${run.seq} changed ${run.changed} of ${run.most}`)
  return problems
}

function judgeNotes(log: readonly ProjectEvent[]): readonly string[] {
  const surfaced = new Set<string>()
  return log.flatMap(({ fact }) => {
    // Another condition is another reminder.
    if (fact.type === "smart-note.updated" && fact.condition !== undefined) surfaced.delete(fact.note)
    if (fact.type !== "smart-note.surfaced") return []
    const again = surfaced.has(fact.note)
    surfaced.add(fact.note)
    return again ? [`[NT1] ${fact.note} surfaces again`] : []
  })
}

/** MM1: what an agent was told to be saved stands where it was told, in the log of a project. */
export function judgeSaved(
  session: string,
  events: readonly Event[],
  projects: readonly ProjectLog[],
): readonly string[] {
  return events.flatMap(({ fact }) => {
    if (fact.type !== "call.settled" || fact.outcome.state !== "done") return []
    const saved = [...JSON.stringify(fact.outcome).matchAll(/Saved memory m(\d+) in/g)]
    return saved.flatMap(([, id]) => {
      const found = projects.some(({ log }) => {
        const written = log[Number(id) - 1]?.fact
        const made = written?.type === "memory.written" || written?.type === "memory.merged"
        return made && written.source.session === session
      })
      return found ? [] : [`[MM1] m${id} was saved by ${fact.call} and is lost`]
    })
  })
}

/** What the turns of a Session showed of memory, against the logs. */
export function judgeWindow(events: readonly Event[], projects: readonly ProjectLog[]): readonly string[] {
  const problems: string[] = []
  let state: SessionState = emptyState
  for (const event of events) {
    const before = state
    state = advance(state, event)
    if (event.fact.type === "call.settled") problems.push(...judgeSearch(before, event))
    if (event.fact.type !== "turn.started") continue
    const settled = events[event.seq]?.fact
    if (settled?.type === "turn.settled" && settled.reason?.code === "window_exceeded") continue
    problems.push(...judgeSlots(event.fact, before, projects))
  }
  return problems
}

type Started = Extract<Event["fact"], { type: "turn.started" }>

function judgeSlots(
  { turn }: Started,
  state: SessionState,
  projects: readonly ProjectLog[],
): readonly string[] {
  const marker = markerOf(state)
  const wrong = judgeTold(marker)
  const problems = wrong === null ? [] : [`[HB2] ${turn}: ${wrong}`]
  const { slots } = state.frozen
  if (marker === null || slots === null) return problems
  const { projectRoot } = state.summary.location
  const project = projects.find(({ key }) => String(key) === marker.scope)
  if (project?.root !== projectRoot)
    problems.push(`[MM2] ${turn} in ${projectRoot} shows the memory of ${project?.root ?? marker.scope}`)
  if (project === undefined) return problems
  const known = memoriesAt(project, marker.seq)
  const lines = slots.baseline.split("\n")
  for (const id of marker.ids) {
    const shown = lines.filter((line) => shownLine(line)?.id === id)
    const text = known.get(id)?.text.replaceAll(/\s+/g, " ")
    if (shown.length !== 1 || shownLine(shown[0] ?? "")?.text !== text)
      problems.push(`[HB2] ${turn} does not show ${id} once as it was: ${shown.join(" | ")}`)
    if (known.get(id)?.status !== "active") problems.push(`[HB2] ${turn} shows ${id}, which held no more`)
  }
  return problems
}

const cached = new WeakMap<ProjectLog, Memories[]>()

function memoriesAt(project: ProjectLog, seq: number): Memories {
  const all = cached.get(project) ?? [new Map(), ...[...foldLog(project.log)].map(({ after }) => after)]
  cached.set(project, all)
  return all[seq] ?? new Map()
}

/** HB2, HB3: a Fold takes all of the Delta, and a pass that names memory as its reason found it changed. */
export function judgePasses(events: readonly Event[], projects: readonly ProjectLog[]): readonly string[] {
  const problems: string[] = []
  let state: SessionState = emptyState
  for (const event of events) {
    const before = markerOf(state)
    state = advance(state, event)
    const { fact } = event
    if (fact.type !== "pass.applied") continue
    const after = markerOf(state)
    if (fact.pass === "fold" && after !== null && after.delta !== "")
      problems.push(`[HB2] the Fold at ${event.seq} leaves memory in the Delta`)
    if (fact.reason !== "memory_changed") continue
    const moved = before?.scope !== after?.scope
    const log = projects.find(({ key }) => String(key) === before?.scope)?.log ?? []
    const edited = log.some(({ seq, fact: one }) => seq > (before?.seq ?? 0) && bumpsEpoch(one))
    if (!moved && !edited)
      problems.push(`[HB3] the pass at ${event.seq} breaks for memory that nobody edited`)
  }
  return problems
}

/** SE1: neither a memory nor a message that stands in the window. */
function judgeSearch(state: SessionState, { fact }: Event): readonly string[] {
  if (fact.type !== "call.settled" || fact.outcome.state !== "done") return []
  const text = JSON.stringify(fact.outcome)
  const { slots, from, gone, skeletons } = state.frozen
  if (!text.includes("Open one with context_expand")) return []
  const shown = new Set(
    `${slots?.baseline ?? ""}\n${slots?.delta ?? ""}`
      .split("\n")
      .flatMap((line) => shownLine(line)?.id ?? []),
  )
  const memories = [...text.matchAll(/\] memory (m\d+)[, ]/g)].flatMap(([, id]) =>
    shown.has(id ?? "") ? [id] : [],
  )
  const parts = [...text.matchAll(/\] part (\d+),/g)].filter(([, part]) => Number(part) >= from)
  return [
    ...memories.map((id) => `[SE1] a search tells ${id}, which the window shows`),
    ...(gone.size + skeletons.size > 0
      ? []
      : parts.map(([, part]) => `[SE1] a search tells part ${part}, which the window shows`)),
  ]
}
