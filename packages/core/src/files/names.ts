/**
 * Names in a directory, in order, a stretch at a time: however many there are, only as many as are
 * asked for are held in memory.
 */
import type { Dirent } from "node:fs"
import { lstat, opendir } from "node:fs/promises"
import { join } from "node:path"
import type { FileEntry } from "@holdfast/schema/location"

export interface Stretch {
  /** The names behind this one, seen on the way; null begins at the first. */
  readonly beside: string | null
  /** Whether that name itself is one of them. */
  readonly including?: boolean
  readonly direction: "next" | "previous"
  readonly limit: number
  /** Which names are wanted at all; asked once for each name of the directory. */
  readonly wanted?: (entry: Dirent) => boolean
}

/** In the order of the way: descending on the way back. */
export async function entriesIn(directory: string, stretch: Stretch): Promise<readonly Dirent[]> {
  const { beside, including = false, direction, limit, wanted = () => true } = stretch
  const order = direction === "next" ? ascending : descending
  let kept: Dirent[] = []
  for await (const entry of await opendir(directory, { bufferSize: namesAtOnce })) {
    const place = beside === null ? 1 : order(entry.name, beside)
    if (place < 0 || (place === 0 && !including) || !wanted(entry)) continue
    kept.push(entry)
    if (kept.length >= 2 * limit + namesAtOnce) kept = nearest(kept, order, limit)
  }
  return nearest(kept, order, limit)
}

const namesAtOnce = 512

type Order = (some: string, other: string) => number

/** The order of the tree: names of a directory ascending, each directory before what it holds. */
export const pathOrder: Order = (some, other) => {
  const end = Math.min(some.length, other.length)
  let at = 0
  while (at < end && some.charCodeAt(at) === other.charCodeAt(at)) at++
  return at === end ? some.length - other.length : unitAt(some, at) - unitAt(other, at)
}

/** A slash counts before every other character. */
const unitAt = (path: string, at: number): number => (path[at] === "/" ? -1 : path.charCodeAt(at))

/** By UTF-16 units: an order of its own, the same on every machine. */
const ascending: Order = (some, other) => (some < other ? -1 : some > other ? 1 : 0)
const descending: Order = (some, other) => ascending(other, some)

const nearest = (entries: Dirent[], order: Order, limit: number): Dirent[] =>
  entries.sort((some, other) => order(some.name, other.name)).slice(0, limit)

/** What is told of a name; one that vanished meanwhile keeps what was seen of it. */
export async function describeEntry(root: string, path: string, entry: Dirent): Promise<FileEntry> {
  const stats = await lstat(join(root, path)).catch(() => null)
  return {
    name: entry.name,
    path,
    kind: kindOf(stats ?? entry),
    bytes: stats?.isFile() === true ? stats.size : null,
    modifiedAt: stats === null ? null : Math.trunc(stats.mtimeMs),
  }
}

function kindOf(found: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): FileEntry["kind"] {
  if (found.isFile()) return "file"
  if (found.isDirectory()) return "directory"
  return found.isSymbolicLink() ? "link" : "other"
}
