/**
 * Patterns by which files are chosen: the wildcards of `.gitignore`, braces for alternatives, and an
 * exclamation mark in front for all files but these.
 *
 *   *.ts            at every depth, because it holds no slash
 *   src/*.{ts,js}   directly in src
 *   src/**          everything below src
 *   !*.test.ts      everything else
 */
import { fitsPath, readPathPattern } from "./wildcards.ts"

export interface FilePattern {
  /** Whether a file is chosen; its path counts from where the search begins, with slashes. */
  readonly fits: (path: string) => boolean
  /** Wildcards that the name of every chosen file fits, for whoever can pass over others early; null for none. */
  readonly names: readonly string[] | null
}

/** `not-below`: it names a place by an absolute path or by `..`. */
export type FilePatternFault = "not-below" | "too-many-alternatives"

const alternativesMax = 64

export function readFilePattern(text: string): FilePattern | FilePatternFault {
  const others = text.startsWith("!")
  const alternatives = expandBraces(others ? text.slice(1) : text)
  if (alternatives === null) return "too-many-alternatives"
  const paths = alternatives.map((path) => path.replace(/^(?:\.\/)+/, "").replace(/\/$/, "/**"))
  if (paths.some((path) => path.startsWith("/") || path.split("/").includes(".."))) return "not-below"
  const patterns = paths.map(readOne)
  const fitsOne = (path: string) => patterns.some((fits) => fits(path))
  return { fits: others ? (path) => !fitsOne(path) : fitsOne, names: others ? null : namesOf(paths) }
}

function readOne(text: string): FilePattern["fits"] {
  // The commonest pattern is an ending, which is judged at once.
  const ending = /^(?:\*\*\/)?\*([\w.-]+)$/.exec(text)?.[1]
  if (ending !== undefined) return (path) => path.endsWith(ending)
  const pattern = readPathPattern(text)
  return (path) => fitsPath(pattern, path.split("/"))
}

/** Only where every program reads them alike. */
function namesOf(paths: readonly string[]): readonly string[] | null {
  const names = paths.map((path) => path.split("/").at(-1) ?? "")
  return names.every((name) => /^[\w.*?-]*[\w.?-][\w.*?-]*$/.test(name) && !name.includes("**"))
    ? names
    : null
}

/** Braces that do not close, or hold no comma, are letters like others. Null beyond the maximum. */
function expandBraces(text: string): readonly string[] | null {
  let open = [text]
  const done: string[] = []
  while (open.length > 0) {
    const [first = "", ...rest] = open
    const braces = innermostBraces.exec(first)
    open = rest
    if (braces === null) done.push(first)
    else {
      const [whole, inside = ""] = braces
      const before = first.slice(0, braces.index)
      const after = first.slice(braces.index + whole.length)
      open.push(...inside.split(",").map((choice) => before + choice + after))
    }
    if (open.length + done.length > alternativesMax) return null
  }
  return [...new Set(done)]
}

const innermostBraces = /\{([^{}]*,[^{}]*)\}/
