/** Runs of the dreamer that are on record: listed, read with every difference, and taken back (DM1, SU4). */
import { Clock, Effect } from "effect"
import { differencesOf, dreamIdAt, planRevert } from "@holdfast/recall"
import { DreamNotFound, type StoreFailure } from "@holdfast/schema/error"
import type { DreamDetail, DreamRun, RevertedDream } from "@holdfast/schema/instance/dream"
import type { Location } from "@holdfast/schema/location"
import type { DreamFact, DreamId } from "@holdfast/schema/memory/dream"
import type { ProjectEvent } from "@holdfast/schema/memory/fold"
import type { Memory, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import type { SmartNoteChange } from "@holdfast/schema/memory/note"
import type { ProjectPlace, Store } from "@holdfast/store/port"
import { projectOf } from "../memory/known.ts"
import type { RuntimePorts } from "../session/ports.ts"

const logPage = 1_000
/** Runs among which one is looked for, and that are counted. */
export const runsMax = 10_000

/** With what was taken back of them since. */
export const listedRuns = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  location: Location,
  limit: number,
): Effect.fn.Return<readonly DreamRun[], StoreFailure> {
  const { root } = yield* projectOf(ports, location)
  const runs = yield* listRuns(ports, location, limit)
  return yield* withTakenBack(ports, location, yield* readLog(ports.store, root, 0), runs)
})

const listRuns = Effect.fnUntraced(function* (ports: RuntimePorts, location: Location, limit: number) {
  const { root } = yield* projectOf(ports, location)
  const started = yield* ports.store.projectFacts(root, { type: "dream.started", limit })
  const settled = yield* ports.store.projectFacts(root, { type: "dream.settled", limit })
  const log = yield* readLog(ports.store, root, (started.at(-1)?.seq ?? 1) - 1)
  return started.flatMap(({ seq, time, fact }): readonly DreamRun[] => {
    if (fact.type !== "dream.started") return []
    const run = dreamIdAt(seq)
    const end = settled.find((event) => isSettled(event.fact) && event.fact.run === run)
    const said = end !== undefined && isSettled(end.fact) ? end.fact : null
    return [
      {
        run,
        by: fact.by,
        startedAt: time,
        settledAt: end?.time ?? null,
        outcome: said?.outcome ?? null,
        tasks: said?.tasks ?? [],
        changes: differencesOf(log, run)?.length ?? 0,
        cost: said === null ? 0 : said.cost,
      },
    ]
  })
})

const isSettled = (fact: ProjectEvent["fact"]): fact is Extract<DreamFact, { type: "dream.settled" }> =>
  fact.type === "dream.settled"

export const runDetail = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  location: Location,
  run: DreamId,
): Effect.fn.Return<DreamDetail, DreamNotFound | StoreFailure> {
  const { root } = yield* projectOf(ports, location)
  const log = yield* readLog(ports.store, root, 0)
  const differences = differencesOf(log, run)
  const runs = differences === null ? [] : yield* listRuns(ports, location, runsMax)
  const found = runs.find((one) => one.run === run)
  if (differences === null || found === undefined) return yield* noRun(run)
  const [told = found] = yield* withTakenBack(ports, location, log, [found])
  return { run: told, differences }
})

/** A run whose revert would find that all of it is as it was before. */
const withTakenBack = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  { projectRoot }: Location,
  log: readonly ProjectEvent[],
  runs: readonly DreamRun[],
): Effect.fn.Return<readonly DreamRun[]> {
  const told: DreamRun[] = []
  for (const one of runs) {
    const plan = one.changes === 0 ? null : planRevert(log, one.run, byPerson)
    let already = plan?.already.length ?? 0
    let left = plan === null ? 0 : plan.changes.length + plan.facts.length + plan.notes.length
    for (const { path, before, after } of left > 0 ? [] : (plan?.documents ?? [])) {
      const now = yield* readNow(ports, projectRoot, path)
      if (now === after) left++
      else if (now === before) already++
    }
    told.push(left === 0 && already > 0 ? { ...one, takenBack: true } : one)
  }
  return told
})

const readNow = ({ projectFiles: files }: RuntimePorts, root: string, path: string) =>
  Effect.map(files?.read(root, path, documentBytesMax) ?? Effect.succeed(null), (text) => text ?? null)

const noRun = (run: DreamId): DreamNotFound =>
  new DreamNotFound({
    run,
    message: `The dreamer has no run ${run.slice(0, 20)} in this project. holdfast dream list shows them.`,
  })

const readLog = Effect.fnUntraced(function* (
  store: Store,
  root: string,
  from: number,
): Effect.fn.Return<readonly ProjectEvent[], StoreFailure> {
  const log: ProjectEvent[] = []
  for (let after = from; ; after = log.at(-1)?.seq ?? after) {
    const page = yield* store.memoryLog(root, after, logPage)
    log.push(...page)
    if (page.length < logPage) return log
  }
})

/** All of its memories, key files and the profile in one commit, then the files and notes; a repeat finds what is left. */
export const revertRun = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  location: Location,
  run: DreamId,
  only: readonly string[] | undefined,
): Effect.fn.Return<RevertedDream, DreamNotFound | StoreFailure> {
  const project = yield* projectOf(ports, location, "write")
  const log = yield* readLog(ports.store, project.root, 0)
  const plan = planRevert(log, run, byPerson, only)
  if (plan === null) return yield* noRun(run)
  const time = yield* Clock.currentTimeMillis
  const { changes, facts } = plan
  const kept = [...plan.kept]
  const already = [...plan.already]
  const made = yield* ports.store.commit({
    kind: "change-memory",
    project,
    time,
    changes,
    takenBack: { facts, followsSeq: log.at(-1)?.seq ?? 0 },
  })
  if (made.kind === "refused")
    kept.push({ of: made.ids.join(", ") || run, reason: "It was changed meanwhile. Revert the run again." })
  const documents: string[] = []
  for (const { path, before, after } of plan.documents) {
    const { projectFiles: files } = ports
    const now = yield* readNow(ports, location.projectRoot, path)
    if (
      now === after &&
      (yield* files?.write(location.projectRoot, path, before) ?? Effect.succeed(false)) === true
    )
      documents.push(path)
    else if (now === before) already.push(path)
    else kept.push({ of: path, reason: "It was changed since." })
  }
  const results = made.kind === "changed" ? made.results : []
  const restored = results.flatMap((result, at) => (changes[at]?.change === "archive" ? [] : [result.memory]))
  const expired = restored.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= time)
  const others = [
    ...(made.kind === "changed" ? facts.map(nameOfFact) : []),
    ...(yield* takeNotesBack(ports, project, plan.notes)),
  ]
  const remaining = only === undefined ? [] : yield* leftToRevert(ports, location, project, run)
  return {
    run,
    reverted: idsOf(restored),
    ...(expired.length > 0 && { expired: idsOf(expired) }),
    documents,
    ...(others.length > 0 && { others }),
    kept,
    ...(already.length > 0 && { already }),
    ...(remaining.length > 0 && { remaining }),
  }
})

/** By the names that `only` takes: what of a run could be taken back now. */
const leftToRevert = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  { projectRoot }: Location,
  { root }: ProjectPlace,
  run: DreamId,
): Effect.fn.Return<readonly string[], StoreFailure> {
  const plan = planRevert(yield* readLog(ports.store, root, 0), run, byPerson)
  if (plan === null) return []
  const documents: string[] = []
  for (const { path, after } of plan.documents)
    if ((yield* readNow(ports, projectRoot, path)) === after) documents.push(path)
  const memories = plan.changes.flatMap((change) =>
    change.change === "restore" || change.change === "update" ? [change.memory] : [],
  )
  return [...new Set(memories), ...documents, ...plan.facts.map(nameOfFact), ...plan.notes.flatMap(noteIn)]
})

const noteIn = (change: SmartNoteChange): readonly string[] => ("note" in change ? [change.note] : [])

const byPerson: MemorySource = { by: "person", session: null, messages: [] }

const idsOf = (memories: readonly Memory[]): readonly MemoryId[] => [...new Set(memories.map(({ id }) => id))]

const nameOfFact = ({ type }: DreamFact): string => (type === "keyfiles.chosen" ? "key-files" : "profile")

/** Those that wait again: what was shown or changed meanwhile stays. */
const takeNotesBack = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  project: ProjectPlace,
  changes: readonly SmartNoteChange[],
): Effect.fn.Return<readonly string[], StoreFailure> {
  if (changes.length === 0) return []
  const time = yield* Clock.currentTimeMillis
  const outcome = yield* store.commit({ kind: "change-notes", project, time, changes })
  const notes = outcome.kind === "changed" ? outcome.notes : []
  return notes.filter(({ status }) => status === "waiting").map(({ id }) => id)
})

const documentBytesMax = 1_048_576
