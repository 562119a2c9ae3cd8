/**
 * Tool registry: looks a call up, runs it, and turns whatever happens into one bounded settlement.
 *
 *   call ─ unknown tool, masked input ──▶ failed
 *        ─ input that does not fit ─────▶ failed (invalid_input)
 *        ─ run ─ result ────────────────▶ done
 *              ─ ToolFailure ───────────▶ failed (code of the failure)
 *              ─ over its time limit ───▶ failed (timeout)
 *              ─ thrown ────────────────▶ failed (tool_defect)
 *              ─ interrupted ───────────▶ interrupted, with the partial output
 *
 *   AU1  Secrets are masked in everything that a call yields, before it is bounded, stored or told. An
 *        input that holds a mask is refused.
 *   TO2  The registry always enforces the limit, whatever a tool did before.
 *   TO5  From the success of the operation to its settlement nothing can interrupt.
 *   DR3  An interrupt yields a settlement within 5 seconds, also when the tool does not end.
 *
 * A running call is owned by the scope it was started in; closing the scope interrupts it.
 */
import { Cause, Deferred, Effect, Exit, type Fiber, type Scope } from "effect"
import type { Json } from "@holdfast/schema/json"
import type { OutputFileRef } from "@holdfast/schema/message"
import type { Todo } from "@holdfast/schema/fact/todo"
import type { StoredImage } from "../media/normalise.ts"
import { findToken } from "../secrets/mask.ts"
import type { Masks } from "../secrets/masks.ts"
import { type OutputLimits, type Truncation, boundWithEnding, outputLimitsDefault } from "./bound.ts"
import type { SessionCommands } from "./background/session-commands.ts"
import { type RecordedFiles, type SessionFiles, createFileRecord } from "./file/record.ts"
import { nearNames } from "@holdfast/schema/names/near-names"
import { type ReceivedText, type ShownText, showBounded } from "./output/bounded-settlement.ts"
import { inputFaults, unfitText } from "./input-faults.ts"
import type { Reach } from "./location-path.ts"
import type { OutputFiles } from "./output/output-store.ts"
import { type OutputSink, createOutputSink } from "./output-sink.ts"
import { type Tool, type ToolContext, ToolFailure, type ToolResult } from "./tool.ts"

export interface ToolCall {
  readonly callId: string
  readonly name: string
  readonly input: Json
}

export interface CallContext extends Reach {
  /** An image of the Session by its handle. */
  readonly image?: ToolContext["image"]
  readonly mayRead?: ToolContext["mayRead"]
  readonly mayFetch?: ToolContext["mayFetch"]
  /** What the Session knows of files; nothing unless given. */
  readonly files?: SessionFiles
  /** Where complete outputs are stored; nowhere unless given. */
  readonly outputs?: OutputFiles | undefined
  /** The newest list of steps of the Session. */
  readonly todos?: () => readonly Todo[]
  /** What was said in the Session; nothing unless given. */
  readonly history?: ToolContext["history"]
  readonly memory?: ToolContext["memory"]
  /** Commands that run beside the turn; none can unless given. */
  readonly commands?: SessionCommands | undefined
  /** Hides secrets; nothing is hidden unless given. */
  readonly masks?: Masks
  /** Told live output up to a limit (TO5); it must not throw. */
  readonly onOutput?: (text: string) => void
}

export interface Settlement {
  readonly state: "done" | "failed" | "interrupted"
  /** Model-visible text within the limits. */
  readonly output: string
  readonly truncated: Truncation | null
  /** Where the text is that did not fit (TO3). */
  readonly outputFile?: OutputFileRef
  /** It could not be stored: what is left out is nowhere (TO4). */
  readonly lossy?: true
  /** What the model is shown beside the text. */
  readonly images?: readonly StoredImage[]
  /** Unchanged for API consumers, whatever its size (TO6). */
  readonly structured?: Json
  readonly errorCode?: string
  readonly todos?: readonly Todo[]
  /** A look at a job that goes on (DR8). */
  readonly stillRunning?: true
  /** What the call did to files, however it ended; absent if nothing (TL5). */
  readonly files?: RecordedFiles
}

export interface RunningCall {
  /** The one settlement, as soon as there is one. */
  readonly await: Effect.Effect<Settlement>
  /** Ends the call and yields its one settlement, within 5 seconds; repeating it is harmless. */
  readonly interrupt: Effect.Effect<Settlement>
}

export interface ToolRegistry {
  /** Sorted by name, so that a request is the same bytes in whatever order tools came. */
  readonly tools: readonly Tool[]
  readonly get: (name: string) => Tool | undefined
  /** Runs a call to its settlement; interrupting this effect interrupts the tool and yields none. */
  readonly settle: (call: ToolCall, context: CallContext) => Effect.Effect<Settlement>
  readonly start: (call: ToolCall, context: CallContext) => Effect.Effect<RunningCall, never, Scope.Scope>
}

const namePattern = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/
/** A shorter name is near to everything. */
const nearLengthMin = 3
const interruptMaxMs = 5_000
const interruptedLine = "[interrupted]"

/** Throws on a bad or doubled name: a registry that cannot be built is a defect of its maker. */
export function createToolRegistry(
  tools: readonly Tool[],
  limits: OutputLimits = outputLimitsDefault,
): ToolRegistry {
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    if (!namePattern.test(tool.name))
      throw new Error(`The tool name ${JSON.stringify(tool.name)} is not legal.`)
    if (byName.has(tool.name)) throw new Error(`There are two tools named "${tool.name}".`)
    byName.set(tool.name, tool)
  }
  const sorted = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const start: ToolRegistry["start"] = (call, context) => startCall(byName, limits, call, context)
  return {
    tools: sorted,
    get: (name) => byName.get(name),
    start,
    settle: (call, context) =>
      Effect.scoped(Effect.flatMap(start(call, context), (running) => running.await)),
  }
}

/** What a settlement is made with. */
interface Bounding {
  readonly output: OutputSink | null
  readonly limits: OutputLimits
  readonly outputs: OutputFiles | undefined
}

const startCall = Effect.fnUntraced(function* (
  byName: ReadonlyMap<string, Tool>,
  limits: OutputLimits,
  call: ToolCall,
  context: CallContext,
): Effect.fn.Return<RunningCall, never, Scope.Scope> {
  const { onOutput: onWrite, outputs } = context
  const tool = byName.get(call.name)
  const bounding = { limits, outputs }
  if (tool === undefined)
    return settledAtOnce(unknownTool(call.name, [...byName.keys()], { output: null, ...bounding }))
  const held = findToken(call.input)
  if (held !== null) return settledAtOnce(maskedInput(held, { output: null, ...bounding }))
  const { masks } = context
  const output = createOutputSink({
    unitsMax: limits.bytesMax,
    onWrite,
    openFile: outputs?.open,
    masked: masks?.stream(),
  })
  const files = createFileRecord(context.files)
  const settled = yield* Deferred.make<Settlement>()
  const settleWith = (settlement: Settlement) =>
    Deferred.succeed(settled, withFiles(settlement, files.recorded()))
  const run = runWithin(tool, call.input, () =>
    tool.run(call.input, {
      callId: call.callId,
      ...reachOf(context),
      output,
      files,
      ...(context.image && { image: context.image }),
      ...(context.mayRead && { mayRead: context.mayRead }),
      ...(context.mayFetch && { mayFetch: context.mayFetch }),
      ...(outputs && { outputs }),
      ...(context.commands && { commands: context.commands }),
      ...(context.todos && { todos: context.todos }),
      ...(context.history && { history: context.history }),
      ...(context.memory && { memory: context.memory }),
      ...(masks && { maskStream: masks.stream }),
    }),
  )
  // The fiber is uninterruptible outside `run` (TO5); the Deferred keeps the settlement apart from
  // the exit of the fiber, which stays an interruption once it was interrupted.
  const fiber = yield* Effect.exit(Effect.interruptible(run)).pipe(
    Effect.flatMap((exit) => settlementOf(exit, tool, { output, ...bounding }, masks)),
    Effect.flatMap(settleWith),
    Effect.forkScoped({ uninterruptible: true }),
  )
  const giveUp = Effect.suspend(() => settleWith(unfinished(output, limits)))
  return { await: Deferred.await(settled), interrupt: interruptCall(fiber, settled, giveUp) }
})

/** Runs the tool on an input that fits its schema, for no longer than it may take. */
const runWithin = (
  { name, inputSchema, timeoutMs }: Tool,
  input: Json,
  run: () => Effect.Effect<ToolResult, ToolFailure>,
): Effect.Effect<ToolResult, ToolFailure> =>
  Effect.suspend(() => {
    const faults = inputFaults(inputSchema, input)
    if (faults.length > 0)
      return Effect.fail(new ToolFailure({ code: "invalid_input", message: unfitText(name, faults) }))
    if (timeoutMs === undefined) return run()
    const message = `The tool "${name}" did not end within ${timeoutMs} ms and was given up; what it has done is unknown. Check it, then go on in another way.`
    const orElse = () => Effect.fail(new ToolFailure({ code: "timeout", message }))
    return Effect.timeoutOrElse(run(), { duration: timeoutMs, orElse })
  })

const settledAtOnce = (settled: Effect.Effect<Settlement>): RunningCall => ({
  await: settled,
  interrupt: settled,
})

const reachOf = ({ directory, projectRoot, judged }: Reach): Reach => ({
  directory,
  ...(projectRoot !== undefined && { projectRoot }),
  ...(judged !== undefined && { judged }),
})

const withFiles = (settlement: Settlement, files: RecordedFiles): Settlement =>
  files.effects.length + files.seen.length === 0 ? settlement : { ...settlement, files }

function interruptCall(
  fiber: Fiber.Fiber<unknown>,
  settled: Deferred.Deferred<Settlement>,
  giveUp: Effect.Effect<unknown>,
): Effect.Effect<Settlement> {
  // Every call has one, and next to none is asked for.
  return Effect.suspend(() => {
    fiber.interruptUnsafe()
    const tooLate = Effect.sleep(interruptMaxMs).pipe(
      Effect.andThen(Effect.logWarning("A tool did not end within 5 seconds of its interruption.")),
      Effect.andThen(giveUp),
      Effect.andThen(Deferred.await(settled)),
    )
    return Effect.raceFirst(Deferred.await(settled), tooLate)
  })
}

function settlementOf(
  exit: Exit.Exit<ToolResult, ToolFailure>,
  tool: Tool,
  bounding: Bounding,
  masks: Masks | undefined,
): Effect.Effect<Settlement> {
  const settlement = Effect.suspend((): Effect.Effect<Settlement> => {
    bounding.output?.flush()
    if (Exit.isSuccess(exit)) return done(maskedResult(exit.value, masks), bounding)
    const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (failure !== undefined)
      return failed(failure.code, masks?.text(failure.message) ?? failure.message, bounding)
    if (Cause.hasInterruptsOnly(exit.cause)) return interrupted(bounding)
    return defect(tool.name, exit.cause, bounding)
  })
  // A plugin may hand back what the types forbid; that too must settle the call and no other.
  return Effect.catchDefect(settlement, (thrown) => defect(tool.name, Cause.die(thrown), bounding))
}

function maskedResult(result: ToolResult, masks: Masks | undefined): ToolResult {
  if (masks === undefined) return result
  const { structured, preview } = result
  return {
    ...result,
    text: masks.text(result.text),
    ...(preview && { preview: (limits) => masks.text(preview(limits)) }),
    ...(structured === undefined ? {} : { structured: masks.json(structured) }),
  }
}

const done = (result: ToolResult, bounding: Bounding): Effect.Effect<Settlement> =>
  Effect.map(settle("done", result, bounding), (settlement) => {
    const { structured, images = [], stillRunning, todos } = result
    return {
      ...settlement,
      ...(structured === undefined ? {} : { structured }),
      ...(images.length === 0 ? {} : { images }),
      ...(stillRunning === true ? { stillRunning } : {}),
      ...(todos === undefined ? {} : { todos }),
    }
  })

const failed = (errorCode: string, text: string, bounding: Bounding): Effect.Effect<Settlement> =>
  Effect.map(settle("failed", { text }, bounding), (settlement) => ({ ...settlement, errorCode }))

function interrupted(bounding: Bounding): Effect.Effect<Settlement> {
  const { text = "", omitted } = bounding.output ?? {}
  return settle("interrupted", { text, omitted, afterOutput: "", ending: interruptedLine }, bounding)
}

/** The tool has not ended, so its output has not either: what there is of it is all that will be known. */
function unfinished(output: OutputSink, limits: OutputLimits): Settlement {
  const bounded = boundWithEnding(output.text, interruptedLine, limits, output.omitted)
  return { ...shown("interrupted", bounded), ...(bounded.truncated !== null && { lossy: true }) }
}

function defect(name: string, cause: Cause.Cause<unknown>, bounding: Bounding): Effect.Effect<Settlement> {
  const text = `The tool "${name}" broke by an error of its own; its effects are unknown. Check them, then go on in another way.`
  const log = Effect.logError(`The tool "${name}" broke.`, cause)
  return Effect.andThen(log, failed("tool_defect", text, bounding))
}

function unknownTool(name: string, known: readonly string[], bounding: Bounding): Effect.Effect<Settlement> {
  const names = [...known].sort()
  const [near] = name.length < nearLengthMin ? [] : nearNames(name, names)
  const hint = near === undefined ? "Use one of" : `Did you mean "${near}"? The tools are`
  return failed("unknown_tool", `There is no tool named "${name}". ${hint}: ${names.join(", ")}.`, bounding)
}

function maskedInput(token: string, bounding: Bounding): Effect.Effect<Settlement> {
  const text = `The input holds ${token}, which stands for a secret that you are not shown, so nothing was run. Use the secret where it is: by its variable or by the file that holds it. To change a file around it, leave the part with the secret out of the old and the new text. Where that cannot work, ask the person to do it.`
  return failed("masked_input", text, bounding)
}

const settle = (
  state: Settlement["state"],
  received: ReceivedText,
  { output, limits, outputs }: Bounding,
): Effect.Effect<Settlement> =>
  Effect.map(showBounded(received, output, limits, outputs), (text) => shown(state, text))

const shown = (state: Settlement["state"], { text, ...rest }: ShownText): Settlement => ({
  state,
  output: text,
  ...rest,
})
