/**
 * apply_patch: changes several files by one patch, all of them or none.
 *
 *   parse ─▶ plan every file against what stands there ─▶ put the plan on record ─▶ change
 *
 * Nothing is written before everything fits. A kill between two files is settled by what the plan
 * says and the files show (DR4).
 */
import { Effect, Schema } from "effect"
import { pathsResources } from "../../permission/resources.ts"
import { countLines } from "../bound.ts"
import { lineCount } from "../file/line-count.ts"
import { alikeLines } from "../edit/alike.ts"
import { decodeText, encodeText, type FileText } from "../file/file-text.ts"
import { checkKnown } from "../file/known-version.ts"
import { missingFile } from "../file/missing-file.ts"
import { applyChanges, type PlannedChange, readStored, type StoredFile } from "../file/stored-file.ts"
import { type Reach, type LocationPath, resolveInLocation } from "../location-path.ts"
import { defineTool, ToolFailure, type ToolContext } from "../tool.ts"
import { type Fit, fitHunks } from "./fit.ts"
import { type FilePatch, parsePatch } from "./parse.ts"

const Input = Schema.Struct({ patch: Schema.NonEmptyString })
type Input = typeof Input.Type

export const applyPatchTool = defineTool({
  name: "apply_patch",
  description: `Changes files inside the working directory by a patch, all of them or none. The patch:
*** Begin Patch
*** Add File: path
+each line of the file
*** Update File: path
*** Move to: path (only to move it)
@@ a line above the change, such as a function header (if the lines below occur more than once)
 a line that stays
-a line that goes
+a line that comes
*** Delete File: path
*** End Patch`,
  inputSchema: {
    type: "object",
    properties: { patch: { type: "string", minLength: 1, description: "The whole patch." } },
    required: ["patch"],
    additionalProperties: false,
  },
  repeatable: false,
  input: Input,
  resources: ({ patch }, place) => pathsResources("write", pathsIn(patch), place),
  run: (input, context) => Effect.uninterruptible(applyInput(input, context)),
})

/** Both sides of a move; a patch that cannot be read touches nothing. */
function pathsIn(patch: string): readonly string[] {
  const parsed = parsePatch(patch)
  if (parsed.kind === "malformed") return []
  return parsed.files.flatMap((file) =>
    file.kind === "update" && file.moveTo !== null ? [file.path, file.moveTo] : [file.path],
  )
}

const applyInput = Effect.fnUntraced(function* (input: Input, context: ToolContext) {
  const parsed = parsePatch(input.patch)
  if (parsed.kind === "malformed") {
    return yield* new ToolFailure({
      code: "malformed_patch",
      message: `Line ${parsed.line} of the patch: ${parsed.problem}. Nothing was changed.`,
    })
  }
  const planned: Planned[] = []
  const named = new Set<string>()
  for (const file of parsed.files) {
    const plan = yield* planFile(file, context)
    for (const path of [plan.change.target, plan.change.source]) {
      if (path === undefined) continue
      if (named.has(path.absolute))
        return yield* failure(
          file,
          "twice_named",
          `${path.shown} is named twice. Put all its changes under one heading`,
        )
      named.add(path.absolute)
    }
    planned.push(plan)
  }
  const changes = planned.map(({ change }) => change)
  yield* applyChanges(changes, context)
  const text = `Applied the patch:\n${planned.map(({ said }) => said).join("\n")}`
  context.output.write(`${text}\n`)
  const files = changes.map(({ kind, target, source }) => ({
    path: target.shown,
    kind,
    ...(source && { from: source.shown }),
  }))
  return { text, structured: { files } }
})

interface Planned {
  readonly change: PlannedChange
  readonly said: string
}

const failure = (file: FilePatch, code: string, problem: string): ToolFailure =>
  new ToolFailure({ code, message: `Line ${file.line} of the patch: ${problem}. Nothing was changed.` })

const planFile = (file: FilePatch, context: ToolContext): Effect.Effect<Planned, ToolFailure> =>
  file.kind === "add" ? planAdded(file, context) : planStored(file, context)

const planAdded = Effect.fnUntraced(function* (
  file: Extract<FilePatch, { kind: "add" }>,
  context: ToolContext,
): Effect.fn.Return<Planned, ToolFailure> {
  const target = yield* newPath(file, file.path, context)
  const after = Buffer.from(file.content)
  return {
    change: { kind: "created", path: target.absolute, mode: null, before: null, after, target, stored: null },
    said: `created ${target.shown} (${lineCount(countLines(file.content))})`,
  }
})

/** A path at which there is nothing yet. */
const newPath = Effect.fnUntraced(function* (file: FilePatch, path: string, reach: Reach) {
  const target = yield* resolveInLocation(reach, path)
  if ((yield* readStored(path, target)) === null) return target
  return yield* failure(file, "exists", `${path} exists already. Use *** Update File, or delete it first`)
})

const planStored = Effect.fnUntraced(function* (
  file: Exclude<FilePatch, { kind: "add" }>,
  context: ToolContext,
): Effect.fn.Return<Planned, ToolFailure> {
  const source = yield* resolveInLocation(context, file.path)
  const stored = yield* readStored(file.path, source)
  if (stored === null) return yield* missingFile(file.path, source)
  yield* checkKnown(source, stored, context, { whole: false })
  const base = { mode: stored.mode, before: stored.bytes, stored }
  if (file.kind === "delete") {
    const change = { ...base, kind: "deleted", path: source.absolute, after: null, target: source } as const
    return { change, said: `deleted ${source.shown}` }
  }
  const { bytes: after, said } = yield* updated(file, stored)
  if (file.moveTo === null) {
    const change = { ...base, kind: "modified", path: source.absolute, after, target: source } as const
    return { change, said: `changed ${source.shown}${said}` }
  }
  const target = yield* newPath(file, file.moveTo, context)
  return {
    change: moved(base, source, target, after),
    said: `moved ${source.shown} to ${target.shown}${said}`,
  }
})

const moved = (
  base: Pick<PlannedChange, "mode" | "before" | "stored">,
  source: LocationPath,
  target: LocationPath,
  after: Uint8Array,
): PlannedChange => ({
  ...base,
  kind: "moved",
  path: target.absolute,
  from: source.absolute,
  after,
  target,
  source,
})

const updated = Effect.fnUntraced(function* (
  file: Extract<FilePatch, { kind: "update" }>,
  stored: StoredFile,
): Effect.fn.Return<{ readonly bytes: Uint8Array; readonly said: string }, ToolFailure> {
  if (file.hunks.length === 0) return { bytes: stored.bytes, said: "" }
  const text = decodeText(stored.bytes)
  if (text === null) return yield* failure(file, "binary_file", `${file.path} is not a text file in UTF-8`)
  const fit = fitHunks(text, file.hunks)
  if (fit.kind === "misfit") return yield* misfit(file, text, fit)
  if (fit.text === text.text && file.moveTo === null)
    return yield* failure(file, "no_change", `${file.path} is already as the patch would leave it`)
  const said = fit.forgiven.length === 0 ? "" : ` (the patch differed in: ${fit.forgiven.join(", ")})`
  return { bytes: encodeText(fit.text, text), said }
})

function misfit(
  file: FilePatch,
  { text }: FileText,
  { hunk, problem, wanted }: Extract<Fit, { kind: "misfit" }>,
) {
  const alike = alikeLines(text, wanted.join("\n"))
  const lines = alike.map(({ number, text: line }) => `${String(number).padStart(6)}\t${line}`)
  const hint = lines.length === 0 ? "" : `\nThese lines of ${file.path} look alike:\n${lines.join("\n")}`
  const message = `The hunk at line ${hunk.line} of the patch does not fit ${file.path}: ${problem}. Nothing was changed.${hint}`
  return new ToolFailure({ code: "hunk_misfit", message })
}
