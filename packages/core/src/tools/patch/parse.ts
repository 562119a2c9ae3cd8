/**
 * Patch grammar: the envelope that models know from Codex.
 *
 *   *** Begin Patch
 *   *** Add File: path        then the lines of the file, each behind a +
 *   *** Delete File: path
 *   *** Update File: path     then, if it moves, *** Move to: path, and hunks:
 *   @@ a line above           any number of them, each further down; none in the first hunk
 *    kept / -gone / +come     the change, with lines around it
 *   *** End of File           where the hunk ends with the file
 *   *** End Patch
 *
 * Pure. What is malformed is named with its line, counted from 1.
 */

export interface HunkLine {
  readonly kind: "kept" | "gone" | "come"
  readonly text: string
}

export interface Hunk {
  /** Where it begins in the patch. */
  readonly line: number
  /** Lines above it in the file, in order. */
  readonly above: readonly string[]
  readonly lines: readonly HunkLine[]
  readonly atEnd: boolean
}

export type FilePatch =
  | { readonly kind: "add"; readonly line: number; readonly path: string; readonly content: string }
  | { readonly kind: "delete"; readonly line: number; readonly path: string }
  | {
      readonly kind: "update"
      readonly line: number
      readonly path: string
      readonly moveTo: string | null
      readonly hunks: readonly Hunk[]
    }

export type ParsedPatch =
  | { readonly kind: "parsed"; readonly files: readonly FilePatch[] }
  | { readonly kind: "malformed"; readonly line: number; readonly problem: string }

const filesMax = 500

export function parsePatch(text: string): ParsedPatch {
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  const first = lines.findIndex((line) => line.trim() !== "")
  const last = lines.findLastIndex((line) => line.trim() !== "")
  if (lines[first]?.trim() !== "*** Begin Patch")
    return malformed(first, "a patch begins with the line *** Begin Patch")
  if (lines[last]?.trim() !== "*** End Patch")
    return malformed(last, "a patch ends with the line *** End Patch")
  const files: FilePatch[] = []
  for (let at = first + 1; at < last;) {
    if (lines[at]?.trim() === "") {
      at += 1
      continue
    }
    const read = readFile(lines, at, last)
    if ("problem" in read) return malformed(read.at, read.problem)
    files.push(read.file)
    at = read.next
    if (files.length > filesMax) return malformed(at, `a patch names at most ${filesMax} files`)
  }
  if (files.length === 0) return malformed(first, "the patch names no file")
  return { kind: "parsed", files }
}

const malformed = (at: number, problem: string): ParsedPatch => ({
  kind: "malformed",
  line: Math.max(0, at) + 1,
  problem,
})

interface Problem {
  readonly at: number
  readonly problem: string
}

type Read = { readonly file: FilePatch; readonly next: number } | Problem

const header = /^\*\*\* (Add|Delete|Update) File:(.*)$/

function readFile(lines: readonly string[], at: number, end: number): Read {
  const found = header.exec(lines[at]?.trimEnd() ?? "")
  const path = found?.[2]?.trim() ?? ""
  if (found === null)
    return { at, problem: "expected *** Add File: path, *** Update File: path or *** Delete File: path" }
  if (path === "") return { at, problem: "the path is missing" }
  const line = at + 1
  if (found[1] === "Delete") return { file: { kind: "delete", line, path }, next: at + 1 }
  return found[1] === "Add" ? readAdded(lines, at, end, path) : readUpdated(lines, at, end, path)
}

function readAdded(lines: readonly string[], at: number, end: number, path: string): Read {
  let next = at + 1
  const content: string[] = []
  for (; next < end && !isFileHeader(lines[next]); next += 1) {
    const line = lines[next] ?? ""
    if (line.startsWith("+")) content.push(`${line.slice(1)}\n`)
    else if (line.trim() !== "") return { at: next, problem: "each line of an added file begins with +" }
  }
  return { file: { kind: "add", line: at + 1, path, content: content.join("") }, next }
}

const isFileHeader = (line = ""): boolean => /^\*\*\* (?:Add|Delete|Update) File:/.test(line)

function readUpdated(lines: readonly string[], at: number, end: number, path: string): Read {
  let next = at + 1
  const moved = /^\*\*\* Move to:(.*)$/.exec(lines[next]?.trimEnd() ?? "")
  if (moved !== null) next += 1
  const hunks: Hunk[] = []
  while (next < end && !isFileHeader(lines[next])) {
    const read = readHunk(lines, next, end)
    if ("problem" in read) return read
    if (read.hunk !== null) hunks.push(read.hunk)
    next = read.next
  }
  const moveTo = moved?.[1]?.trim() ?? null
  if (moveTo === "") return { at: at + 1, problem: "the path is missing" }
  if (hunks.length === 0 && moveTo === null) return { at, problem: "the update has no change in it" }
  return { file: { kind: "update", line: at + 1, path, moveTo, hunks }, next }
}

const marks: Readonly<Record<string, HunkLine["kind"]>> = { " ": "kept", "-": "gone", "+": "come" }

/** Null where there are only empty lines, as somebody leaves them between two files. */
function readHunk(
  lines: readonly string[],
  at: number,
  end: number,
): { readonly hunk: Hunk | null; readonly next: number } | Problem {
  let next = at
  const above: string[] = []
  for (; next < end && lines[next]?.startsWith("@@") === true; next += 1) {
    const words = /^@@ ?(.*?)(?: @@)?$/.exec(lines[next] ?? "")?.[1] ?? ""
    if (words.trim() !== "" && !/^-\d+(?:,\d+)? \+\d+(?:,\d+)?/.test(words)) above.push(words)
  }
  const read: HunkLine[] = []
  for (; next < end; next += 1) {
    const line = lines[next] ?? ""
    if (line.startsWith("@@") || line.startsWith("*** ")) break
    const kind = line === "" ? "kept" : marks[line[0] ?? ""]
    if (kind === undefined) return { at: next, problem: "each line of a hunk begins with a space, - or +" }
    read.push({ kind, text: line.slice(1) })
  }
  const atEnd = lines[next]?.trimEnd() === "*** End of File"
  if (atEnd) next += 1
  else if (lines[next]?.startsWith("*** ") === true && next < end && !isFileHeader(lines[next]))
    return { at: next, problem: "expected a hunk, another file or *** End Patch" }
  const body = withoutLastEmpty(read, atEnd ? "" : (lines[next] ?? ""))
  if (body.every(({ kind, text }) => kind === "kept" && text === "")) {
    return next === at || above.length > 0
      ? { at, problem: "the hunk has no change in it" }
      : { hunk: null, next }
  }
  if (body.every(({ kind }) => kind === "kept")) return { at, problem: "the hunk has no change in it" }
  return { hunk: { line: at + 1, above, lines: body, atEnd }, next }
}

/** Empty lines in front of another file or the end are those of the writer, not of the file. */
function withoutLastEmpty(lines: readonly HunkLine[], follows: string): readonly HunkLine[] {
  if (!follows.startsWith("*** ")) return lines
  const last = lines.findLastIndex(({ kind, text }) => kind !== "kept" || text !== "")
  return lines.slice(0, last + 1)
}
