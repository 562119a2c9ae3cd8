/**
 * Search by name below a directory of a Location.
 *
 * The tree has one order: names of a directory ascending, each directory before what it holds. So a
 * search can go on behind a path, or back before it, without walking what lies on the other side.
 * One answer looks at so many entries at most; where it stopped is told, and the next goes on there.
 * Links are found and not followed, so nothing outside is looked at.
 */
import { constants, type Dirent } from "node:fs"
import { open } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import type { FileEntry, Location } from "@holdfast/schema/location"
import { type IgnoreRules, isIgnored, readIgnoreRules } from "./ignore.ts"
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
  const root = location.directory
  const start = pathFrom(root, below)
  const anchor = beside === null ? [] : partsOf(start === "" ? beside : beside.slice(start.length + 1))
  const wanted = wantedBy(find.name)
  const entries: FileEntry[] = []
  let lookedAt = 0
  let stoppedAt: string | null = null
  const walk = walkTree(
    { root, path: start, ignores: await ignoresAbove(location, start) },
    anchor,
    direction,
  )
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
      const passedOver = repositories.has(entry.name) || isIgnored(folder.ignores, path, entry.isDirectory())
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

/** What a repository keeps for itself. */
const repositories: ReadonlySet<string> = new Set([".git", ".hg", ".jj"])

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
  ignores: [...ignores, ...(await ignoresIn(join(root, path), path))],
})

const partsOf = (path: string): readonly string[] => (path === "" ? [] : path.split("/"))

const pathFrom = (root: string, path: string): string => relative(root, path).split(sep).join("/")

/** The ignore files of the Location and of every folder down to where the search begins. */
async function ignoresAbove({ directory }: Location, start: string): Promise<readonly IgnoreRules[]> {
  const parts = partsOf(start)
  const found: IgnoreRules[] = []
  for (let depth = 0; depth <= parts.length; depth++) {
    const base = parts.slice(0, depth).join("/")
    found.push(...(await ignoresIn(join(directory, base), base)))
  }
  return found
}

const ignoreBytesMax = 65_536
/** A pipe of that name holds nothing up, and a link leads nowhere. */
const ignoreFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Only a regular file has rules; whatever else bears the name is passed over, and so is what cannot be read. */
async function ignoresIn(directory: string, base: string): Promise<readonly IgnoreRules[]> {
  try {
    const file = await open(join(directory, ".gitignore"), ignoreFlags)
    try {
      if (!(await file.stat()).isFile()) return []
      const { buffer, bytesRead } = await file.read(Buffer.alloc(ignoreBytesMax), 0, ignoreBytesMax, 0)
      return [readIgnoreRules(base, buffer.toString("utf8", 0, bytesRead))]
    } finally {
      await file.close()
    }
  } catch {
    return []
  }
}
