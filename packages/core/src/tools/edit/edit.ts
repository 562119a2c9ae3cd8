/**
 * edit: replaces a stretch of text in a file, or leaves it as it was and says why.
 *
 * Where the text stands is decided by match.ts; what was forgiven on the way is told, with the lines
 * as they are now. The replacement is literal text, in the line ends of the file.
 */
import { Effect, Schema } from "effect"
import { countLines, countNewlines } from "../bound.ts"
import { decodeText, encodeText, withLineEnd, type FileText } from "../file/file-text.ts"
import { checkKnown } from "../file/known-version.ts"
import { lineCount } from "../file/line-count.ts"
import { lineDiff } from "../file/line-diff.ts"
import { missingFile } from "../file/missing-file.ts"
import { applyChanges, readStored } from "../file/stored-file.ts"
import { pathResources } from "../../permission/resources.ts"
import { resolveInLocation } from "../location-path.ts"
import { defineTool, ToolFailure, type ToolContext } from "../tool.ts"
import { alikeLines } from "./alike.ts"
import { findMatch, type Match, type Place, placesMax, replaceAt } from "./match.ts"

const Input = Schema.Struct({
  path: Schema.NonEmptyString,
  oldText: Schema.NonEmptyString,
  newText: Schema.String,
  replaceAll: Schema.optionalKey(Schema.Boolean),
})
type Input = typeof Input.Type

export const editTool = defineTool({
  name: "edit",
  description:
    "Replaces text in a file inside the working directory. oldText must stand in the file exactly once, without the line numbers that read shows; with replaceAll every occurrence is replaced.",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description: "Path of the file, relative to the working directory.",
      },
      oldText: {
        type: "string",
        minLength: 1,
        description: "The text to replace, with enough lines around it to occur once.",
      },
      newText: { type: "string", description: "What takes its place, literally; empty to remove it." },
      replaceAll: { type: "boolean", description: "Replace every occurrence; false unless given." },
    },
    required: ["path", "oldText", "newText"],
    additionalProperties: false,
  },
  repeatable: false,
  input: Input,
  resources: ({ path }, place) => pathResources("write", path, place),
  run: (input, context) => Effect.uninterruptible(editInput(input, context)),
})

const editInput = Effect.fnUntraced(function* (input: Input, context: ToolContext) {
  const target = yield* resolveInLocation(context, input.path)
  const stored = yield* readStored(input.path, target)
  if (stored === null) return yield* missingFile(input.path, target)
  const file = decodeText(stored.bytes)
  if (file === null) return yield* notText(input.path)
  yield* checkKnown(target, stored, context, { whole: false })
  const match = yield* placesIn(file, input)
  const text = replaceAt(file.text, match.places)
  if (text === file.text) return yield* nothingToDo(input.path)
  const after = encodeText(text, file)
  const { mode, bytes: before } = stored
  const change = { kind: "modified", path: target.absolute, mode, before, after, target, stored } as const
  yield* applyChanges([change], context)
  const starts = match.places.slice(0, linesToldMax).map(({ start }) => start)
  const lines = linesAt(file.text, starts)
  const said = describe(target.shown, file.text, text, match)
  context.output.write(`${said}\n`)
  return { text: said, structured: { path: target.shown, lines, forgiven: match.forgiven } }
})

type Found = Extract<Match, { kind: "found" }>

/** The places, with their replacements in the line ends of the file. */
function placesIn(file: FileText, input: Input): Effect.Effect<Found, ToolFailure> {
  const { path, oldText: old, newText: replacement, replaceAll: all = false } = input
  const match = findMatch(file.text, { old, replacement, all })
  if (match.kind === "none") return Effect.fail(notFound(path, file.text, old))
  if (match.kind === "several") return Effect.fail(severalPlaces(path, file.text, match))
  const withEnds = ({ start, end, replacement: words }: Place): Place => ({
    start,
    end,
    replacement: withLineEnd(words, file.lineEnd),
  })
  return Effect.succeed({ ...match, places: match.places.map(withEnds) })
}

function describe(shown: string, before: string, after: string, { places, forgiven }: Found): string {
  const [first] = places
  const where =
    places.length === 1 && first !== undefined
      ? `at line ${linesAt(before, [first.start]).join("")}`
      : `in ${places.length} places`
  const edited = `Edited ${shown} ${where} (${lineCount(countLines(after))} now).`
  if (forgiven.length === 0) return edited
  const plain = (text: string) => text.replaceAll("\r\n", "\n")
  return `${edited}\noldText did not match exactly; it differed in: ${forgiven.join(", ")}. What was changed:\n${lineDiff(plain(before), plain(after))}`
}

/** Of so many places the record tells the line. */
const linesToldMax = 1_000

/** Line numbers of positions that stand in order, in one pass over the text. */
function linesAt(text: string, positions: readonly number[]): readonly number[] {
  let line = 1
  let from = 0
  return positions.map((position) => {
    line += countNewlines(text.slice(from, position))
    from = position
    return line
  })
}

function notFound(path: string, text: string, old: string): ToolFailure {
  const alike = alikeLines(text, old)
  const hint =
    alike.length === 0
      ? " Nothing in it looks alike; read the file again."
      : ` These lines look alike:\n${alike.map(({ number, text: line }) => `${String(number).padStart(6)}\t${line}`).join("\n")}`
  const numbers = /^ *\d+\t/.test(old) ? " Leave out the line numbers that read shows." : ""
  return new ToolFailure({
    code: "not_found",
    message: `oldText does not occur in ${path}.${numbers}${hint}`,
  })
}

const placesShownMax = 10

function severalPlaces(path: string, text: string, match: Extract<Match, { kind: "several" }>): ToolFailure {
  const { starts, forgiven } = match
  const lines = linesAt(text, starts.slice(0, placesShownMax))
  const more = starts.length > placesShownMax ? ` and ${starts.length - placesShownMax} more` : ""
  const tooMany = starts.length > placesMax
  const times = tooMany ? `more than ${placesMax} times` : `${starts.length} times`
  const how = forgiven.length === 0 ? "" : `, not counting ${forgiven.join(", ")}`
  const forgave = forgiven.some((difference) => difference !== "line ends")
  const all = tooMany ? ", or use a command" : forgave ? "" : ", or set replaceAll"
  return new ToolFailure({
    code: "several_places",
    message: `oldText occurs ${times} in ${path}${how}: at lines ${lines.join(", ")}${more}. Give more of the lines around the one you mean${all}.`,
  })
}

const notText = (path: string): ToolFailure =>
  new ToolFailure({
    code: "binary_file",
    message: `${path} is not a text file in UTF-8 and cannot be edited. Use a command.`,
  })

const nothingToDo = (path: string): ToolFailure =>
  new ToolFailure({
    code: "no_change",
    message: `newText is what ${path} holds already. Nothing was changed.`,
  })
