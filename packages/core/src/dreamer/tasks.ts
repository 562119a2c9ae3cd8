/**
 * The tasks of a run that ask a model (DM1), one job each, until the run has changed all it may or the breaker opens.
 *
 * A job reads the whole memory, and files of the project by tools that change nothing. What it answers is bounded
 * over all tasks together. Three equal failures in a row end the rest: the same would fail again.
 */
import { Clock, Effect } from "effect"
import {
  bound,
  documentFaults,
  dreamerInstructions,
  type Flag,
  judgeTask,
  keyFilesMax,
  type ModelTask,
  type TaskAnswer,
  type TaskView,
} from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { DreamedChange } from "@holdfast/schema/instance/dream"
import type { SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { DreamedTask, DreamId, DreamTask, KeyFile } from "@holdfast/schema/memory/dream"
import type { Memory } from "@holdfast/schema/memory/memory"
import type { ModelRef } from "@holdfast/schema/model"
import { fileTools, readingTools } from "../jobs/reading-tools.ts"
import type { JobAgents, JobRunner } from "../jobs/runner.ts"
import type { RuntimePorts } from "../session/ports.ts"
import { applyDreamChanges, commitDream, dreamerSource, type DreamPlace } from "./apply.ts"
import { askableTask, readDocument } from "./askable.ts"
import { readProfile } from "./profile.ts"

/** Turns of one task, and how long it may take. */
const turnsMax = 150
const taskMsMax = 20 * 60_000
/** Equal failures in a row after which nothing more is tried. */
export const failuresMax = 3
const keyFileBytesMax = 16_384
/** Of all key files together. */
const keyFilesBytesMax = 40_960

export const dreamerAgents = (ports: RuntimePorts): JobAgents => ({
  dreamer: {
    prompt: () => dreamerInstructions,
    turnsMax,
    sample: readingTools(ports, "dreamer", fileTools),
  },
})

export interface TaskRun {
  readonly place: DreamPlace
  readonly runner: JobRunner
  readonly location: Location
  readonly run: DreamId
  readonly session: SessionId
  readonly flags: readonly Flag[]
  /** Memories that all tasks together may end or rewrite. */
  readonly left: number
  /** Runs of the project before this one. */
  readonly runsBefore: number
  readonly memories: Effect.Effect<readonly Memory[], StoreFailure>
}

export interface RanTasks {
  readonly tasks: readonly DreamedTask[]
  readonly changes: readonly DreamedChange[]
}

export const runTasks = Effect.fnUntraced(function* (
  asked: TaskRun,
): Effect.fn.Return<RanTasks, StoreFailure> {
  const { models = [], tasks: wanted = [] } = asked.place.ports.dreamer?.() ?? {}
  const tasks: DreamedTask[] = []
  const changes: DreamedChange[] = []
  if (models.length === 0) return { tasks, changes }
  let { left } = asked
  let failures: readonly string[] = []
  for (const task of wanted) {
    if (!isModelTask(task)) continue
    if (failures.length >= failuresMax) {
      tasks.push(ended(task, "skipped", `After ${failuresMax} equal failures: ${failures[0]}`))
      continue
    }
    const done = yield* runTask(asked, models, task, left)
    left -= done.used
    changes.push(...done.changes)
    tasks.push(done.task)
    const { outcome, reason } = done.task
    if (outcome !== "failed" || reason === null) failures = outcome === "skipped" ? failures : []
    else failures = failures[0] === reason ? [...failures, reason] : [reason]
  }
  return { tasks, changes }
})

export const isModelTask = (task: DreamTask): task is ModelTask => task !== "tidy"

const ended = (task: DreamTask, outcome: DreamedTask["outcome"], reason: string | null): DreamedTask => ({
  task,
  outcome,
  reason,
  changes: 0,
  refused: 0,
})

interface RanTask {
  readonly task: DreamedTask
  readonly changes: readonly DreamedChange[]
  readonly used: number
}

const runTask = Effect.fnUntraced(function* (
  asked: TaskRun,
  models: readonly ModelRef[],
  task: ModelTask,
  left: number,
): Effect.fn.Return<RanTask, StoreFailure> {
  const { place, location, flags, runsBefore } = asked
  const { ports, project } = place
  const active = yield* asked.memories
  const askable = yield* askableTask(
    { ports, root: project.root, location, flags, runsBefore, memories: active },
    task,
    left,
  )
  if (askable.kind === "skipped")
    return { task: ended(task, "skipped", askable.reason), changes: [], used: 0 }
  const { view, prompt } = askable
  const end = yield* asked.runner.run({
    parent: asked.session,
    kind: "dreamer",
    key: `${asked.run} ${task}`,
    models,
    prompt,
    judge: (answer) => judgeTask(task, view, answer),
    msMax: taskMsMax,
  })
  if (end.kind !== "done") {
    const reason = end.kind === "elsewhere" ? "Its Session is gone." : ports.masks.kept(end.reason.message)
    return { task: ended(task, "failed", reason), changes: [], used: 0 }
  }
  // What others changed while the model thought is theirs: it answered what stands there no more.
  const looked = new Map(view.memories.map(({ id, changedSeq }) => [id, changedSeq]))
  const memories = (yield* asked.memories).filter(({ id, changedSeq }) => looked.get(id) === changedSeq)
  const { taken, refused: over, persons, used } = bound(end.value.changes, memories, left)
  const applied = yield* applyDreamChanges(asked.place, task, taken, memories)
  const made = [
    ...applied,
    ...(yield* writeDocuments(asked, view, end.value)),
    ...(yield* chooseKeyFiles(asked, end.value)),
    ...(yield* writeProfile(asked, end.value)),
    ...(yield* readyNotes(asked, end.value)),
  ]
  const refused = over + taken.length - applied.length
  const reason = leftOut(refused, persons)
  return { task: { ...ended(task, "done", reason), changes: made.length, refused }, changes: made, used }
})

/** Null where nothing of it is a person's: what else is left out follows with a later run, or is no longer possible. */
const leftOut = (refused: number, persons: number): string | null => {
  if (persons === 0) return null
  const said = "of what a person said, which no model changes"
  return persons === refused
    ? said
    : `${persons} ${said}, the others beyond what one run may do, or no longer possible`
}

/**
 * On record first: what was written without a record could not be taken back. What somebody wrote while the model thought stays, and
 * so does one whose protected regions would not be as they were once secrets are hidden.
 */
const writeDocuments = Effect.fnUntraced(function* (
  { place, location }: TaskRun,
  view: TaskView,
  { documents }: TaskAnswer,
): Effect.fn.Return<readonly DreamedChange[], StoreFailure> {
  const { ports } = place
  const made: DreamedChange[] = []
  for (const { path, text } of documents) {
    const before = yield* readDocument(ports, location, path)
    const after = ports.masks.text(text)
    if (before !== view.documents.get(path) || documentFaults(path, before, after).length > 0) continue
    yield* commitDream(place, { type: "document.written", source: dreamerSource, path, before, after })
    if (
      (yield* ports.projectFiles?.write(location.projectRoot, path, after) ?? Effect.succeed(false)) !== true
    )
      continue
    made.push({
      task: "maintain-docs",
      kind: "document",
      of: [path],
      before: before === null ? [] : [before],
      after: [after],
      reason: "",
    })
  }
  return made
})

/** KF1: what is kept are the bytes of the file as it is now, not what the model says of them. */
const chooseKeyFiles = Effect.fnUntraced(function* (
  { place, location }: TaskRun,
  { files }: TaskAnswer,
): Effect.fn.Return<readonly DreamedChange[], StoreFailure> {
  if (files === null) return []
  const chosen: KeyFile[] = []
  let room = keyFilesBytesMax
  for (const { path, reason } of files.slice(0, keyFilesMax)) {
    const text = isKeyFile(path) ? yield* readDocument(place.ports, location, path, keyFileBytesMax) : null
    if (text === null || Buffer.byteLength(text) > room) continue
    room -= Buffer.byteLength(text)
    chosen.push({ path, text: place.ports.masks.text(text), reason: place.ports.masks.kept(reason) })
  }
  const of = chosen.map(({ path }) => path)
  yield* commitDream(place, { type: "keyfiles.chosen", source: dreamerSource, files: chosen })
  return [{ task: "key-files", kind: "key-files", of, before: [], after: of, reason: "" }]
})

const isKeyFile = (path: string): boolean =>
  !/(?:^|\/)(?:package-lock\.json|[^/]*\.lock|[^/]*\.md|\.env[^/]*|\.git\/.*)$/i.test(path) &&
  !path.startsWith("/") &&
  !path.split("/").includes("..")

/** NT1: from here on they surface once; the store takes each only while it waits. */
const readyNotes = Effect.fnUntraced(function* (
  { place }: TaskRun,
  { met }: TaskAnswer,
): Effect.fn.Return<readonly DreamedChange[], StoreFailure> {
  const { ports, project } = place
  const made: DreamedChange[] = []
  for (const { id, reason } of met) {
    const told = ports.masks.kept(reason)
    const time = yield* Clock.currentTimeMillis
    const changes = [{ change: "ready", note: id, reason: told, source: dreamerSource } as const]
    const outcome = yield* ports.store.commit({ kind: "change-notes", project, time, changes })
    const [note] = outcome.kind === "changed" ? outcome.notes : []
    if (note === undefined) continue
    made.push({ task: "smart-notes", kind: "note", of: [id], before: [], after: [note.text], reason: told })
  }
  return made
})

const writeProfile = Effect.fnUntraced(function* (
  { place }: TaskRun,
  { profile }: TaskAnswer,
): Effect.fn.Return<readonly DreamedChange[], StoreFailure> {
  if (profile === null) return []
  const { profile: before } = yield* readProfile(place.ports.store, place.project.root)
  const lines = profile.map((line) => place.ports.masks.kept(line))
  yield* commitDream(place, { type: "profile.written", source: dreamerSource, lines })
  return [{ task: "profile", kind: "profile", of: [], before, after: lines, reason: "" }]
})
