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

/** The project of a directory, canonical if the directory can be reached. */
export const findProjectRoot = Effect.fnUntraced(function* (
  directory: string,
  files: InstructionFiles,
): Effect.fn.Return<Project> {
  const real = yield* files.realPath(directory)
  const start = real ?? directory
  let current = start
  for (let step = 0; step < ancestorsMax; step++) {
    for (const { marker, kind } of markers) {
      if ((yield* files.realPath(join(current, marker))) !== null)
        return { directory: real, root: current, repository: kind }
    }
    const parent = dirname(current)
    if (parent === current) break
    current = parent
  }
  return { directory: real, root: start, repository: "none" }
})

/** In this order: a git repository that jj works on too is described as git. */
const markers = [
  { marker: ".git", kind: "git" },
  { marker: ".hg", kind: "hg" },
  { marker: ".jj", kind: "jj" },
] as const
