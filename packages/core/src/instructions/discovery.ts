/**
 * Discovery: which instruction files are in force for a Location, in order.
 *
 * A file is identified by its canonical path, so that two ways to the same file count once, and is
 * named by where it was found. A blank file gives no instructions and is not part of the set.
 *
 *   IN1  global first, then from the project root down to the Location, then configured files and
 *        addresses, then nested ones in order of discovery; whatever resolves to a place outside the project root is
 *        ignored, symlinks included. The user's files may be symlinks to anywhere.
 *   IN3  a directory below the Location or beside it counts once something in it was read.
 *   IN4  with project instructions switched off only the global ones are left.
 */
import { isAbsolute, join, relative, sep } from "node:path"
import { Effect } from "effect"
import { unavailable, type Unavailable } from "../context/system-context.ts"
import { visible } from "../markdown/visible.ts"
import { type FileContent, instructionBytesMax, type InstructionFiles, type NoFile } from "./files.ts"
import type { Project } from "./project.ts"

export const instructionFileName = "AGENTS.md"
/** Read where a directory of a project has none of the first name. */
const otherFileName = "CLAUDE.md"
export const instructionFileNames: readonly string[] = [instructionFileName, otherFileName]

export interface InstructionSettings {
  /** The project of the Location, looked for at each observation. */
  readonly project: Effect.Effect<Project>
  /** The one that was found last: its places are looked at while it is looked for again. */
  readonly expected?: () => Project | null
  /** Where the user's global file lies. */
  readonly configDirectory: string
  /** Set by `HOLDFAST_DISABLE_PROJECT_CONFIG`. */
  readonly disableProject?: boolean
  /** Directories of the project in which something was read, in order of discovery (IN3). */
  readonly nested?: readonly string[]
  /** Files that settings name, for a project root; null where the project's are not read (IN4). */
  readonly configured?: (projectRoot: string | null) => Effect.Effect<readonly Candidate[]>
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

/** What has the name of an instruction file and is none, such as a named pipe: nothing of it is sent. */
export interface IrregularInstruction {
  readonly path: string
  readonly irregular: true
}

/** Files in force that are not sent whole, so that somebody can be told; none where they cannot be read. */
export const findCutInstructions = Effect.fnUntraced(function* (
  settings: InstructionSettings,
): Effect.fn.Return<readonly (CutInstruction | IrregularInstruction)[]> {
  const found = yield* readPlaces(settings)
  if (found === unavailable) return []
  const { places, contents } = found
  return places.flatMap(({ path, real }): readonly (CutInstruction | IrregularInstruction)[] => {
    const content = typeof real === "string" ? contents.get(real) : undefined
    if (content?.kind === "missing" && content.irregular === true) return [{ path, irregular: true }]
    if (content?.kind !== "text" || content.cut !== true) return []
    return [{ path, bytes: content.bytes ?? instructionBytesMax, bytesSent: instructionBytesMax }]
  })
})

const readPlaces = Effect.fnUntraced(function* (settings: InstructionSettings) {
  const { files } = settings
  const found = yield* findCandidates(settings)
  if (found === unavailable) return unavailable
  const candidates = found.map(({ candidate }) => candidate)
  const all = found.map(({ candidate, real }) => placeOf(candidate, real))
  const there = new Set(all.flatMap(({ path, real }) => (isMissing(real) ? [] : [path])))
  const places = all.filter((_, at) => !there.has(candidates[at]?.unless ?? ""))
  const given = new Map(
    candidates.flatMap(({ path, content }) => (content ? [[path, content] as const] : [])),
  )
  const contents = yield* Effect.forEach(
    new Set(places.flatMap(({ real }) => (typeof real === "string" && !given.has(real) ? [real] : []))),
    (real) => Effect.map(files.read(real), (content) => [real, content] as const),
    { concurrency: "unbounded" },
  )
  return { places, contents: new Map<string, FileContent>([...given, ...contents]) }
})

/** Where a candidate leads to. A file that it may not be is as good as none, and is not even opened. */
function placeOf(candidate: Candidate, real: string | NoFile): Place {
  const { path } = candidate
  if (candidate.content !== undefined) return { path, real: path }
  return { path, real: typeof real === "string" && !allows(candidate, real) ? nothing : real }
}

const isMissing = (real: string | NoFile): boolean => typeof real !== "string" && real.kind === "missing"

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
    const text = visible(content.text)
    found.push({ path, text: content.cut === true ? text + cutNote : text })
  }
  return found
}

const nothing: NoFile = { kind: "missing" }

/** A place where an instruction file may lie. */
export interface Candidate {
  readonly path: string
  /** The canonical directory that the file must lie in; null for a file of the user. */
  readonly within: string | null
  /** The file that it stands in for: where that is there, this is none. */
  readonly unless?: string
  /** What it says, where that is known already: the path is an address then. */
  readonly content?: FileContent
}

const cutNote = `\n\n[This file is longer than ${instructionBytesMax} bytes; the rest is left out.]`

interface FoundCandidate {
  readonly candidate: Candidate
  readonly real: string | NoFile
}

/** What settings name is looked for while the usual places are: a boundary waits for both. */
const findCandidates = Effect.fnUntraced(function* ({
  project,
  expected = () => null,
  configDirectory,
  disableProject,
  nested = [],
  configured = () => Effect.succeed([]),
  files,
}: InstructionSettings): Effect.fn.Return<readonly FoundCandidate[] | Unavailable> {
  const global: Candidate = { path: join(configDirectory, instructionFileName), within: null }
  const locate = (candidates: readonly Candidate[]): Effect.Effect<readonly FoundCandidate[]> =>
    Effect.map(files.realPaths(candidates.map(({ path }) => path)), (reals) =>
      candidates.map((candidate, at) => ({ candidate, real: reals[at] ?? nothing })),
    )
  const locateAll = (before: readonly Candidate[], after: readonly Candidate[], root: string | null) =>
    Effect.map(
      Effect.all([locate([...before, ...after]), Effect.flatMap(configured(root), locate)], {
        concurrency: "unbounded",
      }),
      ([usual, named]) => [...usual.slice(0, before.length), ...named, ...usual.slice(before.length)],
    )
  if (disableProject === true) return yield* locateAll([global], [], null)
  const locateIn = ({
    directory: location,
    root,
  }: Project): Effect.Effect<readonly FoundCandidate[] | Unavailable> => {
    if (location === null) return Effect.succeed(unavailable)
    const inDirectories = (directories: readonly string[]) =>
      directories.flatMap((directory) => candidatesIn(directory, root))
    return locateAll([global, ...inDirectories(directoriesDown(root, location))], inDirectories(nested), root)
  }
  const last = expected()
  if (last === null) return yield* Effect.flatMap(project, locateIn)
  const [now, located] = yield* Effect.all([project, locateIn(last)], { concurrency: "unbounded" })
  return now.directory === last.directory && now.root === last.root ? located : yield* locateIn(now)
})

function candidatesIn(directory: string, root: string): readonly Candidate[] {
  const own = { path: join(directory, instructionFileName), within: root }
  return [own, { path: join(directory, otherFileName), within: root, unless: own.path }]
}

/** Both are canonical and the second is the first or below it. */
export function directoriesDown(root: string, location: string): string[] {
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
