/**
 * read: shows a text file with line numbers, an image, or the entries of a directory.
 *
 * It shapes its own output (TO2): a page of whole lines that fits the limit of a settlement, and a
 * last line that says how to go on. Files are read in pieces and only as far as the page needs,
 * in bounded memory whatever their size.
 */
import { type FileHandle, open, readdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { Effect, Schema } from "effect"
import { hashStartOf } from "@holdfast/schema/media"
import { outputLimitsDefault } from "./bound.ts"
import { type LocationPath, fileEffect, resolveInLocation, statOrNull } from "./location-path.ts"
import { nearNames } from "./near-names.ts"
import { isImage, readImageBytes, showAgain, showGiven } from "./read-image.ts"
import { ToolFailure, type ToolContext, type ToolResult, defineTool } from "./tool.ts"

const linesMax = 2_000
const lineUnitsMax = 2_000
/** Room for the closing line is kept free. */
const pageBytesMax = outputLimitsDefault.bytesMax - 512
const pieceBytes = 65_536
const sampleBytes = 8_192

const Positive = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const Input = Schema.Struct({
  path: Schema.NonEmptyString,
  offset: Schema.optionalKey(Positive),
  limit: Schema.optionalKey(Positive),
})
type Input = typeof Input.Type

export const readTool = defineTool({
  name: "read",
  description:
    "Reads a text file inside the working directory, with line numbers, shows an image (PNG, JPEG, GIF, WebP), or lists a directory. At most 2000 lines at a time; go on with offset.",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description:
          "Path of the file or directory, relative to the working directory, or the handle of an image (media:…) to see it again.",
      },
      offset: { type: "integer", minimum: 1, description: "First line to show; 1 unless given." },
      limit: { type: "integer", minimum: 1, description: "How many lines to show; 2000 at most." },
    },
    required: ["path"],
    additionalProperties: false,
  },
  repeatable: true,
  readOnly: true,
  input: Input,
  run: (input, context) => readInput(input, context),
})

interface Page {
  readonly lines: readonly string[]
  readonly first: number
  /** Lines of the whole, known only when its end was reached. */
  readonly total: number | null
}

const readInput = Effect.fnUntraced(function* (
  input: Input,
  context: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure> {
  if (hashStartOf(input.path) !== null) return yield* showAgain(input.path, context)
  const target = yield* resolveInLocation(context.directory, input.path)
  const found = yield* fileEffect(input.path, () => statOrNull(target.absolute))
  if (found === null) return yield* missing(input.path, target)
  const range = { first: input.offset ?? 1, count: Math.min(input.limit ?? linesMax, linesMax) }
  if (found.isDirectory()) {
    const names = yield* fileEffect(input.path, () => listDirectory(target.absolute))
    return yield* showPage(input.path, pageOf(names, range), (line) => line)
  }
  if (!found.isFile()) {
    return yield* new ToolFailure({
      code: "not_a_file",
      message: `${input.path} is neither a regular file nor a directory and cannot be read.`,
    })
  }
  const content = yield* fileEffect(input.path, () => readContent(target.absolute, range))
  if (content === "binary") {
    return yield* new ToolFailure({
      code: "binary_file",
      message: `${input.path} is not a text file (${found.size} bytes). Inspect it with a command instead.`,
    })
  }
  if (content instanceof Uint8Array) return yield* showGiven({ bytes: content, name: input.path })
  return yield* showPage(input.path, content, (line, number) => `${String(number).padStart(6)}\t${line}`)
})

interface Range {
  readonly first: number
  readonly count: number
}

function showPage(
  path: string,
  page: Page,
  render: (line: string, number: number) => string,
): Effect.Effect<ToolResult, ToolFailure> {
  if (page.lines.length === 0 && page.first > 1) {
    const message = `${path} has only ${page.total ?? 0} lines; offset ${page.first} is past its end.`
    return Effect.fail(new ToolFailure({ code: "offset_past_end", message }))
  }
  if (page.lines.length === 0) {
    return Effect.succeed({ text: `(${path} is empty)`, structured: { first: 1, last: 0, more: false } })
  }
  const last = page.first + page.lines.length - 1
  const more = page.total === null || last < page.total
  const shown = page.lines.map((line, index) => render(line, page.first + index))
  if (more) shown.push(`[lines ${page.first} to ${last}; more follow, go on with offset ${last + 1}]`)
  return Effect.succeed({ text: shown.join("\n"), structured: { first: page.first, last, more } })
}

/** Takes lines one by one until the page is full; tells when it is. */
function createPage(range: Range) {
  const lines: string[] = []
  let number = 0
  let bytes = 0
  const take = (line: string): "more" | "full" => {
    number += 1
    if (number < range.first) return "more"
    const cut = line.length > lineUnitsMax ? `${line.slice(0, lineUnitsMax).toWellFormed()}[line cut]` : line
    // Seven columns of number and tab, one newline.
    const cost = Buffer.byteLength(cut) + 16
    if (lines.length >= range.count || bytes + cost > pageBytesMax) return "full"
    bytes += cost
    lines.push(cut)
    return "more"
  }
  const page = (complete: boolean): Page => ({ lines, first: range.first, total: complete ? number : null })
  return { take, page }
}

function pageOf(lines: readonly string[], range: Range): Page {
  const building = createPage(range)
  const full = lines.some((line) => building.take(line) === "full")
  return building.page(!full)
}

/** A page of text, the bytes of an image, or neither. */
async function readContent(path: string, range: Range): Promise<Page | Uint8Array | "binary"> {
  const file = await open(path, "r")
  try {
    const sample = await piece(file, 0, sampleBytes)
    if (!looksBinary(sample)) return await readLines(file, range)
    return isImage(sample) ? await readImageBytes(file) : "binary"
  } finally {
    await file.close()
  }
}

async function readLines(file: FileHandle, range: Range): Promise<Page> {
  const building = createPage(range)
  const decoder = new TextDecoder()
  let unended = ""
  for (let position = 0; ;) {
    const bytes = await piece(file, position, pieceBytes)
    position += bytes.length
    const lines = (unended + decoder.decode(bytes, { stream: bytes.length > 0 })).split("\n")
    unended = lines.pop() ?? ""
    // A line is shown up to its limit; keeping more of an endless one would only cost memory.
    if (unended.length > 2 * lineUnitsMax) unended = unended.slice(0, 2 * lineUnitsMax)
    if (lines.some((line) => building.take(line) === "full")) return building.page(false)
    if (bytes.length === 0) break
  }
  if (unended !== "" && building.take(unended) === "full") return building.page(false)
  return building.page(true)
}

async function piece(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** A NUL, or more than one unreadable character in ten. */
function looksBinary(sample: Buffer): boolean {
  if (sample.includes(0)) return true
  // Streaming leaves out a character that the sample cuts in two.
  const text = new TextDecoder().decode(sample, { stream: true })
  return text.split("\uFFFD").length - 1 > text.length / 10
}

async function listDirectory(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true })
  const marks = entries.map((entry) => {
    const mark = entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""
    return entry.name + mark
  })
  return marks.sort()
}

const missing = Effect.fnUntraced(function* (path: string, target: LocationPath) {
  const siblings = yield* Effect.promise(() => readdir(dirname(target.absolute)).catch(() => []))
  const near = nearNames(basename(target.absolute), siblings)
  const hint = near.length > 0 ? ` Near names in that directory: ${near.join(", ")}.` : ""
  return yield* new ToolFailure({ code: "not_found", message: `${path} does not exist.${hint}` })
})
