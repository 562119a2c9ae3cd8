/**
 * Markdown files of the user and of the project: agents, skills and commands.
 *
 * A project's files come with whatever was cloned: none is read that is too long, is no regular
 * file, or leads out of the project by a link. What is passed over is told as a problem, so that
 * nobody wonders where it went. A directory that is not there holds nothing.
 */
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path"
import { Effect } from "effect"
import type { FileContent, InstructionFiles, NoFile } from "../instructions/files.ts"
import { visibleLine } from "./visible.ts"

export type MarkdownOrigin = "user" | "project"

/** A directory that is looked into. */
export interface MarkdownPlace {
  readonly directory: string
  readonly origin: MarkdownOrigin
  /** The canonical directory that a file must lie in; null where a link may lead anywhere. */
  readonly within: string | null
  /** The files were written for another program, whose words are understood as far as they go. */
  readonly foreign: boolean
}

export interface MarkdownFile {
  /** That of the file without its ending, or of the folder it stands for. */
  readonly name: string
  readonly path: string
  readonly place: MarkdownPlace
  readonly text: string
}

/** A file that is passed over, or something in it that is. */
export interface MarkdownProblem {
  readonly path: string
  /** Counts from 1; 0 where it is about the whole file. */
  readonly line: number
  readonly message: string
}

export interface FoundMarkdown {
  /** In the order of their names within each place. */
  readonly files: readonly MarkdownFile[]
  readonly problems: readonly MarkdownProblem[]
}

const markdownBytesMax = 64 * 1024
const filesMax = 200
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** `each`: a file of its own, as `review.md`, or one of a fixed name in a folder of its own. */
export const findMarkdown = Effect.fnUntraced(function* (
  places: readonly MarkdownPlace[],
  each: { readonly named: "*.md" } | { readonly within: string },
  files: InstructionFiles,
): Effect.fn.Return<FoundMarkdown> {
  const found: MarkdownFile[] = []
  const problems: MarkdownProblem[] = []
  const listed = yield* files.names(places.map(({ directory }) => directory))
  const candidates = places.map(({ directory }, at) =>
    (listed[at] ?? []).flatMap((entry) => candidate(directory, entry, each)),
  )
  const allReals = yield* files.realPaths(candidates.flat())
  let before = 0
  for (const [index, place] of places.entries()) {
    const paths = candidates[index] ?? []
    const reals = allReals.slice(before, before + paths.length)
    before += paths.length
    if (paths.length > filesMax)
      problems.push(
        problemOf(place.directory, `There are more than ${filesMax} files here; the rest is left out.`),
      )
    for (const [at, path] of paths.slice(0, filesMax).entries()) {
      const real = reals[at] ?? nothing
      const refused = refusal(path, real, place, each)
      const content: FileContent =
        refused === null && typeof real === "string" ? yield* files.read(real) : nothing
      const problem = refused ?? contentProblem(content)
      if (problem !== null) problems.push(problemOf(path, problem))
      else if (content.kind === "text")
        found.push({ name: nameOf(path, each), path, place, text: content.text })
    }
  }
  return { files: found, problems }
})

export const problemOf = (path: string, message: string, line = 0): MarkdownProblem => ({
  path: visibleLine(path, pathCharactersMax),
  line,
  message,
})

/** As it is told to a person. */
export const problemText = ({ path, line, message }: MarkdownProblem): string =>
  `${line === 0 ? path : `${path}:${line}`}: ${message}`

const pathCharactersMax = 400
const nothing: NoFile = { kind: "missing" }

type Each = Parameters<typeof findMarkdown>[1]

const candidate = (directory: string, entry: string, each: Each): readonly string[] =>
  "within" in each
    ? [join(directory, entry, each.within)]
    : entry.endsWith(".md")
      ? [join(directory, entry)]
      : []

const nameOf = (path: string, each: Each): string =>
  "within" in each ? basename(dirname(path)) : basename(path, ".md")

/** Why a path is not even opened, or null. A folder without its file is nobody's mistake. */
function refusal(path: string, real: string | NoFile, { within }: MarkdownPlace, each: Each): string | null {
  if (typeof real !== "string") return real.kind === "unreadable" ? unreadable(real.reason) : null
  if (within !== null && !isWithin(within, real)) return "It leads out of the project, and is left out."
  if (!nameForm.test(nameOf(path, each)))
    return "Its name is left out: use letters, digits, dots, dashes and underscores, 64 at most."
  return null
}

const unreadable = (reason: string): string => `It cannot be read (${reason}). Check its permissions.`

function contentProblem(content: FileContent): string | null {
  if (content.kind === "unreadable") return unreadable(content.reason)
  if (content.kind === "missing")
    return content.irregular === true ? "This is no file, and is left out." : null
  const isLong = content.cut === true || Buffer.byteLength(content.text) > markdownBytesMax
  return isLong ? `It is longer than ${markdownBytesMax} bytes, and is left out. Shorten it.` : null
}

function isWithin(directory: string, real: string): boolean {
  const way = relative(directory, real)
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
