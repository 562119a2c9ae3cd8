/**
 * Which project a directory belongs to (MM1): its repository, whose worktrees share one memory, else itself.
 *
 * The place is the directory of the repository that all worktrees lead to. What the file system says of it, its mark, is kept:
 *
 *   a directory that stood elsewhere before and stands there no more   has moved, and keeps its memory
 *   another one at the same place, of the same repository              was cloned anew, and keeps it
 *   another one at the same place, of another repository               begins with its own; the former's is kept beside
 *   one that began with the first commit of a project that is known    begins with its own
 *
 * The last two may be a copy, or have moved in a way that leaves no mark, from another disk for one: a person is asked, durably, and
 * nothing waits for the answer.
 */
import { execFile } from "node:child_process"
import { statSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { Clock, Effect, Option } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { ProjectPlace, ProjectRow, Store } from "@holdfast/store/port"

/** How long Git may look for the first commit of a repository. */
const originMs = 5_000
/** How long the disk may take to say where a repository is, and how long that is believed: each boundary asks. */
export const rootAnswerMs = 5_000
export const rootKeptMs = 60_000
/** Places that a process remembers; more are looked up again. */
const placesMax = 1_000

/** Without a purpose nothing will be written. */
export type ProjectFinder = (
  location: Location,
  purpose?: "write",
) => Effect.Effect<ProjectPlace, StoreFailure>

export interface ProjectMachine {
  /** The directory of the repository that a worktree belongs to; of anything else the root itself. */
  readonly root: (projectRoot: string) => Effect.Effect<string>
  /** The first commit of the repository at a root, or null. */
  readonly origin: (root: string) => Effect.Effect<string | null>
  /** What no other directory has, and this one keeps wherever it is renamed to; null where there is none, or nobody can say. */
  readonly mark: (root: string) => string | null
}

type ProjectStore = Pick<Store, "projects" | "place" | "marks" | "commit">

export function makeProjectFinder(store: ProjectStore, machine: ProjectMachine = nodeMachine): ProjectFinder {
  const known = new Map<string, ProjectPlace>()
  const settled = new Set<string>()
  const rootOf = keptRoots(machine)
  return Effect.fnUntraced(function* ({ projectRoot }, purpose) {
    const root = yield* rootOf(projectRoot)
    if (settled.size >= placesMax) settled.clear()
    if (root !== projectRoot && !settled.has(projectRoot)) {
      yield* joinWorktree(store, projectRoot, root)
      settled.add(projectRoot)
    }
    const stands = known.get(root)
    if (stands !== undefined) return stands
    if (!settled.has(root)) {
      yield* settle(store, machine, root)
      settled.add(root)
    }
    // Git may take its time: a turn waits for it only where something is known that this may be a copy of.
    const [any] = purpose === "write" ? [true] : yield* store.projects({ origin: null })
    if (any === undefined) return { root, origin: null }
    const place = yield* find(store, machine, root)
    if (known.size >= placesMax) known.clear()
    known.set(root, place)
    return place
  })
}

/** A disk that does not answer holds nobody up for long: what was known, else the root itself, is taken meanwhile. */
function keptRoots(machine: ProjectMachine): ProjectMachine["root"] {
  const roots = new Map<string, { readonly root: string; readonly untilMs: number }>()
  return Effect.fnUntraced(function* (projectRoot) {
    const kept = roots.get(projectRoot)
    const nowMs = yield* Clock.currentTimeMillis
    if (kept !== undefined && nowMs < kept.untilMs) return kept.root
    const found = yield* Effect.timeoutOption(machine.root(projectRoot), rootAnswerMs)
    if (Option.isNone(found)) return kept?.root ?? projectRoot
    if (roots.size >= placesMax) roots.clear()
    roots.set(projectRoot, { root: found.value, untilMs: nowMs + rootKeptMs })
    return found.value
  })
}

/** What was said in a worktree is found in the others, also when it is gone. */
const joinWorktree = Effect.fnUntraced(function* (
  store: Pick<Store, "place" | "commit">,
  root: string,
  shares: string,
): Effect.fn.Return<void, StoreFailure> {
  if ((yield* store.place(root))?.shares === shares) return
  yield* store.commit({ kind: "join-project", root, shares, time: yield* Clock.currentTimeMillis })
})

/** Follows a directory that was renamed, makes room for another repository, and keeps the mark. */
const settle = Effect.fnUntraced(function* (
  store: ProjectStore,
  machine: ProjectMachine,
  root: string,
): Effect.fn.Return<void, StoreFailure> {
  const mark = machine.mark(root)
  const [before] = yield* store.marks({ root })
  if (mark === null || before?.mark === mark) return
  const [here] = yield* store.projects({ root })
  if (here !== undefined && here.root === root && here.origin !== null && before !== undefined) {
    const origin = yield* machine.origin(root)
    // Nothing is committed yet, or Git does not say: it is looked at again.
    if (origin === null) return
    if (origin !== here.origin) yield* putAside(store, here)
  } else if (here !== undefined) return yield* keepMark(store, root, mark)
  const gone = (yield* store.marks({ mark })).filter((other) => machine.mark(other.root) !== mark)
  const [moved] = gone
  // Of several nobody can say which one this is.
  const follows =
    moved !== undefined && gone.length === 1
      ? yield* store.commit({ kind: "move-project", from: moved.root, to: root })
      : null
  if (follows?.kind !== "moved") yield* keepMark(store, root, mark)
})

const keepMark = (store: ProjectStore, root: string, mark: string): Effect.Effect<void, StoreFailure> =>
  Effect.asVoid(store.commit({ kind: "mark-project", root, mark }))

/** Another repository stands where this one did: a person may say that it is the same all the same. */
const putAside = Effect.fnUntraced(function* (
  store: ProjectStore,
  { key, root, origin }: ProjectRow,
): Effect.fn.Return<void, StoreFailure> {
  yield* store.commit({ kind: "move-project", from: root, to: `${root}#${key}`, leavesSessions: true })
  const time = yield* Clock.currentTimeMillis
  yield* store.commit({ kind: "ask-project", root, origin, time })
})

const find = Effect.fnUntraced(function* (
  store: ProjectStore,
  { origin: originOf }: ProjectMachine,
  root: string,
): Effect.fn.Return<ProjectPlace, StoreFailure> {
  const [here] = yield* store.projects({ root })
  if (here !== undefined && (here.origin !== null || here.root !== root)) return { root, origin: here.origin }
  const origin = yield* originOf(root)
  if (here === undefined && origin !== null && (yield* store.projects({ origin })).length > 0)
    yield* store.commit({ kind: "ask-project", root, origin, time: yield* Clock.currentTimeMillis })
  return { root, origin }
})

export async function sharedRoot(projectRoot: string): Promise<string> {
  const marker = join(projectRoot, ".git")
  try {
    if ((await stat(marker)).isDirectory()) return projectRoot
    const [, link] = /^gitdir: (.+)$/m.exec(await readFile(marker, "utf8")) ?? []
    if (link === undefined) return projectRoot
    const own = resolve(projectRoot, link)
    const common = resolve(own, (await readFile(join(own, "commondir"), "utf8")).trim())
    return basename(common) === ".git" ? dirname(common) : common
  } catch {
    return projectRoot // no repository of Git, or a submodule, which has no common directory
  }
}

const nodeMachine: ProjectMachine = {
  root: (projectRoot) => Effect.promise(() => sharedRoot(projectRoot)),
  mark: (root) => {
    try {
      const { ino, birthtimeNs } = statSync(root, { bigint: true })
      // A number is used again for what is made later; the moment at which it was made tells them apart.
      return birthtimeNs === 0n ? null : `${ino}:${birthtimeNs}`
    } catch {
      return null // it is gone, or may not be looked at
    }
  },
  origin: (root) =>
    Effect.callback((resume) => {
      const child = execFile(
        "git",
        ["-C", root, "rev-list", "--max-parents=0", "HEAD"],
        { timeout: originMs, maxBuffer: 65_536 },
        (failed, out) =>
          resume(Effect.succeed(failed === null ? (out.trim().split("\n").at(-1) ?? null) : null)),
      )
      return Effect.sync(() => child.kill())
    }),
}
