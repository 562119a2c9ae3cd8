/**
 * The commits of a project, for search: HEAD without merges, read beside everything else (SE4). Those that are gone
 * from HEAD, as after a rebase, are taken away.
 */
import { execFile } from "node:child_process"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Store } from "@holdfast/store/port"
import type { GitCommit } from "@holdfast/store/search/embedding"
import type { Masks } from "../secrets/masks.ts"
import type { ProjectFinder } from "../memory/project.ts"

/** The newest of them. */
const commitsMax = 50_000
const commitsAtOnce = 500
const textLengthMax = 4_000
const gitMs = 60_000
const outputBytesMax = 268_435_456

/** What Git says of a directory; null where it says nothing. */
export interface GitLog {
  readonly head: (directory: string) => Effect.Effect<string | null>
  readonly log: (directory: string) => Effect.Effect<readonly GitCommit[] | null>
}

/** Reads the commits of a project where its HEAD is another than when it was read last; no secret is stored (AU1). */
export const makeCommitIndex = (
  store: Pick<Store, "commit" | "commitHashes">,
  masks: Pick<Masks, "text">,
  git: GitLog = nodeGit,
  project?: ProjectFinder,
): ((projectRoot: string) => Effect.Effect<void, StoreFailure>) => {
  const heads = new Map<string, string>()
  return Effect.fnUntraced(function* (projectRoot) {
    const head = yield* git.head(projectRoot)
    if (head === null || heads.get(projectRoot) === head) return
    const log = yield* git.log(projectRoot)
    if (log !== null) {
      const place = project === undefined ? null : yield* project({ directory: projectRoot, projectRoot })
      yield* writeLog(store, masks, place?.root ?? projectRoot, log)
    }
    if (heads.size >= projectsMax) heads.clear()
    heads.set(projectRoot, head)
  })
}

const projectsMax = 1_000

const writeLog = Effect.fnUntraced(function* (
  store: Pick<Store, "commit" | "commitHashes">,
  masks: Pick<Masks, "text">,
  root: string,
  log: readonly GitCommit[],
): Effect.fn.Return<void, StoreFailure> {
  const known = new Set(yield* store.commitHashes(root))
  const here = new Set(log.map(({ hash }) => hash))
  const fresh = log
    .filter(({ hash }) => !known.has(hash))
    .map((commit) => ({ ...commit, text: masks.text(commit.text) }))
  const gone = [...known].filter((hash) => !here.has(hash))
  for (let from = 0; from < Math.max(fresh.length, gone.length); from += commitsAtOnce) {
    const part = <A>(all: readonly A[]) => all.slice(from, from + commitsAtOnce)
    yield* store.commit({ kind: "write-commits", root, commits: part(fresh), gone: part(gone) })
  }
})

const format = "--format=%H%x00%ct%x00%B%x01"

const nodeGit: GitLog = {
  head: (directory) => Effect.map(askGit(directory, ["rev-parse", "HEAD"]), (out) => out?.trim() ?? null),
  log: (directory) =>
    Effect.map(
      askGit(directory, ["log", "--no-merges", `--max-count=${commitsMax}`, format, "HEAD"]),
      (out) => (out === null ? null : parseLog(out)),
    ),
}

const askGit = (directory: string, words: readonly string[]): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const child = execFile(
      "git",
      ["-C", directory, ...words],
      { timeout: gitMs, maxBuffer: outputBytesMax },
      (failed, out) => resume(Effect.succeed(failed === null ? out : null)),
    )
    return Effect.sync(() => child.kill())
  })

export const parseLog = (out: string): readonly GitCommit[] =>
  out.split("\u0001").flatMap((record) => {
    const [hash = "", seconds = "", text = ""] = record.trimStart().split("\0")
    return hash === ""
      ? []
      : [{ hash, time: Number(seconds) * 1_000, text: text.trim().slice(0, textLengthMax) }]
  })
