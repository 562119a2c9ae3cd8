/** Locations on this machine: what a directory resolves to, and the built-in sources of each. */
import { resolve } from "node:path"
import { Clock, Effect } from "effect"
import type { Location } from "@holdfast/schema/location"
import { dateSource, environmentSource, type SystemContext } from "../context/index.ts"
import { configuredCandidates } from "./configured-instructions.ts"
import type { FetchedInstructions } from "./fetched-instructions.ts"
import {
  aboveMs,
  asDirectory,
  discoverInstructions,
  findProjectAgain,
  findProjectRoot,
  type FoundProject,
  type InstructionFiles,
  instructionsKey,
  keepLook,
  nodeInstructionFiles,
  sourceOfInstructions,
} from "../instructions/index.ts"

export interface ContextSettings {
  readonly configDirectory: string
  /** Of the user, for skills of other programs; nothing is read there unless given. */
  readonly home?: string | null
  readonly timeZone: string | null
  readonly disableProject: boolean
  /** Files that the user's settings name (IN4). */
  readonly instructions?: readonly string[] | null
  /** What stands at those of them that are addresses; nothing unless given. */
  readonly fetched?: FetchedInstructions
}

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

export type BuiltInSources = readonly (readonly [contribution: string, context: SystemContext])[]

/** Of the sources that every Location has. */
export const builtInSourceKeys: readonly string[] = ["core/date", "core/environment", instructionsKey]

/** What every Location has, by contribution key. */
export function builtInSources(
  directory: string,
  settings: ContextSettings,
  nested: readonly string[] = [],
): BuiltInSources {
  const files = nodeInstructionFiles
  const { configDirectory, disableProject, timeZone } = settings
  let last: FoundProject | null = null
  const projectBy = (through: InstructionFiles) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(findProjectAgain(directory, through, last, nowMs), (found) => (last = found)),
    )
  const facts = Effect.map(projectBy(files), ({ root, repository }) => ({
    directory,
    projectRoot: root,
    repository,
    platform: process.platform,
  }))
  const kept = keepLook(files, (lookedAt) =>
    discoverInstructions({
      project: projectBy(lookedAt),
      expected: () => last,
      configDirectory,
      disableProject,
      nested,
      configured: configuredCandidates(
        configDirectory,
        settings.instructions ?? [],
        lookedAt,
        settings.fetched?.current ?? Effect.succeed([]),
      ),
      files: lookedAt,
    }),
  )
  return [
    ["core/date", dateSource(timeZone === null ? {} : { timeZone })],
    ["core/environment", environmentSource(facts)],
    [
      instructionsKey,
      sourceOfInstructions(
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => (looksAbove(last, nowMs) ? kept.anew : kept.now)),
      ),
    ],
  ]
}

/** Whether it is time to look for a repository around a Location that was in none. */
const looksAbove = (last: FoundProject | null, nowMs: number): boolean =>
  last?.repository === "none" && nowMs - last.atMs >= aboveMs

/** Missing, unreachable or forbidden: in no case is it a directory to work in. */
const canonicalDirectory = (path: string): Effect.Effect<string | null> =>
  // Node throws at a NUL, which no path holds.
  path.includes("\0")
    ? Effect.succeed(null)
    : Effect.map(nodeInstructionFiles.realPaths([asDirectory(path)]), ([real]) =>
        typeof real === "string" ? real : null,
      )
