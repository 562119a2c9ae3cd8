/**
 * read: shows a text file with line numbers, an image, or the entries of a directory.
 *
 * It shapes its own output (TO2): a page of whole lines that fits the limit of a settlement, and a
 * last line that says how to go on. Files are read in pieces, in bounded memory whatever their size.
 * The hash of the whole file goes on record, so that the Session knows which version it has seen; a
 * file that is too large to be changed anyway has none, and is read only as far as the page needs.
 */
import { createHash, type Hash } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, open, readdir } from "node:fs/promises"
import { basename } from "node:path"
import { Effect, Schema } from "effect"
import { hashStartOf } from "@holdfast/schema/media"
import type { CallOutcome } from "@holdfast/schema/message"
import { pathResources } from "../permission/resources.ts"
import { type Omission, outputLimitsDefault } from "./bound.ts"
import { missingFile } from "./file/missing-file.ts"
import { withDirectory, withDirectoryOf } from "./file/opened-directory.ts"
import { changeBytesMax } from "./file/stored-file.ts"
import {
  type LocationPath,
  type ReadablePath,
  expiredOutput,
  fileEffect,
  resolveReadable,
  statOrNull,
} from "./location-path.ts"
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
    "Reads a text file inside the working directory, with line numbers, shows an image (PNG, JPEG, GIF, WebP), or lists a directory. Also reads the file that holds the complete output of an earlier call. At most 2000 lines at a time; go on with offset.",
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
  resources: ({ path }, place) =>
    hashStartOf(path) === null ? pathResources("read", path, place) : Effect.succeed([]),
  run: (input, context) => readInput(input, context),
})

interface Page {
  readonly lines: readonly string[]
  readonly first: number
  /** Lines of the whole, known only when its end was reached. */
  readonly total: number | null
  /** Bytes that were cut off from lines that are shown (TO8). */
  readonly bytesCut: number
}

const readInput = Effect.fnUntraced(function* (
  input: Input,
  context: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure> {
  if (hashStartOf(input.path) !== null) return yield* showAgain(input.path, context)
  const target = yield* resolveReadable(context, input.path)
  const found = yield* fileEffect(input.path, () => statOrNull(target.absolute))
  if (found === null)
    return yield* target.managed ? expiredOutput(input.path) : missingFile(input.path, target)
  const range = { first: input.offset ?? 1, count: Math.min(input.limit ?? linesMax, linesMax) }
  if (found.isDirectory()) {
    const names = yield* fileEffect(input.path, () => listDirectory(target))
    return yield* showPage(input.path, pageOf(names, range), "listing")
  }
  if (!found.isFile()) {
    return yield* new ToolFailure({
      code: "not_a_file",
      message: `${input.path} is neither a regular file nor a directory and cannot be read.`,
    })
  }
  const { content, hash } = yield* fileEffect(input.path, () => readContent(target, range))
  if (content === "binary") {
    return yield* new ToolFailure({
      code: "binary_file",
      message: `${input.path} is not a text file (${found.size} bytes). Inspect it with a command instead.`,
    })
  }
  const shown = yield* content instanceof Uint8Array
    ? showGiven({ bytes: content, name: input.path })
    : showPage(input.path, content, "text")
  if (hash !== null && !target.managed) context.files.saw(target.absolute, hash)
  return shown
})

const numbered = (line: string, number: number): string => `${String(number).padStart(6)}\t${line}`

/** The text of a file that a read has shown whole, taken from its settlement; null where it did not. */
export function shownText({ output, structured, truncated }: CallOutcome): string | null {
  const isWhole = Schema.is(WholePage)(structured) && truncated === null
  return isWhole ? output.replaceAll(/^ *\d+\t/gm, "") : null
}

const WholePage = Schema.Struct({ first: Schema.Literal(1), last: Positive, more: Schema.Literal(false) })

interface Range {
  readonly first: number
  readonly count: number
}

function showPage(
  path: string,
  page: Page,
  kind: "text" | "listing",
): Effect.Effect<ToolResult, ToolFailure> {
  if (page.lines.length === 0 && page.first > 1) {
    const message = `${path} has only ${page.total ?? 0} lines; offset ${page.first} is past its end.`
    return Effect.fail(new ToolFailure({ code: "offset_past_end", message }))
  }
  if (page.lines.length === 0) {
    return Effect.succeed({
      text: `(${path} is empty)`,
      structured: { kind, first: 1, last: 0, more: false },
    })
  }
  const last = page.first + page.lines.length - 1
  const more = page.total === null || last < page.total
  const render = kind === "text" ? numbered : (line: string) => line
  const shown = page.lines.map((line, index) => render(line, page.first + index))
  if (more) shown.push(`[lines ${page.first} to ${last}; more follow, go on with offset ${last + 1}]`)
  const omitted: Omission = { lines: 0, bytes: page.bytesCut }
  return Effect.succeed({
    text: shown.join("\n"),
    structured: { kind, first: page.first, last, more },
    ...(page.bytesCut > 0 && { omitted }),
  })
}

/** Takes text piece by piece until the page is full. */
function createPage(range: Range) {
  const lines: string[] = []
  let number = 0
  let bytes = 0
  let bytesCut = 0
  let full = false
  let unended = ""
  let unendedBytesCut = 0

  const take = (line: string): void => {
    const cutBefore = unendedBytesCut
    unendedBytesCut = 0
    number += 1
    if (number < range.first || full) return
    const whole = line.endsWith("\r") ? line.slice(0, -1) : line
    const kept = whole.length > lineUnitsMax ? whole.slice(0, lineUnitsMax).toWellFormed() : whole
    const cut = kept === whole ? 0 : Buffer.byteLength(whole) - Buffer.byteLength(kept) + cutBefore
    const shown = cut === 0 ? kept : `${kept}[line cut]`
    // Seven columns of number and tab, one newline.
    const cost = Buffer.byteLength(shown) + 16
    full = lines.length >= range.count || bytes + cost > pageBytesMax
    if (full) return
    bytes += cost
    bytesCut += cut
    lines.push(shown)
  }

  const add = (text: string): void => {
    const ended = (unended + text).split("\n")
    unended = ended.pop() ?? ""
    for (const line of ended) take(line)
    // A line is shown up to its limit; keeping more of an endless one would only cost memory.
    if (unended.length > 2 * lineUnitsMax) {
      unendedBytesCut += Buffer.byteLength(unended.slice(2 * lineUnitsMax))
      unended = unended.slice(0, 2 * lineUnitsMax)
    }
  }

  const end = (): Page => {
    if (unended !== "") take(unended)
    return { lines, first: range.first, total: full ? null : number, bytesCut }
  }
  return { add, end, isFull: () => full }
}

function pageOf(lines: readonly string[], range: Range): Page {
  const page = createPage(range)
  for (const line of lines) page.add(`${line}\n`)
  return page.end()
}

interface Content {
  /** A page of text, the bytes of an image, or neither. */
  readonly content: Page | Uint8Array | "binary"
  readonly hash: string | null
}

const readContent = (target: ReadablePath, range: Range): Promise<Content> =>
  withDirectoryOf(target, async (directory) => {
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
    const file = await open(directory.at(basename(target.absolute)), flags)
    try {
      const sample = await piece(file, 0, sampleBytes)
      const { size } = await file.stat()
      const hasher = size > changeBytesMax ? null : createHash("sha256")
      if (target.managed || !looksBinary(sample))
        return await readLines(file, { sample, size }, range, hasher)
      if (!isImage(sample)) return { content: "binary", hash: null }
      const content = await readImageBytes(file)
      return { content, hash: hasher?.update(content).digest("hex") ?? null }
    } finally {
      await file.close()
    }
  })

/** What was read of a file already, from its start on, and the size that it had after that. */
interface Begun {
  readonly sample: Buffer
  readonly size: number
}

async function readLines(
  file: FileHandle,
  { sample, size }: Begun,
  range: Range,
  hasher: Hash | null,
): Promise<Content> {
  const page = createPage(range)
  const decoder = new TextDecoder()
  let position = 0
  for (let bytes = sample; bytes.length > 0; bytes = await piece(file, position, pieceBytes)) {
    position += bytes.length
    hasher?.update(bytes)
    if (!page.isFull()) page.add(decoder.decode(bytes, { stream: true }))
    // At the size another look would find nothing. Files that are made while they are read tell none, or another.
    if (position === size || (page.isFull() && hasher === null)) break
  }
  if (!page.isFull()) page.add(decoder.decode())
  return { content: page.end(), hash: hasher?.digest("hex") ?? null }
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

const listDirectory = (target: LocationPath): Promise<readonly string[]> =>
  withDirectory(target, async (directory) => {
    const entries = await readdir(directory.at("."), { withFileTypes: true })
    const marks = entries.map((entry) => {
      const mark = entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""
      return entry.name + mark
    })
    return marks.sort()
  })
