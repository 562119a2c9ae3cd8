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
import { type FileContent, instructionBytesMax, type InstructionFiles, type NoFile } from "./files.ts"
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
  const found = yield* readPlaces(settings)
  return found === unavailable ? unavailable : gather(found.places, found.contents)
})

/** An instruction file of which only the beginning is sent. */
export interface CutInstruction {
  readonly path: string
  readonly bytes: number
  readonly bytesSent: number
}

/** Files in force that are too long, so that somebody can be told; none where they cannot be read. */
export const findCutInstructions = Effect.fnUntraced(function* (
  settings: InstructionSettings,
): Effect.fn.Return<readonly CutInstruction[]> {
  const found = yield* readPlaces(settings)
  if (found === unavailable) return []
  const { places, contents } = found
  return places.flatMap(({ path, real }) => {
    const content = typeof real === "string" ? contents.get(real) : undefined
    if (content?.kind !== "text" || content.cut !== true) return []
    return [{ path, bytes: content.bytes ?? instructionBytesMax, bytesSent: instructionBytesMax }]
  })
})

const readPlaces = Effect.fnUntraced(function* (settings: InstructionSettings) {
  const { files } = settings
  const candidates = yield* listCandidates(settings)
  if (candidates === unavailable) return unavailable
  const reals = yield* files.realPaths(candidates.map(({ path }) => path))
  const places = candidates.map((candidate, at) => placeOf(candidate, reals[at] ?? nothing))
  const contents = yield* Effect.forEach(
    new Set(places.flatMap(({ real }) => (typeof real === "string" ? [real] : []))),
    (real) => Effect.map(files.read(real), (content) => [real, content] as const),
    { concurrency: "unbounded" },
  )
  return { places, contents: new Map<string, FileContent>(contents) }
})

/** Where a candidate leads to. A file that it may not be is as good as none, and is not even opened. */
function placeOf(candidate: Candidate, real: string | NoFile): Place {
  const { path } = candidate
  return { path, real: typeof real === "string" && !allows(candidate, real) ? nothing : real }
}

interface Place {
  readonly path: string
  readonly real: string | NoFile
}

function gather(
  places: readonly Place[],
  contents: ReadonlyMap<string, FileContent>,
): readonly Instruction[] | Unavailable {
  const found: Instruction[] = []
  const seen = new Set<string>()
  for (const { path, real } of places) {
    const content = typeof real === "string" ? (contents.get(real) ?? nothing) : real
    if (content.kind === "unreadable") return unavailable
    if (typeof real !== "string" || seen.has(real)) continue
    if (content.kind !== "text" || content.text.trim() === "") continue
    seen.add(real)
    found.push({ path, text: content.cut === true ? content.text + cutNote : content.text })
  }
  return found
}

const nothing: NoFile = { kind: "missing" }

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
