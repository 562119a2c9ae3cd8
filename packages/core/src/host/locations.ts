/** Locations on this machine: what a directory resolves to, and the built-in sources of each. */
import { realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { Effect } from "effect"
import type { Location } from "@holdfast/schema/location"
import { dateSource, environmentSource, type SystemContext } from "../context/index.ts"
import { findProjectRoot, instructionsSource, nodeInstructionFiles } from "../instructions/index.ts"

export interface ContextSettings {
  readonly configDirectory: string
  readonly timeZone: string | null
  readonly disableProject: boolean
}

/** The canonical Location of a directory, or null where there is none. */
export const locate = Effect.fnUntraced(function* (directory: string): Effect.fn.Return<Location | null> {
  const real = yield* canonicalDirectory(resolve(directory))
  if (real === null) return null
  const { root } = yield* findProjectRoot(real, nodeInstructionFiles)
  return { directory: real, projectRoot: root }
})

export const locationExists = (location: Location): Effect.Effect<boolean> =>
  Effect.map(canonicalDirectory(location.directory), (real) => real === location.directory)

/** What every Location has, by contribution key. */
export function builtInSources(
  directory: string,
  settings: ContextSettings,
): readonly (readonly [string, SystemContext])[] {
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
