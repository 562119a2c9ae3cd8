/**
 * write: puts a whole file in place, or leaves everything as it was.
 *
 * What stands there already is overwritten only as the Session knows it. A byte order mark, CRLF
 * line ends and the mode of the file are kept. The sink is told too, so that even an interrupted
 * call says what was written (TO5).
 */
import { Effect, Schema } from "effect"
import { countLines } from "./bound.ts"
import { decodeText, encodeText, withLineEnd } from "./file/file-text.ts"
import { checkKnown } from "./file/known-version.ts"
import { lineCount } from "./file/line-count.ts"
import { applyChanges, readStored, type StoredFile } from "./file/stored-file.ts"
import { pathResources } from "../permission/resources.ts"
import { resolveInLocation } from "./location-path.ts"
import { defineTool, type ToolContext } from "./tool.ts"

const Input = Schema.Struct({ path: Schema.NonEmptyString, content: Schema.String })
type Input = typeof Input.Type

export const writeTool = defineTool({
  name: "write",
  description:
    "Writes a whole file inside the working directory. Missing parent directories are created. A file that exists must have been read in this session. Use edit to change a part of a file.",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description: "Path of the file, relative to the working directory.",
      },
      content: { type: "string", description: "The complete new content of the file." },
    },
    required: ["path", "content"],
    additionalProperties: false,
  },
  repeatable: true,
  input: Input,
  resources: ({ path }, place) => pathResources("write", path, place),
  run: (input, context) => Effect.uninterruptible(writeInput(input, context)),
})

const writeInput = Effect.fnUntraced(function* (input: Input, context: ToolContext) {
  const target = yield* resolveInLocation(context, input.path)
  const stored = yield* readStored(input.path, target)
  yield* checkKnown(target, stored, context, { whole: true })
  const change = {
    kind: stored === null ? "created" : "modified",
    path: target.absolute,
    mode: stored?.mode ?? null,
    before: stored?.bytes ?? null,
    after: contentFor(stored, input.content),
    target,
    stored,
  } as const
  yield* applyChanges([change], context)
  const lines = countLines(input.content)
  const verb = stored === null ? "Created" : "Replaced"
  const text = `${verb} ${target.shown} (${lineCount(lines)}).`
  context.output.write(`${text}\n`)
  return { text, structured: { path: target.shown, created: stored === null, lines } }
})

/** As the file was written down before, if it was a text. */
function contentFor(stored: StoredFile | null, content: string): Uint8Array {
  const known = stored && decodeText(stored.bytes)
  return known === null ? Buffer.from(content) : encodeText(withLineEnd(content, known.lineEnd), known)
}
