/**
 * Search by name below a directory of a Location.
 *
 * The tree has one order: names of a directory ascending, each directory before what it holds. So a
 * search can go on behind a path, or back before it, without walking what lies on the other side.
 * One answer looks at so many entries at most; where it stopped is told, and the next goes on there.
 * Links are found and not followed, so nothing outside is looked at.
 */
import type { Dirent } from "node:fs"
import { join, relative } from "node:path"
import type { FileEntry, Location } from "@holdfast/schema/location"
import { type IgnoreRules, isIgnored } from "./ignore.ts"
import { ignoresAbove, ignoresIn, repositoryFolders, slashed } from "./ignore-files.ts"
import { describeEntry, entriesIn, type Stretch } from "./names.ts"

export interface FindFiles {
  readonly location: Location
  /** Canonical, inside the Location. */
  readonly below: string
  /** A part of the name, or of the path if it holds a slash; case does not count. */
  readonly name: string
  /** Where to go on, from the directory of the Location; null at the start. */
  readonly beside: string | null
  readonly direction: Stretch["direction"]
  readonly limit: number
}

export interface FoundFiles {
  /** In the order of the tree. */
  readonly entries: readonly FileEntry[]
  /** The last path that was looked at, where the search stopped before its end. */
  readonly stoppedAt: string | null
}

/** Entries that one answer looks at. */
const entriesLookedAtMax = 20_000

export async function findFiles(find: FindFiles, lookedAtMax = entriesLookedAtMax): Promise<FoundFiles> {
  const { location, below, beside, direction, limit } = find
  const root = slashed(location.directory)
  const start = pathFrom(root, below)
  const anchor = beside === null ? [] : partsOf(start === "" ? beside : beside.slice(start.length + 1))
  const wanted = wantedBy(find.name)
  const entries: FileEntry[] = []
  let lookedAt = 0
  let stoppedAt: string | null = null
  const walk = walkTree({ root, path: start, ignores: await ignoresAbove(below) }, anchor, direction)
  for await (const { path, entry, passedOver } of walk) {
    if (!passedOver && wanted(entry.name, path)) entries.push(await describeEntry(root, path, entry))
    if (entries.length >= limit) break
    stoppedAt = path
    if (++lookedAt >= lookedAtMax) return { entries: inOrder(entries, direction), stoppedAt }
  }
  return { entries: inOrder(entries, direction), stoppedAt: null }
}

const inOrder = (entries: readonly FileEntry[], direction: Stretch["direction"]): readonly FileEntry[] =>
  direction === "next" ? entries : entries.toReversed()

function wantedBy(fragment: string): (name: string, path: string) => boolean {
  const wanted = fragment.toLowerCase()
  return wanted.includes("/")
    ? (_, path) => path.toLowerCase().includes(wanted)
    : (name) => name.toLowerCase().includes(wanted)
}

interface Folder {
  /** Of the search, with slashes. */
  readonly root: string
  /** From the root, with slashes; empty for the root itself. */
  readonly path: string
  readonly ignores: readonly IgnoreRules[]
}

interface Visited {
  readonly path: string
  readonly entry: Dirent
  /** It counts as looked at, and is not found. */
  readonly passedOver: boolean
}

const namesAtOnce = 1_000

/** `anchor` are the names that lead from this folder to the place beside which the walk begins; none for all of it. */
async function* walkTree(
  folder: Folder,
  anchor: readonly string[],
  direction: Stretch["direction"],
): AsyncGenerator<Visited, void, undefined> {
  const [first, ...rest] = anchor
  let stretch: Stretch = { beside: first ?? null, including: true, direction, limit: namesAtOnce }
  for (;;) {
    // A folder that vanished or may not be read holds nothing that could be found.
    const names = await entriesIn(join(folder.root, folder.path), stretch).catch(() => [])
    for (const entry of names) {
      const path = folder.path === "" ? entry.name : `${folder.path}/${entry.name}`
      const passedOver =
        repositoryFolders.has(entry.name) ||
        isIgnored(folder.ignores, `${folder.root}/${path}`, entry.isDirectory())
      const visited = { path, entry, passedOver }
      const leads = entry.name === first
      yield* direction === "next"
        ? forward(folder, visited, leads ? rest : [], leads)
        : backward(folder, visited, leads ? rest : [], leads && rest.length === 0)
    }
    const last = names.at(-1)
    if (last === undefined || names.length < namesAtOnce) return
    stretch = { ...stretch, beside: last.name, including: false }
  }
}

/** The place itself, and what leads to it, come before it. */
async function* forward(folder: Folder, visited: Visited, anchor: readonly string[], isBefore: boolean) {
  if (!isBefore) yield visited
  if (holdsMore(visited)) yield* walkTree(await enter(folder, visited), anchor, "next")
}

/** What the place itself holds comes behind it. */
async function* backward(folder: Folder, visited: Visited, anchor: readonly string[], isPlace: boolean) {
  if (isPlace) return
  if (holdsMore(visited)) yield* walkTree(await enter(folder, visited), anchor, "previous")
  yield visited
}

const holdsMore = ({ entry, passedOver }: Visited): boolean => entry.isDirectory() && !passedOver

const enter = async ({ root, ignores }: Folder, { path }: Visited): Promise<Folder> => ({
  root,
  path,
  ignores: [...ignores, ...(await ignoresIn(join(root, path)))],
})

const partsOf = (path: string): readonly string[] => (path === "" ? [] : path.split("/"))

const pathFrom = (root: string, path: string): string => slashed(relative(root, path))
