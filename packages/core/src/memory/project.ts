/**
 * Which project a directory belongs to (MM1): its repository, whose worktrees share one memory, else itself.
 *
 * The place is the directory of the repository that all worktrees lead to. What the file system says of it, its mark, is kept, and
 * says more than the path:
 *
 *   a directory that stood elsewhere before and stands there no more   has moved, and keeps its memory wherever it stands now
 *   the same one, whose file system numbers its directories anew       keeps it: it was made at the same moment
 *   another one at the same place, of the same repository              was cloned anew, and keeps it
 *   another one at the same place                                      begins with its own; the former's waits until it is seen
 *   one that began with the first commit of a project that is known    begins with its own
 *
 * The last may be a copy, or have moved in a way that leaves no mark, from another disk for one: a person is asked, durably, and
 * nothing waits for the answer.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import { Clock, Effect, Option } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { MarkProject, MoveProject } from "@holdfast/store/memory"
import type { ProjectPlace, Store } from "@holdfast/store/port"

/** How long Git may look for the first commit of a repository. */
const originMs = 5_000
/** How long the disk may take to say where a repository is, and how long that is believed: each boundary asks. */
export const rootAnswerMs = 5_000
export const rootKeptMs = 60_000
/** Looks at one directory where another process changes what is known of it meanwhile. */
const settleTriesMax = 3
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
  /** Whether there is a repository at all, also before its first commit. */
  readonly repository: (root: string) => boolean
  /** What no other directory has, and this one keeps wherever it is renamed to; null where there is none, or nobody can say. */
  readonly mark: (root: string) => Effect.Effect<string | null>
}

type ProjectStore = Pick<Store, "projects" | "place" | "marks" | "commit">

export function makeProjectFinder(store: ProjectStore, machine: ProjectMachine = nodeMachine): ProjectFinder {
  const known = new Map<string, ProjectPlace>()
  const joined = new Set<string>()
  const rootOf = keptRoots(machine)
  const stand = keptDirectories(store, machine)
  return Effect.fnUntraced(function* ({ projectRoot }, purpose) {
    const root = yield* rootOf(projectRoot)
    if (joined.size >= placesMax) joined.clear()
    if (root !== projectRoot && !joined.has(projectRoot)) {
      yield* joinWorktree(store, machine, projectRoot, root)
      joined.add(projectRoot)
    }
    if (yield* stand(root)) known.delete(root)
    const stands = known.get(root)
    if (stands !== undefined) return stands
    // Git may take its time: a turn waits for it only where something is known that this may be a copy of.
    const [any] = purpose === "write" ? [true] : yield* store.projects({ origin: null })
    if (any === undefined) return { root, origin: null }
    const place = yield* find(store, machine, root)
    if (known.size >= placesMax) known.clear()
    known.set(root, place)
    return place
  })
}

/** Looks at the directory each time, and says whether another one stands there; one that gives no answer is left alone for a while. */
function keptDirectories(
  store: ProjectStore,
  machine: ProjectMachine,
): (root: string) => Effect.Effect<boolean, StoreFailure> {
  const looks = new Map<string, { readonly mark: string | null; readonly againMs: number }>()
  return Effect.fnUntraced(function* (root) {
    const last = looks.get(root)
    const nowMs = yield* Clock.currentTimeMillis
    if (last !== undefined && nowMs < last.againMs) return false
    const mark = yield* Effect.timeoutOption(machine.mark(root), rootAnswerMs)
    if (looks.size >= placesMax) looks.clear()
    if (Option.isNone(mark)) {
      looks.set(root, { mark: last?.mark ?? null, againMs: nowMs + rootKeptMs })
      return false
    }
    // Where it was seen elsewhere meanwhile, the store says so.
    if (last?.mark === mark.value && ((yield* store.marks({ root }))[0]?.mark ?? null) === mark.value)
      return false
    const settled = yield* settle(store, machine, root)
    // Where Git does not say yet what stands there, it is asked again.
    if (settled !== "unsaid") looks.set(root, { mark: mark.value, againMs: 0 })
    return settled === "changed"
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
  store: Pick<Store, "place" | "marks" | "commit">,
  machine: ProjectMachine,
  root: string,
  shares: string,
): Effect.fn.Return<void, StoreFailure> {
  const mark = yield* machine.mark(root)
  const [before] = yield* store.marks({ root })
  if (mark !== null && before?.mark !== mark) {
    // What stood there may have been something else, with a memory of its own.
    const isOther = before !== undefined && !isSameDirectory(before.mark, mark)
    const replaces = isOther && { replaces: { mark: before.mark } }
    yield* store.commit({ kind: "mark-project", root, mark, ...replaces })
  }
  if ((yield* store.place(root))?.shares === shares) return
  yield* store.commit({ kind: "join-project", root, shares, time: yield* Clock.currentTimeMillis })
})

/** Follows a directory that was renamed, makes room for another one, and keeps the mark. */
const settle = Effect.fnUntraced(function* (
  store: ProjectStore,
  machine: ProjectMachine,
  root: string,
): Effect.fn.Return<"same" | "changed" | "unsaid", StoreFailure> {
  for (let tries = 0; tries < settleTriesMax; tries++) {
    const command = yield* planSettling(store, machine, root)
    if (typeof command === "string") return tries > 0 ? "changed" : command
    const outcome = yield* store.commit(command)
    if (outcome.kind !== "refused") break
  }
  return "changed"
})

/** One command, so that nobody finds half of it. */
const planSettling = Effect.fnUntraced(function* (
  store: ProjectStore,
  machine: ProjectMachine,
  root: string,
): Effect.fn.Return<MarkProject | MoveProject | "same" | "unsaid", StoreFailure> {
  const mark = yield* machine.mark(root)
  const [before] = yield* store.marks({ root })
  if (mark === null || before?.mark === mark) return "same"
  const alike = yield* store.marks({ mark })
  const gone = yield* Effect.filter(alike, (other) =>
    Effect.map(machine.mark(other.root), (stands) => stands !== mark),
  )
  const replaces = { mark: before?.mark ?? null }
  const [moved] = gone
  // Of several nobody can say which one this is.
  if (moved !== undefined && gone.length === 1)
    return { kind: "move-project", from: moved.root, to: root, replaces }
  if (before === undefined || isSameDirectory(before.mark, mark)) return { kind: "mark-project", root, mark }
  const verdict = yield* judgeReplaced(store, machine, root)
  if (verdict === "unsaid") return verdict
  return { kind: "mark-project", root, mark, ...(verdict === "another" && { replaces }) }
})

/**
 * Some file systems number their directories anew whenever they are mounted, and on some the moment at which a directory was made
 * goes back with a file that is unpacked there. One that was made anew has a later moment, whatever its number.
 */
function isSameDirectory(before: string, now: string): boolean {
  const [one, two] = [before, now].map((mark) => markShape.exec(mark)?.groups)
  if (one === undefined || two === undefined) return false
  const [was, is] = [BigInt(one["made"] ?? 0), BigInt(two["made"] ?? 0)]
  return was === is || (one["number"] === two["number"] && is < was)
}

const markShape = /^(?<number>\d+):(?<made>\d+)$/

/** Another directory stands at a root by the file system: it is all the same one where it holds the same repository. */
const judgeReplaced = Effect.fnUntraced(function* (
  store: ProjectStore,
  machine: ProjectMachine,
  root: string,
): Effect.fn.Return<"same" | "another" | "unsaid", StoreFailure> {
  const [here] = yield* store.projects({ root })
  const before = (here?.root === root ? here.origin : null) ?? (yield* store.place(root))?.origin ?? null
  if (before === null || !machine.repository(root)) return "another"
  const origin = yield* machine.origin(root)
  // Nothing is committed yet, or Git does not say: it is looked at again.
  if (origin === null) return "unsaid"
  return origin === before ? "same" : "another"
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
  repository: (root) =>
    existsSync(join(root, ".git")) || (existsSync(join(root, "HEAD")) && existsSync(join(root, "objects"))),
  mark: (root) =>
    Effect.promise(() =>
      stat(root, { bigint: true }).then(
        // A number is used again for what is made later; the moment at which it was made tells them apart.
        ({ ino, birthtimeNs }) => (birthtimeNs === 0n ? null : `${ino}:${birthtimeNs}`),
        () => null, // it is gone, or may not be looked at
      ),
    ),
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
