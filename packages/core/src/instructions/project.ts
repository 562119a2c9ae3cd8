/**
 * Project: the root that a Location belongs to, and the kind of its repository.
 *
 * The root is the nearest directory, from the Location upward, that holds a repository's marker;
 * without one the Location is its own project. It bounds the discovery of instructions (IN1) and is
 * a fact of the environment (BS2).
 */
import { dirname, join } from "node:path"
import { Effect } from "effect"
import type { InstructionFiles } from "./files.ts"

export type RepositoryKind = "git" | "hg" | "jj" | "none"

export interface Project {
  /** The canonical directory it was looked for from; null if that cannot be reached. */
  readonly directory: string | null
  readonly root: string
  readonly repository: RepositoryKind
}

/** Directories looked at from a Location upward; a longer chain is no path that a host accepts. */
const ancestorsMax = 2_048

/** Questions to a disk that are under way at a time. */
export const lookupsMax = 64

/** The project of a directory. All markers are asked for at once: one wait, however deep it lies. */
export const findProjectRoot = Effect.fnUntraced(function* (
  directory: string,
  files: InstructionFiles,
): Effect.fn.Return<Project> {
  const [real, here] = yield* Effect.all([files.realPath(directory), findMarker(directory, files)], {
    concurrency: 2,
  })
  if (typeof real !== "string") return { directory: null, ...here }
  // A Location is canonical already, and then the answer is there; another way to it is looked up again.
  return { directory: real, ...(real === directory ? here : yield* findMarker(real, files)) }
})

/** The nearest marker from a directory upward. */
const findMarker = Effect.fnUntraced(function* (
  directory: string,
  files: InstructionFiles,
): Effect.fn.Return<Omit<Project, "directory">> {
  const places = directoriesUp(directory).flatMap((root) => markers.map((each) => ({ root, ...each })))
  const found = yield* Effect.forEach(places, ({ root, marker }) => files.realPath(join(root, marker)), {
    concurrency: lookupsMax,
  })
  const nearest = places[found.findIndex((path) => typeof path === "string")]
  return { root: nearest?.root ?? directory, repository: nearest?.kind ?? "none" }
})

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
