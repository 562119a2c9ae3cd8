/**
 * Runs of the dreamer (DM1): what a project's memory needs is found, bounded and done, one run at a time per store.
 *
 *   lease ─▶ what a dead run left ─▶ dream.started ─▶ tidy ─▶ a job for each task ─▶ dream.settled
 *
 * The rules come first and need no model. Each task of a model is a job of its own (jobs/runner.ts), below a hidden
 * Session of the run, which holds what all of them cost. What a model asks for passes the bounds of the run, and all of
 * it can be taken back.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Semaphore } from "effect"
import { dreamIdAt, type Flag, pathsIn, planTidy, type TidyPlan } from "@holdfast/recall"
import type { DreamNotFound, StoreFailure } from "@holdfast/schema/error"
import type {
  DreamDetail,
  DreamedChange,
  DreamReport,
  DreamRun,
  RevertedDream,
} from "@holdfast/schema/instance/dream"
import { idFromBytes, type SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { DreamedTask, DreamId } from "@holdfast/schema/memory/dream"
import type { Memory, MemoryId } from "@holdfast/schema/memory/memory"
import { usageNone } from "@holdfast/schema/model"
import type { Store } from "@holdfast/store/port"
import type { Degradations } from "../health/degradation.ts"
import type { JobRunner } from "../jobs/runner.ts"
import { projectOf } from "../memory/known.ts"
import { lookAtSettings, type RuntimePorts } from "../session/ports.ts"
import {
  applyDreamChanges,
  commitDream,
  dreamerSource,
  type DreamPlace,
  maskedDream,
  toldChange,
} from "./apply.ts"
import { afterRules, askableTask } from "./askable.ts"
import { underName } from "./lease.ts"
import { listedRuns, revertRun, runDetail, runsMax } from "./runs.ts"
import { isModelTask, runTasks } from "./tasks.ts"

const dreamerName = "dreamer"

/** Memories that are read at a time. */
const memoriesMax = 5_000

export interface DreamRequest {
  readonly location: Location
  readonly by: "timer" | "person"
  /** Finds what there is to do without a model, and does nothing. */
  readonly dryRun?: boolean | undefined
}

export interface Dreams {
  readonly run: (request: DreamRequest) => Effect.Effect<DreamReport, StoreFailure>
  /** The newest first. */
  readonly list: (location: Location, limit: number) => Effect.Effect<readonly DreamRun[], StoreFailure>
  /** With every difference. */
  readonly get: (location: Location, run: string) => Effect.Effect<DreamDetail, DreamNotFound | StoreFailure>
  /** `only`: what the differences name whose changes are taken back; none means all of the run. */
  readonly revert: (
    location: Location,
    run: string,
    only?: readonly string[],
  ) => Effect.Effect<RevertedDream, DreamNotFound | StoreFailure>
}

interface Work {
  readonly ports: RuntimePorts
  readonly hidden: Store
  readonly runner: JobRunner
}

/** `hidden` is the same store, with nobody who listens to what is written. */
export function makeDreams(
  ports: RuntimePorts,
  hidden: Store,
  runner: JobRunner,
  degradations: Degradations,
): Dreams {
  const work: Work = { ports, hidden, runner }
  // A lease tells processes apart; within this one a second run waits for nobody.
  const one = Semaphore.makeUnsafe(1)
  return {
    run: Effect.fnUntraced(function* (request) {
      yield* lookAtSettings(ports)
      if (request.dryRun === true) return yield* planned(work, request)
      const ran = yield* one.withPermitsIfAvailable(1)(
        underName(ports, dreamerName, (held) =>
          Effect.flatMap(projectOf(ports, request.location, "write"), (project) =>
            Effect.onInterrupt(dream(work, { ports, project, held }, request), () =>
              Effect.ignore(settleOwn(work, { ports, project, held })),
            ),
          ),
        ).pipe(Effect.tapError(({ message }) => degradations.report(dreamerName, message))),
      )
      const report = (ran._tag === "Some" ? ran.value : null) ?? elsewhere
      // What failed in the run is on record, and told from there.
      if (report.outcome !== "elsewhere") degradations.clear(dreamerName)
      return report
    }),
    list: (location, limit) => listedRuns(ports, location, limit),
    get: (location, run) => runDetail(ports, location, run as DreamId),
    revert: (location, run, only) => revertRun(ports, location, run as DreamId, only),
  }
}

const nothingDone = {
  run: null,
  changes: [],
  flags: [],
  tasks: [],
  memoriesBefore: 0,
  memoriesAfter: 0,
  usage: usageNone,
  cost: 0,
} as const

const elsewhere: DreamReport = { ...nothingDone, outcome: "elsewhere" }

const planned = Effect.fnUntraced(function* ({ ports }: Work, { location }: DreamRequest) {
  const { root } = yield* projectOf(ports, location)
  const active = yield* activeMemories(ports, root)
  const { memories } = active
  const { changes, flags, refused, left } = yield* tidyOf(ports, location, active)
  const { models = [], tasks = [] } = ports.dreamer?.() ?? {}
  const asked: DreamedTask[] = []
  const runsBefore = yield* countRuns(ports, root)
  const then = { ports, root, location, flags, runsBefore, memories: afterRules(memories, changes) }
  for (const task of models.length === 0 ? [] : tasks.filter(isModelTask))
    if ((yield* askableTask(then, task, left)).kind === "asked") asked.push(skippedTask(task, "planned"))
  const report: DreamReport = {
    ...nothingDone,
    outcome: "planned",
    changes: changes.map((change) => toldChange("tidy", maskedDream(ports.masks, change), memories)),
    flags: toldFlags(flags, memories, memories),
    tasks: [{ ...skippedTask("tidy", "planned"), refused }, ...asked],
    memoriesBefore: memories.length,
    memoriesAfter: memories.length,
  }
  return report
})

const countRuns = ({ store }: RuntimePorts, root: string) =>
  Effect.map(store.projectFacts(root, { type: "dream.started", limit: runsMax }), ({ length }) => length)

const skippedTask = (task: DreamedTask["task"], reason: string): DreamedTask => ({
  task,
  outcome: "skipped",
  reason,
  changes: 0,
  refused: 0,
})

const dream = Effect.fnUntraced(function* (
  work: Work,
  place: DreamPlace,
  { location, by }: DreamRequest,
): Effect.fn.Return<DreamReport, StoreFailure> {
  const { ports, project } = place
  yield* settleDead(work, place)
  const seq = yield* commitDream(place, { type: "dream.started", source: dreamerSource, by })
  const run = dreamIdAt(seq ?? 0)
  const active = yield* activeMemories(ports, project.root)
  const { memories } = active
  const plan = yield* tidyOf(ports, location, active)
  const { changes, flags } = plan
  const tidied = yield* applyDreamChanges(place, "tidy", changes, memories)
  const tidy: DreamedTask = {
    task: "tidy",
    outcome: "done",
    reason: null,
    changes: tidied.length,
    refused: changes.length - tidied.length + plan.refused,
  }
  const session = yield* openRunSession(work, place, run, location)
  const asked = yield* runTasks({
    place,
    runner: work.runner,
    location,
    run,
    session,
    flags,
    left: plan.left,
    runsBefore: (yield* countRuns(ports, project.root)) - 1,
    memories: Effect.map(activeMemories(ports, project.root), (now) => now.memories),
  })
  const { memories: after } = yield* activeMemories(ports, project.root)
  const tasks = [tidy, ...asked.tasks]
  const { usage, cost } = (yield* work.hidden.session(session)) ?? { usage: usageNone, cost: null }
  const failed = asked.tasks.some(({ outcome }) => outcome === "failed")
  const outcome = failed ? "failed" : "done"
  yield* commitDream(place, {
    type: "dream.settled",
    source: dreamerSource,
    run,
    outcome,
    tasks,
    usage,
    cost,
  })
  yield* work.hidden.commit({ kind: "delete-session", session })
  return {
    run,
    outcome,
    changes: [...tidied, ...asked.changes] satisfies readonly DreamedChange[],
    flags: toldFlags(flags, after, memories),
    tasks,
    memoriesBefore: memories.length,
    memoriesAfter: after.length,
    usage,
    cost,
  }
})

/** What a flag says is true of the words that the rules read: of others it says nothing. */
const toldFlags = (
  flags: readonly Flag[],
  now: readonly Memory[],
  before: readonly Memory[],
): DreamReport["flags"] =>
  flags.flatMap(({ id, reason }) => {
    const memory = now.find((one) => one.id === id)
    return memory === undefined || before.find((one) => one.id === id)?.text !== memory.text
      ? []
      : [{ memory: id, text: memory.text, reason }]
  })

interface Active {
  readonly memories: readonly Memory[]
  readonly broughtBackAt: ReadonlyMap<MemoryId, number>
}

/** What a person brought back counts as theirs, so that a run that was taken back is not done again; and so do their words. */
const activeMemories = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  root: string,
): Effect.fn.Return<Active, StoreFailure> {
  const memories: Memory[] = []
  for (let after = 0; ; after = memoryNumber(memories.at(-1))) {
    const page = yield* store.memories(root, { status: "active", after, limit: memoriesMax })
    memories.push(...page.memories)
    if (page.memories.length < memoriesMax) break
  }
  const restored = yield* store.projectFacts(root, { type: "memory.restored", limit: memoriesMax })
  const broughtBackAt = new Map<MemoryId, number>()
  for (const { time, fact } of restored.toReversed())
    if (fact.type === "memory.restored" && fact.source.by === "person") broughtBackAt.set(fact.memory, time)
  return {
    memories: memories.map((memory) =>
      broughtBackAt.has(memory.id) || memory.source.wordsOf === "person"
        ? { ...memory, source: { ...memory.source, by: "person" as const } }
        : memory,
    ),
    broughtBackAt,
  }
})

const memoryNumber = (memory: Memory | undefined): number => Number(memory?.id.slice(1) ?? 0)

const tidyOf = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  { projectRoot }: Location,
  { memories, broughtBackAt }: Active,
): Effect.fn.Return<TidyPlan> {
  const paths = [...new Set(memories.flatMap(({ text }) => pathsIn(text)))]
  const states = (yield* ports.projectFiles?.states(projectRoot, paths) ?? Effect.succeed(null)) ?? new Map()
  const now = yield* Clock.currentTimeMillis
  return planTidy({ memories, now, broughtBackAt, fileState: (path) => states.get(path) ?? "there" })
})

/** Below it the tasks are jobs; it has no turn of its own, and goes when the run is settled. */
const openRunSession = Effect.fnUntraced(function* (
  { hidden }: Work,
  { project }: DreamPlace,
  run: DreamId,
  location: Location,
): Effect.fn.Return<SessionId, StoreFailure> {
  const session = runSession(project.root, run)
  yield* hidden.commit({
    kind: "create-session",
    session,
    time: yield* Clock.currentTimeMillis,
    fact: {
      type: "session.created",
      kind: "job",
      parent: null,
      origin: null,
      location,
      title: run,
      titledBy: "person",
      model: null,
      agent: dreamerName,
      policy: "settle",
      onAsk: "deny",
      budget: { tokens: null, money: null },
      harness: "holdfast",
    },
  })
  return session
})

const runSession = (root: string, run: DreamId): SessionId =>
  idFromBytes(
    "ses",
    createHash("sha256")
      .update(JSON.stringify([dreamerName, root, run]))
      .digest(),
  ) as SessionId

/** A run that is cut off says so at once, unless it is because another process has the name now. */
const settleOwn = Effect.fnUntraced(function* (work: Work, place: DreamPlace) {
  const { kind } = yield* place.ports.store.commit({ kind: "renew-named", ...place.held })
  if (kind !== "lost") yield* settleDead(work, place)
})

/** A run whose process died before it said how it ended, or before its Session was gone: what it changed can be taken back. */
const settleDead = Effect.fnUntraced(function* (
  { hidden, runner }: Work,
  place: DreamPlace,
): Effect.fn.Return<void, StoreFailure> {
  const { store } = place.ports
  const { root } = place.project
  const [started] = yield* store.projectFacts(root, { type: "dream.started", limit: 1 })
  const [settled] = yield* store.projectFacts(root, { type: "dream.settled", limit: 1 })
  if (started === undefined) return
  const isOpen = (settled?.seq ?? 0) < started.seq
  const run = dreamIdAt(started.seq)
  const session = runSession(root, run)
  if (!isOpen && (yield* hidden.session(session)) === null) return
  yield* runner.settleLost
  const row = yield* hidden.session(session)
  const { usage, cost } = row ?? { usage: usageNone, cost: 0 }
  if (isOpen)
    yield* commitDream(place, {
      type: "dream.settled",
      source: dreamerSource,
      run,
      outcome: "interrupted",
      tasks: [],
      usage,
      cost,
    })
  if (row !== null) yield* hidden.commit({ kind: "delete-session", session })
})
