/**
 * Locations on this machine: what a directory resolves to, and the System Context Registry of each.
 *
 * A registry is made when a Location is first asked for and kept, so that contributions stay where
 * they were registered (RG1). Built-in and instruction sources enter through it like any other.
 */
import { realpath, stat } from "node:fs/promises"
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

/** How long a disk may take to say whether a Location is there. */
export const locationAnswerMs = 2_000

/** The canonical Location of a directory, or null where there is none. */
export const locate = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<Location | null> {
  const real = yield* canonicalDirectory(resolve(directory))
  if (real === null) return null
  const { root } = yield* findProjectRoot(real, nodeInstructionFiles)
  return { directory: real, projectRoot: root }
})

/** A disk that does not answer is no proof that the Location is gone: its sources will say so (SC4). */
export const locationExists = (location: Location): Effect.Effect<boolean> =>
  canonicalDirectory(location.directory).pipe(
    Effect.map((real) => real === location.directory),
    Effect.timeoutOrElse({ duration: locationAnswerMs, orElse: () => Effect.succeed(true) }),
  )

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
  const project = joined(findProjectRoot(directory, files))
  const facts = Effect.map(project, ({ root, repository }) => ({
    directory,
    projectRoot: root,
    repository,
    platform: process.platform,
  }))
  return [
    ["core/date", dateSource(timeZone === null ? {} : { timeZone })],
    ["core/environment", environmentSource(facts)],
    ["core/instructions", instructionsSource({ project, configDirectory, disableProject, files })],
  ]
}

/** Who asks while an answer is on its way gets that one: sources that load together look once. */
function joined<A>(work: Effect.Effect<A>): Effect.Effect<A> {
  let asked: Promise<A> | null = null
  return Effect.promise(
    () =>
      (asked ??= Effect.runPromise(work).finally(() => {
        asked = null
      })),
  )
}

/** Missing, unreachable or forbidden: in no case is it a directory to work in. */
const canonicalDirectory = (path: string): Effect.Effect<string | null> =>
  Effect.promise(async () => {
    try {
      const [real, stats] = await Promise.all([realpath(path), stat(path)])
      return stats.isDirectory() ? real : null
    } catch {
      return null
    }
  })
