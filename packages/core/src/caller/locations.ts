/**
 * Locations as callers name them (CO3): by a directory, or by none, which is the instance's own.
 *
 * A Location is known once somebody opened it, or a Session was made there; that is stored, and holds
 * for every instance on the store. The instance's own is always known.
 */
import { dirname, resolve } from "node:path"
import { Effect } from "effect"
import { LocationMissing, LocationUnknown, type StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import type { LocationList, Store } from "@holdfast/store/port"

/** What the runtime knows of Locations. */
export interface KnownLocations {
  /** The canonical Location of a directory, or null where there is none. */
  readonly locate: (directory: string) => Effect.Effect<Location | null>
  readonly knownLocation: (directory: string) => Effect.Effect<Location | null, StoreFailure>
  /** By directory, in the order of its bytes. */
  readonly knownLocations: (list: LocationList) => Effect.Effect<readonly Location[], StoreFailure>
  /** A repeat is safe. */
  readonly keepLocation: (location: Location) => Effect.Effect<void, StoreFailure>
}

export const makeKnownLocations = (store: Store, locate: KnownLocations["locate"]): KnownLocations => ({
  locate,
  knownLocation: store.location,
  knownLocations: store.locations,
  keepLocation: (location) => Effect.asVoid(store.commit({ kind: "open-location", location })),
})

export interface Locations {
  /** The Location that a caller names; left out, the instance's own. Relative directories start there. */
  readonly at: (
    directory?: string,
  ) => Effect.Effect<Location, LocationMissing | LocationUnknown | StoreFailure>
  /** The directory of a known Location, or one below it; links on the way are followed first. */
  readonly within: (
    directory?: string,
  ) => Effect.Effect<string, LocationMissing | LocationUnknown | StoreFailure>
  /** Makes a directory known as a Location. A repeat changes nothing. */
  readonly open: (directory: string) => Effect.Effect<Location, LocationMissing | StoreFailure>
  readonly list: (list: LocationList) => Effect.Effect<readonly Location[], StoreFailure>
}

export function makeLocations(known: KnownLocations, defaultDirectory: string): Locations {
  const found = Effect.fnUntraced(function* (directory: string) {
    const asked = resolve(defaultDirectory, directory)
    return (yield* known.locate(asked)) ?? (yield* locationMissing(asked))
  })
  return {
    at: Effect.fnUntraced(function* (directory = ".") {
      const location = yield* found(directory)
      if (yield* isOwn(location.directory)) return location
      if ((yield* known.knownLocation(location.directory)) === null) return yield* unknown(location)
      return location
    }),
    within: Effect.fnUntraced(function* (directory = ".") {
      const location = yield* found(directory)
      for (const place of upwards(location.directory))
        if ((yield* isOwn(place)) || (yield* known.knownLocation(place)) !== null) return location.directory
      return yield* unknown(location)
    }),
    open: Effect.fnUntraced(function* (directory) {
      const location = yield* found(directory)
      yield* known.keepLocation(location)
      return location
    }),
    list: Effect.fnUntraced(function* (list) {
      const stored = yield* known.knownLocations(list)
      const own = yield* known.locate(defaultDirectory)
      return own === null ? stored : withOwn(stored, own, list)
    }),
  }

  function isOwn(directory: string): Effect.Effect<boolean> {
    return directory === defaultDirectory
      ? Effect.succeed(true)
      : Effect.map(known.locate(defaultDirectory), (own) => own?.directory === directory)
  }
}

/** The directory, then each that it lies in. */
function upwards(directory: string): readonly string[] {
  const parent = dirname(directory)
  return parent === directory ? [directory] : [directory, ...upwards(parent)]
}

export const locationMissing = (directory: string): LocationMissing =>
  new LocationMissing({
    directory,
    message: `There is no directory ${directory}. Create it or name another.`,
  })

const unknown = ({ directory }: Location): LocationUnknown =>
  new LocationUnknown({
    directory,
    message: `Nobody has opened ${directory} as a Location. Call locations.open with it first.`,
  })

/** A stretch of the stored ones, and the instance's own at its place if it lies within. */
export function withOwn(
  stored: readonly Location[],
  own: Location,
  { after, before, limit }: LocationList,
): readonly Location[] {
  const isBehind = (text: string | undefined): boolean =>
    text === undefined || byBytes(own.directory, text) > 0
  const isBefore = before === undefined || byBytes(own.directory, before) < 0
  if (!isBehind(after) || !isBefore || stored.some(({ directory }) => directory === own.directory))
    return stored
  const all = [...stored, own].sort((some, other) => byBytes(some.directory, other.directory))
  return before === undefined ? all.slice(0, limit) : all.slice(-limit)
}

/** As the store orders them. */
const byBytes = (some: string, other: string): number => Buffer.compare(Buffer.from(some), Buffer.from(other))
