/** glob: finds files by a pattern of their paths. */
import { Effect, Schema, type Scope } from "effect"
import { type FilePattern, readFilePattern } from "../../files/glob-pattern.ts"
import { pathResources } from "../../permission/resources.ts"
import { type Tool, type ToolContext, ToolFailure, type ToolResult, defineTool } from "../tool.ts"
import { collectPaths } from "./found-paths.ts"
import {
  choiceArgs,
  findRipgrep,
  type FindProgram,
  runRipgrep,
  searchFailed,
  searchTimeoutMs,
} from "./ripgrep.ts"
import { leftOutNote, readableBelow } from "./readable.ts"
import { passedOver, timeNote, unreadableNote } from "./search-notes.ts"
import { openPlace } from "./search-place.ts"
import { movedNote, searchSteadily } from "./steady.ts"

const limitDefault = 250
const limitMax = 1_900
const patternUnitsMax = 4_096

const Input = Schema.Struct({
  pattern: Schema.NonEmptyString.check(Schema.isMaxLength(patternUnitsMax)),
  path: Schema.optionalKey(Schema.NonEmptyString),
  ignored: Schema.optionalKey(Schema.Boolean),
  hidden: Schema.optionalKey(Schema.Boolean),
  limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limitMax }))),
})
type Input = typeof Input.Type

export const createGlobTool = (find: FindProgram = findRipgrep): Tool =>
  defineTool({
    name: "glob",
    description:
      "Finds files inside the working directory by a pattern of their paths, sorted by path. A pattern without a slash fits at every depth. What .gitignore names and hidden files are left out.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: {
          type: "string",
          minLength: 1,
          description: "Such as *.ts, src/**/*.{ts,tsx} or !*.md for all others; it counts from path.",
        },
        path: { type: "string", minLength: 1, description: "Directory to search; all unless given." },
        ignored: { type: "boolean", description: "Finds what .gitignore names too." },
        hidden: { type: "boolean", description: "Finds hidden files too." },
        limit: { type: "integer", minimum: 1, maximum: 1_900, description: "250 unless given." },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    repeatable: true,
    readOnly: true,
    input: Input,
    resources: ({ path = "." }, place) => pathResources("read", path, place),
    run: (input, context) => Effect.scoped(findFiles(find, input, context)),
  })

/** The pattern of an input, or a failure that says how to write it. */
export function filePattern(text: string): Effect.Effect<FilePattern, ToolFailure> {
  const pattern = readFilePattern(text)
  if (typeof pattern !== "string") return Effect.succeed(pattern)
  const message =
    pattern === "not-below"
      ? `The pattern ${text} names a place from outside. Write it from the directory that is searched, without a slash in front and without "..", and give that directory as path.`
      : `The pattern ${text} has too many alternatives in braces. Use fewer, or a wildcard.`
  return Effect.fail(new ToolFailure({ code: "invalid_pattern", message }))
}

const findFiles = Effect.fnUntraced(function* (
  find: FindProgram,
  input: Input,
  context: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure, Scope.Scope> {
  const pattern = yield* filePattern(input.pattern)
  // Complete outputs of calls are files, and no place to look for any.
  const { outputs: _, ...reach } = context
  const place = yield* openPlace(reach, input.path ?? ".")
  if (place.kind === "file") {
    const message = `${input.path} is a file. Give the directory to search, or read the file.`
    return yield* new ToolFailure({ code: "not_a_directory", message })
  }
  const isReadable = readableBelow(place, context)
  let leftOut = 0
  const { found, end, moved } = yield* searchSteadily(place, () => {
    leftOut = 0
    const paths = collectPaths({
      place,
      kind: "paths",
      accepts: (path) => {
        if (!pattern.fits(path)) return false
        if (isReadable(path)) return true
        leftOut += 1
        return false
      },
      limit: input.limit ?? limitDefault,
    })
    const args = ["--files", "--null", ...choiceArgs(input)]
    const { callId } = context
    const run = runRipgrep(find, { callId, place, args, timeoutMs: searchTimeoutMs, onOutput: paths.take })
    return { found: paths, run }
  })
  if (end.exitCode === 2 && end.unreadable === 0) return yield* searchFailed(end)
  const nothing = `no file fits${passedOver(input)}`
  const { text, omitted } = found.result(nothing, [
    timeNote(end),
    unreadableNote(end),
    leftOutNote(leftOut),
    movedNote(moved),
  ])
  const structured = { files: found.files(), complete: end.exitCode !== null && end.unreadable === 0 }
  return { text, structured, omitted }
})
