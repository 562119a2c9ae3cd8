/**
 * Steady: whether what a search tells of was in its place all the while (PE2).
 *
 * ripgrep opens files by their names, so that a link which somebody puts in the place of a file or a
 * folder in the very moment leads it elsewhere. Whoever does that changes the folder, and the system
 * notes when: a folder that has changed since the search began vouches for nothing in it. The deepest
 * are looked at first, because putting another tree in the place of one changes the folder above it.
 *
 * A search that met such a change is made once more, a moment later; what is still in motion then is
 * left out, and that is said.
 */
import { lstat } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect } from "effect"
import { counted } from "./result-page.ts"
import type { SearchPlace } from "./search-place.ts"

/** What a search has found, as far as it will be shown. */
export interface Found {
  /** Below the place. */
  readonly paths: () => readonly string[]
  readonly leaveOut: (paths: ReadonlySet<string>) => void
}

/** How much the clock of a file system may be behind. */
const clockMs = 20

/** Searches, and leaves out what changed its place meanwhile; tells how many files that were. */
export const searchSteadily = Effect.fnUntraced(function* <F extends Found, End, E>(
  place: SearchPlace,
  search: () => { readonly found: F; readonly run: Effect.Effect<End, E> },
): Effect.fn.Return<{ readonly found: F; readonly end: End; readonly moved: number }, E> {
  const once = Effect.fnUntraced(function* () {
    const sinceMs = Date.now() - clockMs
    const { found, run } = search()
    const end = yield* run
    const paths = place.kind === "file" ? [] : found.paths()
    return { found, end, moved: yield* Effect.promise(() => findMoved(place.directory, paths, sinceMs)) }
  })
  const first = yield* once()
  const last = first.moved.size === 0 ? first : yield* Effect.delay(once(), clockMs)
  last.found.leaveOut(last.moved)
  return { found: last.found, end: last.end, moved: last.moved.size }
})

export const movedNote = (count: number): string | null =>
  count === 0
    ? null
    : `${counted(count, "file")} left out, whose folders changed during the search; search again`

async function findMoved(
  directory: string,
  paths: readonly string[],
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  const isFile = await Promise.all(
    paths.map(async (path) => (await seen(directory, path))?.isFile() === true),
  )
  const folders = [...new Set(paths.flatMap(foldersAbove))].sort((a, b) => depthOf(b) - depthOf(a))
  const moved = new Set<string>()
  for (const folder of folders) {
    const found = await seen(directory, folder)
    if (found?.isDirectory() !== true || found.ctimeMs > sinceMs) moved.add(folder)
  }
  return new Set(
    paths.filter((path, at) => isFile[at] !== true || foldersAbove(path).some((folder) => moved.has(folder))),
  )
}

const seen = (directory: string, path: string) => lstat(`${directory}/${path}`).catch(() => null)

const depthOf = (folder: string): number => (folder === "." ? 0 : folder.split("/").length)

/** From its own up to the place itself, which is held open. */
function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === "." ? [folder] : [folder, ...foldersAbove(folder)]
}
