/**
 * Which project a directory belongs to (MM1): its repository, whose worktrees share one memory, else itself.
 *
 * The place is the directory of the repository that all worktrees lead to. The origin, its first commit, is asked
 * for once where nothing is known of a place yet: a project that was there before, and whose directory is gone,
 * has moved here and keeps its memory. Where that directory still stands this one may be a copy: a person is asked, durably,
 * and until there is an answer it has a memory of its own.
 */
import { execFile } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { Clock, Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { ProjectPlace, Store } from "@holdfast/store/port"

/** How long Git may look for the first commit of a repository. */
const originMs = 5_000
/** Places that a process remembers; more are looked up again. */
const placesMax = 1_000

/** Without a purpose nothing will be written. */
export type ProjectFinder = (
  location: Location,
  purpose?: "write",
) => Effect.Effect<ProjectPlace, StoreFailure>

export interface ProjectMachine {
  /** The first commit of the repository at a root, or null. */
  readonly origin: (root: string) => Effect.Effect<string | null>
  readonly exists: (path: string) => boolean
}

export function makeProjectFinder(
  store: Pick<Store, "projects" | "place" | "commit">,
  machine: ProjectMachine = nodeMachine,
): ProjectFinder {
  const known = new Map<string, ProjectPlace>()
  const joined = new Set<string>()
  return Effect.fnUntraced(function* ({ projectRoot }, purpose) {
    const root = sharedRoot(projectRoot)
    if (root !== projectRoot && !joined.has(projectRoot)) {
      yield* joinWorktree(store, projectRoot, root)
      joined.add(projectRoot)
    }
    const stands = known.get(root)
    if (stands !== undefined) return stands
    // Git may take its time: a turn waits for it only where something can have moved.
    const [any] = purpose === "write" ? [true] : yield* store.projects({ origin: null })
    if (any === undefined) return { root, origin: null }
    const place = yield* find(store, machine, root)
    if (known.size >= placesMax) known.clear()
    known.set(root, place)
    return place
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

const find = Effect.fnUntraced(function* (
  store: Pick<Store, "projects" | "commit">,
  { origin: originOf, exists }: ProjectMachine,
  root: string,
): Effect.fn.Return<ProjectPlace, StoreFailure> {
  const [here] = yield* store.projects({ root })
  if (here !== undefined) return { root, origin: here.origin }
  const origin = yield* originOf(root)
  const alike = origin === null ? [] : yield* store.projects({ origin })
  const gone = alike.filter((project) => !exists(project.root))
  const [moved] = gone
  // Of several that are gone nobody can say which one this is.
  if (moved !== undefined && gone.length === 1)
    yield* store.commit({ kind: "move-project", from: moved.root, to: root })
  else if (alike.length > 0)
    yield* store.commit({ kind: "ask-project", root, origin, time: yield* Clock.currentTimeMillis })
  return { root, origin }
})

/** The directory of the repository that a worktree belongs to; of anything else the root itself. */
export function sharedRoot(projectRoot: string): string {
  const marker = join(projectRoot, ".git")
  try {
    if (statSync(marker).isDirectory()) return projectRoot
    const [, link] = /^gitdir: (.+)$/m.exec(readFileSync(marker, "utf8")) ?? []
    if (link === undefined) return projectRoot
    const own = resolve(projectRoot, link)
    const common = resolve(own, readFileSync(join(own, "commondir"), "utf8").trim())
    return basename(common) === ".git" ? dirname(common) : common
  } catch {
    return projectRoot // no repository of Git, or a submodule, which has no common directory
  }
}

const nodeMachine: ProjectMachine = {
  exists: existsSync,
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
