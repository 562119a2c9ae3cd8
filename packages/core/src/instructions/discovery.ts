/**
 * Discovery: which instruction files are in force for a Location, in order.
 *
 * A file is identified by its canonical path, so that two ways to the same file count once, and is
 * named by where it was found. A blank file gives no instructions and is not part of the set.
 *
 *   IN1  global first, then from the project root down to the Location; whatever resolves to a
 *        place outside the project root is ignored, symlinks included. The global file belongs to
 *        the user and may be a symlink to anywhere.
 *   IN4  with project instructions switched off only the global ones are left.
 */
import { isAbsolute, join, relative, sep } from "node:path"
import { Effect } from "effect"
import { unavailable, type Unavailable } from "../context/system-context.ts"
import { instructionBytesMax, type InstructionFiles } from "./files.ts"
import type { Project } from "./project.ts"

export const instructionFileName = "AGENTS.md"

export interface InstructionSettings {
  /** The project of the Location, looked for at each observation. */
  readonly project: Effect.Effect<Project>
  /** Where the user's global file lies. */
  readonly configDirectory: string
  /** Set by `HOLDFAST_DISABLE_PROJECT_CONFIG`. */
  readonly disableProject?: boolean
  readonly files: InstructionFiles
}

export interface Instruction {
  readonly path: string
  readonly text: string
}

/** The ordered set, or unavailable if a part of it exists and cannot be read. */
export const discoverInstructions = Effect.fnUntraced(function* (
  settings: InstructionSettings,
): Effect.fn.Return<readonly Instruction[] | Unavailable> {
  const { files } = settings
  const candidates = yield* listCandidates(settings)
  if (candidates === unavailable) return unavailable
  const found: Instruction[] = []
  const seen = new Set<string>()
  for (const candidate of candidates) {
    const real = yield* files.realPath(candidate.path)
    if (real !== null && (seen.has(real) || !allows(candidate, real))) continue
    // Without a canonical path the text cannot be trusted, but the reading still tells a file that
    // is not there from one that cannot be reached.
    const content = yield* files.read(real ?? candidate.path)
    if (content.kind === "unreadable") return unavailable
    if (real === null || content.kind === "missing" || content.text.trim() === "") continue
    seen.add(real)
    found.push({ path: candidate.path, text: content.cut === true ? content.text + cutNote : content.text })
  }
  return found
})

interface Candidate {
  readonly path: string
  /** The canonical directory that the file must lie in; null for the global file. */
  readonly within: string | null
}

const cutNote = `\n\n[This file is longer than ${instructionBytesMax} bytes; the rest is left out.]`

const listCandidates = Effect.fnUntraced(function* ({
  project,
  configDirectory,
  disableProject,
}: InstructionSettings): Effect.fn.Return<readonly Candidate[] | Unavailable> {
  const global: Candidate = { path: join(configDirectory, instructionFileName), within: null }
  if (disableProject === true) return [global]
  const { directory: location, root } = yield* project
  if (location === null) return unavailable
  return [
    global,
    ...directoriesDown(root, location).map((at) => ({ path: join(at, instructionFileName), within: root })),
  ]
})

/** Both are canonical and `location` is `root` or below it. */
function directoriesDown(root: string, location: string): string[] {
  const names = relative(root, location)
    .split(sep)
    .filter((name) => name !== "")
  return [root, ...names.map((_, index) => join(root, ...names.slice(0, index + 1)))]
}

function allows({ within }: Candidate, real: string): boolean {
  if (within === null) return true
  const way = relative(within, real)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
