/**
 * grep: finds lines by a regular expression.
 *
 * Lines are told below the path of their file, in the order of paths. A file is searched no further
 * than can be shown of it, so the count of its lines may be a lower bound, which is said. A pattern
 * that needs look-around or backreferences is given to the engine that has them.
 */
import { Effect, Schema, type Scope } from "effect"
import type { FilePattern } from "../../files/glob-pattern.ts"
import { pathResources } from "../../permission/resources.ts"
import { type Tool, type ToolContext, ToolFailure, type ToolResult, defineTool } from "../tool.ts"
import { collectLines } from "./found-blocks.ts"
import { collectPaths } from "./found-paths.ts"
import { filePattern } from "./glob.ts"
import {
  acceptsFile,
  choiceArgs,
  findRipgrep,
  type FindProgram,
  nameArgs,
  runRipgrep,
  type SearchEnd,
  searchFailed,
  type SearchRun,
  searchTimeoutMs,
} from "./ripgrep.ts"
import { askedForNote, readableBelow } from "./readable.ts"
import { passedOver, timeNote, unreadableNote } from "./search-notes.ts"
import { openPlace, type SearchPlace } from "./search-place.ts"
import { movedNote, searchSteadily } from "./steady.ts"

const limitDefault = 250
const limitMax = 1_900
const patternUnitsMax = 8_192
const contextMax = 20

const Pattern = Schema.NonEmptyString.check(Schema.isMaxLength(patternUnitsMax))
const Input = Schema.Struct({
  pattern: Pattern,
  path: Schema.optionalKey(Schema.NonEmptyString),
  glob: Schema.optionalKey(Pattern),
  output: Schema.optionalKey(Schema.Literals(["lines", "files", "counts"])),
  context: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: contextMax }))),
  ignoreCase: Schema.optionalKey(Schema.Boolean),
  multiline: Schema.optionalKey(Schema.Boolean),
  ignored: Schema.optionalKey(Schema.Boolean),
  hidden: Schema.optionalKey(Schema.Boolean),
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limitMax }))),
})
type Input = typeof Input.Type

export const createGrepTool = (find: FindProgram = findRipgrep): Tool =>
  defineTool({
    name: "grep",
    description:
      "Finds lines in files inside the working directory by a regular expression, with line numbers, sorted by path. What .gitignore names, hidden and binary files are left out.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, description: "Regular expression, as ripgrep reads it." },
        path: {
          type: "string",
          minLength: 1,
          description:
            "File or directory to search, or the file with the complete output of a call; all unless given.",
        },
        glob: { type: "string", minLength: 1, description: "Only files that fit it, as for the tool glob." },
        output: {
          type: "string",
          enum: ["lines", "files", "counts"],
          description: "lines unless given; files: paths only; counts: matching lines of each file.",
        },
        context: { type: "integer", minimum: 0, maximum: 20, description: "Lines to show around each." },
        ignoreCase: { type: "boolean" },
        multiline: { type: "boolean", description: "Lets a match span lines; a dot matches their ends too." },
        ignored: { type: "boolean", description: "Searches what .gitignore names too." },
        hidden: { type: "boolean", description: "Searches hidden files too." },
        limit: { type: "integer", minimum: 1, maximum: 1_900, description: "Results; 250 unless given." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    repeatable: true,
    readOnly: true,
    input: Input,
    resources: ({ path = "." }, place) => pathResources("read", path, place),
    run: (input, context) => Effect.scoped(searchFiles(find, input, context)),
  })

const searchFiles = Effect.fnUntraced(function* (
  find: FindProgram,
  input: Input,
  context: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure, Scope.Scope> {
  if (input.pattern.includes("\0")) {
    const message = String.raw`A pattern cannot hold a NUL character. Write \x00 to find one.`
    return yield* new ToolFailure({ code: "invalid_pattern", message })
  }
  const pattern = input.glob === undefined ? null : yield* filePattern(input.glob)
  const place = yield* openPlace(context, input.path ?? ".")
  const args = [...searchArgs(input, pattern), ...(place.kind === "file" && place.managed ? ["--text"] : [])]
  const { found, end, moved } = yield* searchSteadily(place, () => {
    const lines = collectFound(input, place, pattern, context)
    const { callId } = context
    const run = search(find, { callId, place, args, timeoutMs: searchTimeoutMs, onOutput: lines.take })
    return { found: lines, run }
  })
  const nothing = `no line matches${place.kind === "file" ? "" : passedOver(input)}`
  const { text, omitted } = found.result(nothing, [
    timeNote(end),
    unreadableNote(end),
    askedForNote(place, context),
    movedNote(moved),
  ])
  const complete = end.exitCode !== null && end.unreadable === 0
  const lines = input.output === "files" ? {} : { lines: found.lines() }
  return { text, structured: { files: found.files(), ...lines, complete }, omitted }
})

function collectFound(input: Input, place: SearchPlace, pattern: FilePattern | null, context: ToolContext) {
  const { output = "lines", limit = limitDefault } = input
  const isWanted = acceptsFile(pattern, input)
  const isReadable = readableBelow(place, context)
  const accepts = (path: string) => isWanted(path) && isReadable(path)
  return output === "lines"
    ? collectLines({ place, accepts, limit, linesOfFileMax })
    : collectPaths({ place, kind: output === "files" ? "paths" : "counts", accepts, limit })
}

/** A file is searched no further than can be shown of it. */
const linesOfFileMax = 2_000

function searchArgs(input: Input, pattern: FilePattern | null): readonly string[] {
  const { output = "lines", context = 0, ignoreCase = false, multiline = false } = input
  const modes = {
    lines: [
      "--line-number",
      "--column",
      "--no-heading",
      "--no-context-separator",
      `--max-count=${linesOfFileMax}`,
      `--context=${context}`,
    ],
    files: ["--files-with-matches"],
    counts: ["--count"],
  }
  return [
    ...choiceArgs(input),
    ...nameArgs(pattern),
    "--null",
    "--with-filename",
    "--crlf",
    ...modes[output],
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(multiline ? ["--multiline", "--multiline-dotall"] : []),
    `--regexp=${input.pattern}`,
  ]
}

const search = Effect.fnUntraced(function* (
  find: FindProgram,
  run: SearchRun,
): Effect.fn.Return<SearchEnd, ToolFailure> {
  const first = yield* runRipgrep(find, run)
  if (!isRefused(first)) return first
  if (!first.complaint.includes("--pcre2")) return yield* refusal(first)
  const second = yield* runRipgrep(find, { ...run, args: ["--pcre2", ...run.args] })
  return isRefused(second) ? yield* refusal(second) : second
})

/** It looked at nothing; else it would complain of a file. */
const isRefused = ({ exitCode, unreadable }: SearchEnd): boolean => exitCode === 2 && unreadable === 0

function refusal(end: SearchEnd): ToolFailure {
  if (!/^rg: (?:.*regex|the literal|PCRE2)/.test(end.complaint)) return searchFailed(end)
  const told = end.complaint
    .replace(/^rg: /, "")
    .replace(multilineHint, "Set multiline to true to match across lines.")
  return new ToolFailure({ code: "invalid_pattern", message: `The pattern cannot be used: ${told.trim()}` })
}

const multilineHint = /Consider enabling multiline mode[^]*can be matched\./
