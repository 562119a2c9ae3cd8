/**
 * write: puts a whole file in place, or leaves everything as it was.
 *
 * The content goes to a temporary file beside the target, is flushed, and takes the name of the
 * target in one step; a reader or a crash sees the old file or the new one. The step cannot be
 * interrupted, and it tells the sink, so that even an interrupted call says what was written (TO5).
 */
import { constants } from "node:fs"
import { type FileHandle, access, mkdir, open, rename, rm } from "node:fs/promises"
import { randomUUID } from "node:crypto"
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { countLines } from "./bound.ts"
import { fileEffect, resolveInLocation, statOrNull } from "./location-path.ts"
import { ToolFailure, type ToolContext, defineTool } from "./tool.ts"

const Input = Schema.Struct({ path: Schema.NonEmptyString, content: Schema.String })
type Input = typeof Input.Type

export const writeTool = defineTool({
  name: "write",
  description:
    "Writes a file inside the working directory, replacing what it held. Missing parent directories are created.",
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
  run: (input, context) => Effect.uninterruptible(writeInput(input, context)),
})

const writeInput = Effect.fnUntraced(function* (input: Input, context: ToolContext) {
  const target = yield* resolveInLocation(context.directory, input.path)
  const existing = yield* fileEffect(input.path, () => statOrNull(target.absolute))
  if (existing !== null && !existing.isFile()) {
    return yield* new ToolFailure({
      code: "not_a_file",
      message: `${input.path} exists and is not a regular file. Choose another path.`,
    })
  }
  yield* fileEffect(input.path, () => replaceFile(target.absolute, input.content, existing?.mode ?? null))
  const lines = countLines(input.content)
  const verb = existing === null ? "Created" : "Replaced"
  const text = `${verb} ${target.shown} (${lines} ${lines === 1 ? "line" : "lines"}).`
  context.output.write(`${text}\n`)
  return { text, structured: { path: target.shown, created: existing === null, lines } }
})

async function replaceFile(path: string, content: string, mode: number | null): Promise<void> {
  const directory = dirname(path)
  // Renaming would pass over the read-only mark of the file itself.
  if (mode !== null) await access(path, constants.W_OK)
  await mkdir(directory, { recursive: true })
  const temporary = join(directory, `.holdfast-${randomUUID()}.tmp`)
  try {
    await withFile(await open(temporary, "wx"), async (file) => {
      await file.writeFile(content)
      if (mode !== null) await file.chmod(mode & 0o7777)
      await file.sync()
    })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await withFile(await open(directory, "r"), (file) => file.sync())
}

async function withFile(file: FileHandle, use: (file: FileHandle) => Promise<void>): Promise<void> {
  try {
    await use(file)
  } finally {
    await file.close()
  }
}
