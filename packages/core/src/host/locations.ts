/**
 * Locations on this machine: what a directory resolves to, and the System Context Registry of each.
 *
 * A registry is made when a Location is first asked for and kept, so that contributions stay where
 * they were registered (RG1). Built-in and instruction sources enter through it like any other.
 */
import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { Effect, Exit, Scope } from "effect"
import type { Location } from "@holdfast/schema/location"
import {
  dateSource,
  environmentSource,
  makeRegistry,
  type SystemContext,
  type SystemContextRegistry,
} from "../context/index.ts"
import { findProjectRoot, instructionsSource, nodeInstructionFiles } from "../instructions/index.ts"

export interface ContextSettings {
  readonly configDirectory: string
  readonly timeZone: string | null
  readonly disableProject: boolean
}

/** Registries kept; a Location asked for again after that gets a fresh one. */
const registriesMax = 64

/** The canonical Location of a directory, or null where there is none. */
export const locate = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<Location | null> {
  const real = yield* canonicalDirectory(resolve(directory))
  if (real === null) return null
  const { root } = yield* findProjectRoot(real, nodeInstructionFiles)
  return { directory: real, projectRoot: root }
})

export const locationExists = (location: Location): Effect.Effect<boolean> =>
  Effect.map(canonicalDirectory(location.directory), (real) => real === location.directory)

/** The sources of a Location as they are registered now. */
export const makeContexts = (
  settings: ContextSettings,
): Effect.Effect<(location: Location) => Effect.Effect<SystemContext>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const kept = new Map<
      string,
      { readonly registry: SystemContextRegistry; readonly scope: Scope.Closeable }
    >()

    const open = Effect.fnUntraced(function* ({ directory }: Location) {
      const own = yield* Scope.fork(scope)
      const registry = makeRegistry()
      for (const [contribution, source] of builtInSources(directory, settings)) {
        yield* Effect.orDie(Scope.provide(registry.contribute(contribution, source), own))
      }
      kept.set(directory, { registry, scope: own })
      for (const [oldest, entry] of kept) {
        if (kept.size <= registriesMax) break
        kept.delete(oldest)
        yield* Scope.close(entry.scope, Exit.void)
      }
      return registry
    })

    return Effect.fnUntraced(function* (location) {
      const registry = kept.get(location.directory)?.registry ?? (yield* open(location))
      return yield* registry.current
    })
  })

function builtInSources(directory: string, settings: ContextSettings): readonly [string, SystemContext][] {
  const files = nodeInstructionFiles
  const { configDirectory, disableProject, timeZone } = settings
  const facts = Effect.map(findProjectRoot(directory, files), ({ root, repository }) => ({
    directory,
    projectRoot: root,
    repository,
    platform: process.platform,
  }))
  return [
    ["core/date", dateSource(timeZone === null ? {} : { timeZone })],
    ["core/environment", environmentSource(facts)],
    ["core/instructions", instructionsSource({ directory, configDirectory, disableProject, files })],
  ]
}

const canonicalDirectory = (path: string): Effect.Effect<string | null> =>
  Effect.sync(() => {
    try {
      const real = realpathSync.native(path)
      return statSync(real).isDirectory() ? real : null
    } catch {
      // Missing, unreachable or forbidden: in no case is it a directory to work in.
      return null
    }
  })
