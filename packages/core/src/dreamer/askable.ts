/**
 * Which tasks a model is asked, and what (DM1): the one place that decides it, for a run and for the plan of one.
 *
 * A task is left out where the run may change no more, and where there is nothing that its answer could change.
 */
import { Clock, Effect } from "effect"
import {
  changesMemory,
  documentPaths,
  type DreamChange,
  type FileState,
  type Flag,
  type ModelTask,
  partOfRun,
  taskPrompt,
  type TaskView,
} from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { Memory } from "@holdfast/schema/memory/memory"
import type { RuntimePorts } from "../session/ports.ts"
import { readProfile } from "./profile.ts"
import { filesRead } from "./reads.ts"

export interface TaskPlace {
  readonly ports: RuntimePorts
  /** Of the project whose memory it is. */
  readonly root: string
  readonly location: Location
  readonly flags: readonly Flag[]
  /** Runs of the project before this one. */
  readonly runsBefore: number
  /** Those that are active when the task begins. */
  readonly memories: readonly Memory[]
}

export type Askable =
  | { readonly kind: "asked"; readonly view: TaskView; readonly prompt: string }
  | { readonly kind: "skipped"; readonly reason: string }

/** `left`: memories that the run may still end or rewrite. */
export const askableTask = Effect.fnUntraced(function* (
  place: TaskPlace,
  task: ModelTask,
  left: number,
): Effect.fn.Return<Askable, StoreFailure> {
  if (left <= 0 && changesMemory(task))
    return { kind: "skipped", reason: "The run changed as many memories as one run may." }
  const view = yield* viewOf(place, task)
  const prompt = taskPrompt(task, view)
  return prompt === null
    ? { kind: "skipped", reason: "There is nothing to do." }
    : { kind: "asked", view, prompt }
})

/** What is active once the rules are done; a merge leaves one. */
export function afterRules(memories: readonly Memory[], changes: readonly DreamChange[]): readonly Memory[] {
  const gone = new Set(
    changes.flatMap((change) =>
      change.kind === "archive" ? [change.id] : change.kind === "merge" ? change.ids.slice(1) : [],
    ),
  )
  return memories.filter(({ id }) => !gone.has(id))
}

const documentBytesMax = 65_536

const viewOf = Effect.fnUntraced(function* (
  { ports, root, location, flags, runsBefore, memories }: TaskPlace,
  task: ModelTask,
): Effect.fn.Return<TaskView, StoreFailure> {
  const documents = new Map<string, string | null>()
  const links: string[] = []
  if (task === "maintain-docs")
    for (const path of documentPaths) {
      const text = yield* readDocument(ports, location, path)
      // One that is too long, or no text, is none that a model could bring up to date.
      if (text !== null || !(yield* isThere(ports, location, path))) documents.set(path, text)
      else if (yield* isLink(ports, location, path)) links.push(path)
    }
  const profile = task === "profile" ? yield* readProfile(ports.store, root) : nobody
  return {
    memories: partOfRun(memories, runsBefore),
    flags,
    now: yield* Clock.currentTimeMillis,
    documents,
    links,
    notes: task === "smart-notes" ? yield* ports.store.notes(root, waitingNotes) : [],
    reads: task === "key-files" ? yield* filesRead(ports.store, location) : [],
    ...profile,
  }
})

const waitingNotes = { status: "waiting", limit: 100 } as const

const nobody = { profile: [], observations: [] }

/** As it is now; null where there is none that a model may bring up to date. */
export const readDocument = (
  ports: RuntimePorts,
  { projectRoot }: Location,
  path: string,
  bytesMax: number = documentBytesMax,
): Effect.Effect<string | null> =>
  Effect.map(
    ports.projectFiles?.read(projectRoot, path, bytesMax) ?? Effect.succeed(null),
    (text) => text ?? null,
  )

const isLink = (ports: RuntimePorts, { projectRoot }: Location, path: string): Effect.Effect<boolean> =>
  ports.projectFiles?.isLink(projectRoot, path) ?? Effect.succeed(false)

const isThere = (ports: RuntimePorts, { projectRoot }: Location, path: string) =>
  Effect.map(
    ports.projectFiles?.states(projectRoot, [path]) ?? Effect.succeed(new Map<string, FileState>()),
    (states) => states.get(path) === "there",
  )
