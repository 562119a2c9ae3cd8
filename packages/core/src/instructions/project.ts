/**
 * Project: the root that a Location belongs to, and the kind of its repository.
 *
 * The root is the nearest directory, from the Location upward, that holds a repository's marker;
 * without one the Location is its own project. It bounds the discovery of instructions (IN1) and is
 * a fact of the environment (BS2).
 */
import { dirname, join, sep } from "node:path"
import { Effect } from "effect"
import type { InstructionFiles, NoFile } from "./files.ts"

export type RepositoryKind = "git" | "hg" | "jj" | "none"

export interface Project {
  /** The canonical directory it was looked for from; null if that cannot be reached. */
  readonly directory: string | null
  readonly root: string
  readonly repository: RepositoryKind
}

/** Directories looked at from a Location upward; a longer chain is no path that a host accepts. */
const ancestorsMax = 2_048

/** With the moment at which all was looked at that could make it another. */
export interface FoundProject extends Project {
  readonly atMs: number
}

/** How long nobody looks for a repository above a Location that is in none. */
export const aboveMs = 10_000

/**
 * What is above the root that was found last does not matter while that is a root; and a repository
 * that comes around a Location that was in none is found a little later, as turns need not wait for
 * folders that are shared with everybody.
 */
export const findProjectAgain = Effect.fnUntraced(function* (
  directory: string,
  files: InstructionFiles,
  last: FoundProject | null,
  nowMs: number,
): Effect.fn.Return<FoundProject> {
  const isNew = last !== null && last.repository === "none" && nowMs - last.atMs < aboveMs
  if (last !== null && last.directory === directory && (isNew || last.repository !== "none")) {
    const near = markersUp(directory).filter(({ root }) => root.length >= last.root.length)
    const [real, ...found] = yield* files.realPaths([asDirectory(directory), ...near.map(({ path }) => path)])
    const still = { directory, ...nearest(directory, near, found), atMs: last.atMs }
    if (real === directory && (isNew || still.repository !== "none")) return still
  }
  files.beside?.() // the next look asks for less
  return { ...(yield* findProjectRoot(directory, files)), atMs: nowMs }
})

/** The dot asks for a directory: behind a file it leads nowhere. */
export const asDirectory = (path: string): string => `${path}${sep}.`

/** The project of a directory. All markers are asked for at once: one wait, however deep it lies. */
export const findProjectRoot = Effect.fnUntraced(function* (
  directory: string,
  files: InstructionFiles,
): Effect.fn.Return<Project> {
  const places = markersUp(directory)
  const [real, ...found] = yield* files.realPaths([directory, ...places.map(({ path }) => path)])
  if (typeof real !== "string") return { directory: null, ...nearest(directory, places, found) }
  // A Location is canonical already, and then the answer is there; another way to it is looked up again.
  if (real === directory) return { directory, ...nearest(directory, places, found) }
  const again = markersUp(real)
  const foundAgain = yield* files.realPaths(again.map(({ path }) => path))
  return { directory: real, ...nearest(real, again, foundAgain) }
})

interface Place {
  readonly root: string
  readonly path: string
  readonly kind: RepositoryKind
}

const markersUp = (directory: string): readonly Place[] =>
  directoriesUp(directory).flatMap((root) =>
    markers.map(({ marker, kind }) => ({ root, path: join(root, marker), kind })),
  )

/** The nearest marker from a directory upward. */
function nearest(
  directory: string,
  places: readonly Place[],
  found: readonly (string | NoFile | undefined)[],
): Omit<Project, "directory"> {
  const place = places[found.findIndex((path) => typeof path === "string")]
  return { root: place?.root ?? directory, repository: place?.kind ?? "none" }
}

function directoriesUp(directory: string): readonly string[] {
  const found = [directory]
  for (let at = dirname(directory); at !== found.at(-1) && found.length < ancestorsMax; at = dirname(at))
    found.push(at)
  return found
}

/** In this order: a git repository that jj works on too is described as git. */
const markers = [
  { marker: ".git", kind: "git" },
  { marker: ".hg", kind: "hg" },
  { marker: ".jj", kind: "jj" },
] as const
