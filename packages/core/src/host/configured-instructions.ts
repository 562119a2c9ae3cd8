/**
 * Instruction files that settings name: of the user wherever they lie, of a project inside of its root
 * (IN4). First those that are named, then those that a pattern finds, by their paths, then what stands at
 * addresses, which only the user names (IN1).
 */
import { glob } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"
import { Effect } from "effect"
import { loadProjectSettings } from "../config/index.ts"
import { isAddress } from "./fetched-instructions.ts"
import type { Candidate, InstructionFiles } from "../instructions/index.ts"

/** What a pattern may find; the rest is left out. */
const matchesMax = 64

/** The project's file is read anew each time, like the instructions themselves; one that is wrong names none. */
export const configuredCandidates =
  (
    configDirectory: string,
    user: readonly string[],
    files: InstructionFiles,
    fetched: Effect.Effect<readonly Candidate[]>,
  ) =>
  (projectRoot: string | null): Effect.Effect<readonly Candidate[]> =>
    Effect.gen(function* () {
      const own = user
        .filter((path) => !isAddress(path))
        .map((path) => ({ path: absolute(configDirectory, path), within: null }))
      const theirs = projectRoot === null ? [] : yield* projectPaths(projectRoot, files)
      const all = [...own, ...theirs]
      const named = all.filter(({ path }) => !isPattern(path))
      const patterns = all.filter(({ path }) => isPattern(path))
      if (patterns.length > 0 || user.some(isAddress)) files.beside?.()
      const found = yield* Effect.forEach(patterns, expand)
      return [...named, ...found.flat().sort((a, b) => (a.path < b.path ? -1 : 1)), ...(yield* fetched)]
    })

const projectPaths = (root: string, files: InstructionFiles): Effect.Effect<readonly Candidate[]> =>
  loadProjectSettings(root, files.read).pipe(
    Effect.map(({ settings }) =>
      (settings.instructions ?? []).map((path) => ({ path: join(root, path), within: root })),
    ),
    Effect.catchTag("ConfigurationInvalid", () => Effect.succeed([])),
  )

const absolute = (directory: string, path: string): string =>
  path.startsWith("~/") ? join(homedir(), path.slice(2)) : isAbsolute(path) ? path : resolve(directory, path)

const isPattern = (path: string): boolean => /[*?[{]/.test(path)

const expand = ({ path, within }: Candidate): Effect.Effect<readonly Candidate[]> =>
  Effect.promise(async () => {
    const found: Candidate[] = []
    try {
      for await (const match of glob(path, { exclude: ["**/node_modules/**", "**/.git/**"] })) {
        found.push({ path: match, within })
        if (found.length === matchesMax) break
      }
    } catch {
      // A directory that cannot be looked into holds nothing that could be read.
    }
    return found
  })
