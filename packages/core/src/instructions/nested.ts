/**
 * Nested instructions: directories of a project whose instructions hold because something in them was
 * read (IN3).
 *
 * Both facts are on record: files that were read or changed since the Session came to its Location,
 * of which the newest are known, and instruction files that were admitted, which stand in its
 * snapshot for as long as it stays.
 */
import { basename, dirname, isAbsolute, relative, sep } from "node:path"
import { guardFor } from "@holdfast/schema/fact/guard"
import type { Location } from "@holdfast/schema/location"
import type { SessionState } from "@holdfast/schema/state/state"
import { directoriesDown, instructionFileNames } from "./discovery.ts"
import { InstructionSet, instructionsKey } from "./source.ts"

/** Directories that are looked into; each is asked for at every boundary. */
const nestedMax = 64

const isInstructionSet = guardFor(InstructionSet)

interface Met {
  readonly epoch: SessionState["epoch"]
  readonly movedSeq: number
  readonly paths: readonly string[]
}

/** By the files that they were found in: every boundary asks twice, and few calls of a Session name a file. */
const known = new WeakMap<SessionState["items"]["files"], Met>()

/** Paths that this Session has met where it works now, in order of discovery. */
export function metPaths(state: SessionState): readonly string[] {
  const { epoch, items, summary } = state
  const last = known.get(items.files)
  if (last !== undefined && last.epoch === epoch && last.movedSeq === summary.movedSeq) return last.paths
  const paths = findMet(state)
  known.set(items.files, { epoch, movedSeq: summary.movedSeq, paths })
  return paths
}

function findMet({ epoch, items, summary }: SessionState): readonly string[] {
  const admitted = epoch?.snapshot[instructionsKey]?.value
  const instructions = isInstructionSet(admitted)
    ? admitted.map(({ path }) => path).filter((path) => instructionFileNames.includes(basename(path)))
    : []
  const files = [...items.files].filter(([, { seq }]) => seq > summary.movedSeq)
  return [...instructions, ...files.sort(([, a], [, b]) => a.seq - b.seq).map(([path]) => path)]
}

/** The directories on the way to each path that the Location does not count anyway. */
export function nestedDirectories(
  { directory, projectRoot }: Location,
  met: readonly string[],
): readonly string[] {
  const counted = new Set(directoriesDown(projectRoot, directory))
  // Most files lie where others do, or where the Location counts anyway.
  const found = [...new Set(met.map((path) => dirname(path)))]
    .filter((place) => !counted.has(place) && isBelow(projectRoot, place))
    .flatMap((place) => directoriesDown(projectRoot, place))
  return [...new Set(found)].filter((each) => !counted.has(each)).slice(0, nestedMax)
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
