/**
 * Tool: the port through which the model acts.
 *
 * The registry calls `run` once per recorded call, never twice by itself (DR5), and only with an input
 * in which it found no fault by `inputSchema`. A tool may fail
 * with ToolFailure, whose message the model reads; anything thrown is a defect and settles only
 * that call. Interruption may come at any moment: a tool gives back what it holds (processes,
 * temporary files) within 5 seconds (DR3). Output is bounded by the registry, not here (TO2).
 */
import { Data, Effect, Option, Schema } from "effect"
import { showsNothing } from "@holdfast/schema/memory/blank"
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Todo } from "@holdfast/schema/fact/todo"
import type { StoredImage } from "../media/normalise.ts"
import type { FindResources } from "../permission/verdict.ts"
import type { Omission, OutputLimits } from "./bound.ts"
import type { FileRecord } from "./file/record.ts"
import type { SessionCommands } from "./background/session-commands.ts"
import type { SessionMemory } from "./context/session-memory.ts"
import type { SessionHistory } from "./context/session-history.ts"
import type { Reach } from "./location-path.ts"
import type { MaskStream } from "../secrets/mask.ts"
import { inputFaults, unfitText } from "./input-faults.ts"
import type { OutputFiles } from "./output/output-store.ts"
import type { OutputSink } from "./output-sink.ts"

export interface ToolContext extends Reach {
  readonly callId: string
  readonly output: OutputSink
  /** Where complete outputs are stored; they may be read though they are outside (TO3). */
  readonly outputs?: OutputFiles
  /** The newest list of steps of this Session. */
  readonly todos?: () => readonly Todo[]
  /** What was said in this Session, behind the window too. */
  readonly history?: SessionHistory
  /** What is known of the project, to be changed by this Session. */
  readonly memory?: SessionMemory
  /** Commands that run beside the turn. */
  readonly commands?: SessionCommands
  /** What the Session knows of files, and where the call tells what it did to them. */
  readonly files: FileRecord
  /** An image of this Session by its handle, or null if it has none of that name. */
  readonly image?: (handle: string) => Effect.Effect<StoredImage | null>
  /** Hides secrets in text that is kept apart from the result; nothing is hidden unless given (AU1). */
  readonly maskStream?: () => MaskStream
  /** Whether a file may be shown without asking, by its absolute path; any may unless this says no. */
  readonly mayRead?: (absolutePath: string) => boolean
  /** Whether a host that a redirect leads to may be fetched without asking; any may unless given. */
  readonly mayFetch?: (host: string) => boolean
}

export interface ToolResult {
  readonly text: string
  readonly structured?: Json
  /** What the model is shown beside the text. */
  readonly images?: readonly StoredImage[]
  /** What the tool itself left out of `text` (TO8). */
  readonly omitted?: Omission
  /** Where `text` is the live output, what stands behind it: so that all of it is kept, also what memory did not hold. */
  readonly afterOutput?: string
  /** How it would itself shorten a text that is too long; its ends are shown unless given (TO6). */
  readonly preview?: (limits: OutputLimits) => string
  /** The list of steps that takes the place of the one before. */
  readonly todos?: readonly Todo[]
  /** It looked at a job that goes on, so that the same call with the same result is no loop (DR8). */
  readonly stillRunning?: boolean
}

/** A failure the model reads and can act on. */
export class ToolFailure extends Data.TaggedError("ToolFailure")<{
  readonly code: string
  readonly message: string
}> {}

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input; its bytes are part of every request, so it is a literal. */
  readonly inputSchema: JsonObject
  /** Declares that a repeat is safe; it only changes the text recorded after a crash (DR5). */
  readonly repeatable: boolean
  /** Declares that it changes nothing, so that it may run beside others that do not; without it, it writes (TU2). */
  readonly readOnly?: boolean
  /** A call that has not ended by then is ended and fails; without it the tool sees to its end itself. */
  readonly timeoutMs?: number
  /** What is asked of a person instead of running; null where the input does not say, so that `run` tells why. */
  readonly question?: (input: Json) => Question | null
  /** What a call would touch, by which it is judged; without it, it is judged by the name of the tool (PE2). */
  readonly resources?: FindResources<Json>
  readonly run: (input: Json, context: ToolContext) => Effect.Effect<ToolResult, ToolFailure>
}

/** Whether a call changes nothing: one of a tool that is not there does not either (TU2). */
export const changesNothing = (tool: Pick<Tool, "readOnly"> | undefined): boolean =>
  tool === undefined || tool.readOnly === true

/** Of a text that is stored: blanks alone say nothing. */
export const notBlank = Schema.makeFilter((value: string) => !showsNothing(value), {
  expected: "a text that is not blank",
})

/** Something that only a person can answer (PE1). */
export interface Question {
  readonly question: string
  readonly options: readonly string[]
}

export interface ToolDefinition<Input> extends Omit<Tool, "run" | "question" | "resources"> {
  readonly input: Schema.Codec<Input, unknown>
  readonly question?: (input: Input) => Question
  readonly resources?: FindResources<Input>
  readonly run: (input: Input, context: ToolContext) => Effect.Effect<ToolResult, ToolFailure>
}

/** Makes a tool whose input is decoded first; a mismatch names every wrong field. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool {
  const { input: schema, run, question, resources, ...description } = definition
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })
  const fits = Schema.decodeUnknownOption(schema, { onExcessProperty: "error" })
  return {
    ...description,
    ...(question && { question: (input) => Option.getOrNull(Option.map(fits(input), question)) }),
    ...(resources && {
      // An input that `run` will refuse touches nothing.
      resources: (input, place) =>
        decode(input).pipe(
          Effect.flatMap((decoded) => resources(decoded, place)),
          Effect.catch(() => Effect.succeed([])),
        ),
    }),
    run: (input, context) =>
      decode(input).pipe(
        Effect.mapError((error) => invalidInput(definition, input, error.message)),
        Effect.flatMap((decoded) => run(decoded, context)),
      ),
  }
}

function invalidInput({ name, inputSchema }: Describes, input: Json, detail: string): ToolFailure {
  const faults = inputFaults(inputSchema, input)
  const message = unfitText(name, faults.length === 0 ? [detail] : faults)
  return new ToolFailure({ code: "invalid_input", message })
}

type Describes = Pick<Tool, "name" | "inputSchema">
