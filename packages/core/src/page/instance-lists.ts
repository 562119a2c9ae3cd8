/** The lists of an instance that belong to no Session, as Pages: Locations, providers, models, files (PG1, PG4). */
import { Effect } from "effect"
import type { InvalidCursor, LocationMissing, LocationUnknown, StoreFailure } from "@holdfast/schema/error"
import type { ListedModel, ListedProvider } from "@holdfast/schema/instance/provider"
import type { FileEntry, Location } from "@holdfast/schema/location"
import type { Page } from "@holdfast/schema/page"
import type { Locations } from "../caller/locations.ts"
import type { Configured } from "../config/index.ts"
import { findFiles, type FoundFiles } from "../files/find-files.ts"
import { findDirectory, onDisk, type PathFailure } from "../files/location-file.ts"
import { describeEntry, entriesIn } from "../files/names.ts"
import type { LocationPath } from "../tools/location-path.ts"
import type { Cursors, Place } from "./cursor.ts"
import { type PageQuery, type PageSource, type PageStart, planPage, readPage } from "./page.ts"

type Paged<Item, Failure = never> = Effect.Effect<Page<Item>, InvalidCursor | Failure>
type LocationFailure = LocationMissing | LocationUnknown | StoreFailure

/** What a query may say in texts, for its cursor to carry. */
interface Texts {
  readonly directory?: string
  readonly path?: string
  readonly name?: string
  readonly provider?: string
}

type Of<Name extends keyof Texts> = Pick<PageQuery, "cursor" | "limit"> & Pick<Texts, Name>

export interface InstanceLists {
  /** By directory. */
  readonly locations: (query: PageQuery) => Paged<Location, StoreFailure>
  readonly providers: (query: Of<"provider">) => Paged<ListedProvider>
  readonly models: (query: Of<"provider">) => Paged<ListedModel>
  /** The entries of a directory, by name; the directory of the Location unless a path is given. */
  readonly files: (query: Of<"directory" | "path">) => Paged<FileEntry, LocationFailure | PathFailure>
  /** What lies below a directory and bears a name; a page may be short of items and still go on. */
  readonly found: (
    query: Of<"directory" | "path" | "name">,
  ) => Paged<FileEntry, LocationFailure | PathFailure>
}

export function makeInstanceLists(
  configured: Configured,
  locations: Locations,
  cursors: Cursors,
): InstanceLists {
  /** The place in a list, and the directory that its query names. */
  const inDirectory = Effect.fnUntraced(function* (list: "files" | "found", query: Of<keyof Texts>) {
    const start = yield* planPage(cursors, list, null, textsOf(query))
    const location = yield* locations.at(start.of?.["directory"])
    const below = yield* findDirectory(location.directory, start.of?.["path"] ?? ".")
    return { start, location, below }
  })
  return {
    locations: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "locations", null, query)
      return yield* readPage(cursors, start, locationSource(locations))
    }),
    providers: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "providers", null, textsOf(query))
      const { providers } = yield* configured.listing(start.of?.["provider"])
      const listed = providers.map(({ models, ...provider }) => ({ ...provider, models: models.length }))
      return yield* readPage(cursors, start, countedSource(listed))
    }),
    models: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "models", null, textsOf(query))
      const { providers } = yield* configured.listing(start.of?.["provider"])
      return yield* readPage(cursors, start, countedSource(providers.flatMap(({ models }) => models)))
    }),
    files: Effect.fnUntraced(function* (query) {
      const { start, location, below } = yield* inDirectory("files", query)
      return yield* readPage(cursors, start, entrySource(location, below))
    }),
    found: Effect.fnUntraced(function* (query) {
      const { start, location, below } = yield* inDirectory("found", query)
      const read = ({ direction, size, anchor }: PageStart) =>
        onDisk(below.shown, () =>
          findFiles({
            location,
            below: below.absolute,
            name: start.of?.["name"] ?? "",
            beside: anchor === null ? null : String(anchor),
            direction,
            limit: size + 1,
          }),
        )
      const found = yield* read(start)
      const isEmpty = found.entries.length === 0 && found.stoppedAt === null
      if (start.direction === "next" || !isEmpty) return foundPage(cursors, start, found)
      // What preceded the place may be gone by now: then the first page is the one before it.
      const first: PageStart = { ...start, direction: "next", anchor: null }
      return foundPage(cursors, first, yield* read(first))
    }),
  }
}

const textsOf = ({ cursor, limit, ...of }: Of<keyof Texts>): PageQuery =>
  cursor === undefined ? { ...(limit !== undefined && { limit }), of: { ...of } } : { cursor }

const locationSource = ({ list }: Locations): PageSource<Location, StoreFailure> => ({
  anchorOf: ({ directory }) => directory,
  behind: (anchor, limit) => list({ limit, ...(anchor !== null && { after: String(anchor) }) }),
  before: (anchor, limit) => list({ limit, before: String(anchor) }),
})

/** The entries of a directory, by name. */
function entrySource(location: Location, folder: LocationPath): PageSource<FileEntry, PathFailure> {
  const path = folder.shown === "." ? "" : `${folder.shown}/`
  const stretch = (direction: Place["direction"], beside: string | null, limit: number) =>
    onDisk(folder.shown, async () => {
      const names = await entriesIn(folder.absolute, { beside, direction, limit })
      const inOrder = direction === "next" ? names : names.toReversed()
      return Promise.all(inOrder.map((entry) => describeEntry(location.directory, path + entry.name, entry)))
    })
  return {
    anchorOf: ({ name }) => name,
    behind: (anchor, limit) => stretch("next", anchor === null ? null : String(anchor), limit),
    before: (anchor, limit) => stretch("previous", String(anchor), limit),
  }
}

/** A list that stays as it is for the life of the instance: an item's anchor is its number, from 1. */
function countedSource<Item>(items: readonly Item[]): PageSource<Item, never> {
  return {
    anchorOf: (item) => items.indexOf(item) + 1,
    behind: (anchor, limit) => {
      const from = Number(anchor ?? 0)
      return Effect.succeed(items.slice(from, from + limit))
    },
    before: (anchor, limit) => {
      const end = Number(anchor) - 1
      return Effect.succeed(items.slice(Math.max(0, end - limit), end))
    },
  }
}

/** Of one item more than asked, or of where the search stopped, the page and the ways on from it. */
export function foundPage(
  cursors: Cursors,
  start: PageStart,
  { entries, stoppedAt }: FoundFiles,
): Page<FileEntry> {
  const { size, anchor, direction } = start
  const more = entries.length > size
  const items = direction === "next" ? entries.slice(0, size) : entries.slice(-size)
  const link = (to: Place["direction"], place: string | null) =>
    place === null ? null : cursors.seal({ ...start, direction: to, anchor: place })
  const [first = null, last = null] = [items[0]?.path, items.at(-1)?.path]
  if (direction === "previous")
    return {
      items,
      next: link("next", last ?? stoppedAt),
      previous: link("previous", more ? first : stoppedAt),
    }
  return {
    items,
    next: link("next", more ? last : stoppedAt),
    previous: anchor === null ? null : link("previous", first ?? stoppedAt ?? `${anchor}${justBehind}`),
  }
}

/** No name holds it, so a path that ends with it is a place between the path and all that follows. */
const justBehind = "\0"
