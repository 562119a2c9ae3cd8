/**
 * Tool registry: looks a call up, runs it, and turns whatever happens into one bounded settlement.
 *
 *   call ─ unknown tool, masked input ──▶ failed
 *        ─ run ─ result ────────────────▶ done
 *              ─ ToolFailure ───────────▶ failed (code of the failure)
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
import type { StoredImage } from "../media/normalise.ts"
import { findToken } from "../secrets/mask.ts"
import type { Masks } from "../secrets/masks.ts"
import {
  type BoundedOutput,
  type OutputLimits,
  type Truncation,
  boundOutput,
  boundWithEnding,
  outputLimitsDefault,
} from "./bound.ts"
import { type RecordedFiles, type SessionFiles, createFileRecord } from "./file/record.ts"
import { type OutputSink, createOutputSink } from "./output-sink.ts"
import type { Tool, ToolContext, ToolFailure, ToolResult } from "./tool.ts"

export interface ToolCall {
  readonly callId: string
  readonly name: string
  readonly input: Json
}

export interface CallContext {
  /** The canonical directory of the Location. */
  readonly directory: string
  /** An image of the Session by its handle. */
  readonly image?: ToolContext["image"]
  /** What the Session knows of files; nothing unless given. */
  readonly files?: SessionFiles
  /** Hides secrets; nothing is hidden unless given. */
  readonly masks?: Masks
  /** Told each piece of live output, unbounded; it must not throw. */
  readonly onOutput?: (text: string) => void
}

export interface Settlement {
  readonly state: "done" | "failed" | "interrupted"
  /** Model-visible text within the limits. */
  readonly output: string
  readonly truncated: Truncation | null
  /** What the model is shown beside the text. */
  readonly images?: readonly StoredImage[]
  /** Unchanged for API consumers, whatever its size (TO6). */
  readonly structured?: Json
  readonly errorCode?: string
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

const startCall = Effect.fnUntraced(function* (
  byName: ReadonlyMap<string, Tool>,
  limits: OutputLimits,
  call: ToolCall,
  context: CallContext,
): Effect.fn.Return<RunningCall, never, Scope.Scope> {
  const tool = byName.get(call.name)
  if (tool === undefined) return settledAtOnce(unknownTool(call.name, [...byName.keys()], limits))
  const held = findToken(call.input)
  if (held !== null) return settledAtOnce(maskedInput(held, limits))
  const { masks } = context
  const output = createOutputSink(limits.bytesMax, context.onOutput, masks?.stream())
  const files = createFileRecord(context.files)
  const settled = yield* Deferred.make<Settlement>()
  const settleWith = (settlement: Settlement) =>
    Deferred.succeed(settled, withFiles(settlement, files.recorded()))
  const run = Effect.suspend(() =>
    tool.run(call.input, {
      callId: call.callId,
      directory: context.directory,
      output,
      files,
      ...(context.image && { image: context.image }),
    }),
  )
  // The fiber is uninterruptible outside `run` (TO5); the Deferred keeps the settlement apart from
  // the exit of the fiber, which stays an interruption once it was interrupted.
  const fiber = yield* Effect.exit(Effect.interruptible(run)).pipe(
    Effect.flatMap((exit) => settlementOf(exit, tool, output, { limits, masks })),
    Effect.flatMap(settleWith),
    Effect.forkScoped({ uninterruptible: true }),
  )
  const giveUp = Effect.suspend(() => settleWith(interrupted(output, limits)))
  return { await: Deferred.await(settled), interrupt: interruptCall(fiber, settled, giveUp) }
})

function settledAtOnce(settlement: Settlement): RunningCall {
  const settled = Effect.succeed(settlement)
  return { await: settled, interrupt: settled }
}

const withFiles = (settlement: Settlement, files: RecordedFiles): Settlement =>
  files.effects.length + files.seen.length === 0 ? settlement : { ...settlement, files }

function interruptCall(
  fiber: Fiber.Fiber<unknown>,
  settled: Deferred.Deferred<Settlement>,
  giveUp: Effect.Effect<unknown>,
): Effect.Effect<Settlement> {
  const tooLate = Effect.sleep(interruptMaxMs).pipe(
    Effect.andThen(Effect.logWarning("A tool did not end within 5 seconds of its interruption.")),
    Effect.andThen(giveUp),
    Effect.andThen(Deferred.await(settled)),
  )
  return Effect.sync(() => fiber.interruptUnsafe()).pipe(
    Effect.andThen(Effect.raceFirst(Deferred.await(settled), tooLate)),
  )
}

function settlementOf(
  exit: Exit.Exit<ToolResult, ToolFailure>,
  tool: Tool,
  output: OutputSink,
  { limits, masks }: { readonly limits: OutputLimits; readonly masks: Masks | undefined },
): Effect.Effect<Settlement> {
  const settlement = Effect.suspend((): Effect.Effect<Settlement> => {
    output.flush()
    if (Exit.isSuccess(exit)) return Effect.succeed(done(maskedResult(exit.value, masks), limits))
    const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
    if (failure !== undefined) {
      const { code, message } = failure
      return Effect.succeed(failed(code, masks?.text(message) ?? message, limits))
    }
    if (Cause.hasInterruptsOnly(exit.cause)) return Effect.succeed(interrupted(output, limits))
    return defect(tool.name, exit.cause, limits)
  })
  // A plugin may hand back what the types forbid; that too must settle the call and no other.
  return Effect.catchDefect(settlement, (thrown) => defect(tool.name, Cause.die(thrown), limits))
}

function maskedResult(result: ToolResult, masks: Masks | undefined): ToolResult {
  if (masks === undefined) return result
  const { structured } = result
  return {
    ...result,
    text: masks.text(result.text),
    ...(structured === undefined ? {} : { structured: masks.json(structured) }),
  }
}

function done(result: ToolResult, limits: OutputLimits): Settlement {
  const bounded = boundOutput(result.text, limits, result.omitted)
  const { structured, images = [], stillRunning } = result
  return {
    ...settle("done", bounded),
    ...(structured === undefined ? {} : { structured }),
    ...(images.length === 0 ? {} : { images }),
    ...(stillRunning === true ? { stillRunning } : {}),
  }
}

function failed(errorCode: string, message: string, limits: OutputLimits): Settlement {
  return { ...settle("failed", boundOutput(message, limits)), errorCode }
}

function interrupted(output: OutputSink, limits: OutputLimits): Settlement {
  return settle("interrupted", boundWithEnding(output.text, interruptedLine, limits, output.omitted))
}

function defect(name: string, cause: Cause.Cause<unknown>, limits: OutputLimits): Effect.Effect<Settlement> {
  const text = `The tool "${name}" broke by an error of its own; its effects are unknown. Check them, then go on in another way.`
  return Effect.as(Effect.logError(`The tool "${name}" broke.`, cause), failed("tool_defect", text, limits))
}

function unknownTool(name: string, known: readonly string[], limits: OutputLimits): Settlement {
  const names = [...known].sort().join(", ")
  return failed("unknown_tool", `There is no tool named "${name}". Use one of: ${names}.`, limits)
}

function maskedInput(token: string, limits: OutputLimits): Settlement {
  const text = `The input holds ${token}, which stands for a secret that you are not shown, so nothing was run. Use the secret where it is: by its variable or by the file that holds it. To change a file around it, leave the part with the secret out of the old and the new text. Where that cannot work, ask the person to do it.`
  return failed("masked_input", text, limits)
}

function settle(state: Settlement["state"], bounded: BoundedOutput): Settlement {
  return { state, output: bounded.text, truncated: bounded.truncated }
}
