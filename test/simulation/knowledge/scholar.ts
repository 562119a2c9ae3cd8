/**
 * The scholar: memories and notes of two projects are written, edited, archived, merged and taken back from outside, the
 * dreamer is sent to work and its runs are reverted, at any moment and through any process. What was acknowledged is
 * remembered here.
 */
import { Effect } from "effect"
import type { MemoryCategory } from "@holdfast/schema/memory/memory"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { DreamTask } from "@holdfast/schema/memory/dream"
import type { Runtime } from "@holdfast/core/runtime"
import type { World } from "../../stage/scheduler.ts"
import { type ClientContext, home } from "../clients.ts"
import { words } from "../../stage/words.ts"

/** How the model answers that is asked to tend memory. */
const moods = ["helpful", "wrong", "hostile", "silent", "failing", "mixed"] as const
export type DreamMood = (typeof moods)[number]

export interface KnowledgePlan {
  /** Null where only the rules tend memory. */
  readonly dreamer: DreamMood | null
  readonly schedule: "always" | "never"
  /** Whether a worker embeds what was said. */
  readonly embeds: boolean
  readonly steps: readonly ScholarStep[]
}

export interface ScholarStep {
  readonly afterMs: number
  readonly act: (typeof acts)[number]
  readonly place: number
  readonly pick: number
}

const acts = [
  "write",
  "write",
  "write",
  "value",
  "passing",
  "edit",
  "archive",
  "merge",
  "restore",
  "note",
  "note-update",
  "note-dismiss",
  "dream",
  "dream",
  "revert",
  "search",
  "embed",
] as const

export const dreamTasks: readonly DreamTask[] = [
  "consolidate",
  "verify",
  "archive-stale",
  "improve",
  "maintain-docs",
  "smart-notes",
]

const stepsMin = 6
const stepsMax = 22
const picksMax = 1_000

/** A fifth of the seeds have one. */
export function drawKnowledge(world: World): KnowledgePlan | null {
  if (world.chance(0.8)) return null
  return {
    dreamer: world.chance(0.15) ? null : (moods[world.below(moods.length)] ?? "mixed"),
    schedule: world.chance(0.3) ? "always" : "never",
    embeds: world.chance(0.5),
    steps: Array.from({ length: stepsMin + world.below(stepsMax - stepsMin) }, () => ({
      afterMs: world.chance(0.6) ? world.below(60) : world.below(4_000),
      act: acts[world.below(acts.length)] ?? "write",
      place: world.below(3) === 0 ? 1 : 0,
      pick: world.below(picksMax),
    })),
  }
}

/** The projects, and what every text of theirs begins with. */
export const places = [home, "/sim/attic", "/sim/cellar"] as const
export const markOf = (root: string): string => `K${places.indexOf(root as (typeof places)[number])}`

const locationOf = (place: number) => {
  const directory = places[place] ?? home
  return { directory, projectRoot: directory }
}

/** What somebody was told to be done: the fact of a project's log that shows it. */
export interface Acknowledged {
  readonly root: string
  readonly type: string
  readonly text: string
}

const retriesMax = 30
const retryMs = 200
const passingMs = 5_000

/** Expected answers to somebody who knows only what was there a moment ago. */
const refusals = ["MemoryNotFound", "MemoryRefused", "NoteNotFound", "DreamNotFound"]

type Failure = { readonly _tag: string }

export function makeScholar({ world, machine, record, note }: ClientContext, plan: KnowledgePlan | null) {
  const acknowledged: Acknowledged[] = []

  /** Until it is acknowledged or refused: each of these is safe to repeat. */
  const insist = Effect.fnUntraced(function* <A>(
    what: string,
    call: (runtime: Runtime) => Effect.Effect<A, Failure>,
  ) {
    for (let attempt = 0; attempt < retriesMax; attempt++) {
      const end = yield* machine.call(call)
      if (end.kind === "ok") return end.value
      if (end.kind === "failed" && refusals.includes(end.error._tag)) return null
      if (end.kind === "failed" && end.error._tag !== "StoreFailure")
        record.problems.push(`scholar ${what} failed: ${String(end.error)}`)
      yield* Effect.sleep(retryMs)
    }
    return null
  })

  const memoriesOf = (place: number, status: "active" | "archived" | "superseded") =>
    Effect.map(
      insist("list", (runtime) => runtime.memories(locationOf(place), { status, limit: 1_000 })),
      (found) => found ?? [],
    )

  const noteChange = (place: number, type: string, text: string): void => {
    acknowledged.push({ root: locationOf(place).projectRoot, type, text })
  }

  const write = Effect.fnUntraced(function* (step: ScholarStep, at: number) {
    const location = locationOf(step.place)
    const text = textOf(world, step, at)
    const category: MemoryCategory =
      step.act === "value" ? "CONFIG_VALUES" : (memoryCategories[step.pick % 5] ?? "NAMING")
    const expiresAt = step.act === "passing" ? world.nowMs + world.below(passingMs) : null
    const change = { change: "write", category, text, expiresAt, supersedes: [] } as const
    const made = yield* insist(step.act, (runtime) => runtime.changeMemory(location, change))
    if (made !== null) noteChange(step.place, "memory.written", text)
  })

  const changeOld = Effect.fnUntraced(function* ({ act, place, pick }: ScholarStep, at: number) {
    const location = locationOf(place)
    const status = act !== "restore" ? "active" : pick % 2 === 0 ? "archived" : "superseded"
    const found = yield* memoriesOf(place, status)
    const memory = found[pick % Math.max(1, found.length)]
    if (memory === undefined) return
    if (act === "archive") {
      const reason = `archived by step ${at}`
      const change = { change: "archive", memory: memory.id, reason } as const
      const end = yield* insist(act, (runtime) => runtime.changeMemory(location, change))
      // Another may have archived it first: then nothing is to be done, and its reason stands.
      if (end !== null && end.reason === reason) noteChange(place, "memory.archived", reason)
    } else if (act === "edit") {
      const text = `${markOf(location.projectRoot)} edited by step ${at} ${words(world, 3)}`
      const change = { change: "update", memory: memory.id, text } as const
      if ((yield* insist(act, (runtime) => runtime.changeMemory(location, change))) !== null)
        noteChange(place, "memory.updated", text)
    } else if (act === "restore") {
      yield* insist(act, (runtime) =>
        runtime.changeMemory(location, { change: "restore", memory: memory.id }),
      )
    } else {
      const from = found.filter(({ category }) => category === memory.category).slice(0, 2 + (pick % 2))
      if (from.length < 2) return
      const text = `${markOf(location.projectRoot)} merged by step ${at}`
      const change = { change: "merge", from: from.map(({ id }) => id), category: null, text } as const
      if ((yield* insist(act, (runtime) => runtime.changeMemory(location, change))) !== null)
        noteChange(place, "memory.merged", text)
    }
  })

  const changeNote = Effect.fnUntraced(function* ({ act, place, pick }: ScholarStep, at: number) {
    const location = locationOf(place)
    if (act === "note") {
      const text = `${markOf(location.projectRoot)} note of step ${at}`
      const condition = pick % 3 === 0 ? {} : { condition: "the release is out" }
      const change = { change: "write", text, ...condition } as const
      if ((yield* insist(act, (runtime) => runtime.changeProjectNote(location, change))) !== null)
        noteChange(place, "smart-note.written", text)
      return
    }
    const notes = (yield* insist(act, (runtime) => runtime.projectNotes(location, { limit: 100 }))) ?? []
    const found = notes[pick % Math.max(1, notes.length)]
    if (found === undefined) return
    const condition = `step ${at} is done`
    yield* insist(act, (runtime) =>
      runtime.changeProjectNote(
        location,
        act === "note-dismiss"
          ? { change: "dismiss", note: found.id }
          : { change: "update", note: found.id, condition: pick % 2 === 0 ? condition : null },
      ),
    )
  })

  const revert = Effect.fnUntraced(function* ({ act, place, pick }: ScholarStep) {
    const location = locationOf(place)
    const runs = (yield* insist(act, (runtime) => runtime.dreams.list(location, 10))) ?? []
    const run = runs[pick % Math.max(1, runs.length)]?.run
    if (run !== undefined) yield* insist(act, (runtime) => runtime.dreams.revert(location, run))
  })

  const perform = (step: ScholarStep, at: number): Effect.Effect<unknown> => {
    const location = locationOf(step.place)
    const { projectRoot } = location
    note(`scholar ${step.act}`)
    switch (step.act) {
      case "write":
      case "value":
      case "passing":
        return write(step, at)
      case "note":
      case "note-update":
      case "note-dismiss":
        return changeNote(step, at)
      case "dream":
        // Not repeated where its process died: what was left is for the next run to settle.
        return machine.call((runtime) => runtime.dreams.run({ location, by: "person" }))
      case "revert":
        return revert(step)
      case "search":
        return insist(step.act, (runtime) => runtime.search({ text: words(world, 2), limit: 5, projectRoot }))
      case "embed":
        return insist(step.act, (runtime) => runtime.embedHistory({ projectRoot }))
      default:
        return changeOld(step, at)
    }
  }

  return {
    acknowledged,
    run: Effect.forEach(
      plan?.steps ?? [],
      (step, at) =>
        Effect.andThen(
          Effect.sleep(step.afterMs),
          Effect.suspend(() => perform(step, at)),
        ),
      { discard: true },
    ),
  }
}

/** Some say nearly the same, some name a file that is gone, and values take each other's place. */
function textOf(world: World, { act, place, pick }: ScholarStep, at: number): string {
  const mark = markOf(locationOf(place).projectRoot)
  if (act === "value") return `${mark} port of service ${pick % 4} is ${at}`
  if (pick % 5 === 0) return `${mark} run the linter before a commit of step ${at}`
  return pick % 7 === 0
    ? `${mark} src/gone${at}.ts owns retries`
    : `${mark} fact ${at} ${words(world, 1 + (pick % 9))}`
}
