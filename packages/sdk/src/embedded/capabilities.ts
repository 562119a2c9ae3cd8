/**
 * What only a program in the same process can do: offer tools and tell facts of its own (EM2).
 *
 * A registration holds from the next turn on, until it is taken back or Holdfast closes. The narrower
 * place wins: a source of one directory over one for everywhere, whichever came first. Within one place
 * the last of a name wins; taking it back reveals the one before (RG1).
 */
import { resolve } from "node:path"
import { Effect, Exit, Schema, Scope } from "effect"
import { absent, make, type SystemContext, unavailable } from "@holdfast/core/context/index"
import type { Capabilities, RegisterFailure } from "@holdfast/core/host/samples"
import {
  jsonResult,
  type Tool,
  type ToolContext,
  ToolFailure,
  type ToolResult,
} from "@holdfast/core/tools/index"
import { InvalidRequest, type LocationMissing } from "@holdfast/schema/error"
import { Json, type JsonObject } from "@holdfast/schema/json"
import { checkedSource, checkedTool, requireSendable } from "./registration.ts"

export interface RegisteredTool {
  /** A letter, then letters, digits, `_` and `-`: at most 64. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the input, of the type `object`; its bytes are part of every request. */
  readonly inputSchema: JsonObject
  /** Whether a repeat is safe; it only changes what the model is told after a crash (DR5). */
  readonly repeatable?: boolean
  /** Whether it changes nothing. Calls of such tools in one answer run together; any other waits its turn (TU2). */
  readonly readOnly?: boolean
  /** A call that has not ended by then is given up and fails; 600,000 unless given, a day at most. */
  readonly timeoutMs?: number
  /**
   * The model reads a text as it is, and any other value as JSON, shortened where it is too large; programs
   * get the value itself (TO6). The input fits `inputSchema`, as far as types, names, required fields and
   * sizes go. `signal` ends with an interrupt and at the time limit. What it throws, the model reads as a failure.
   */
  readonly run: (input: Json, call: RegisteredCall) => Promise<Json> | Json
}

export interface RegisteredCall {
  /** Its own for every call, and never used twice: an idempotency key. */
  readonly callId: string
  readonly directory: string
  readonly signal: AbortSignal
  /** Live output, shown and bounded. */
  readonly output: (text: string) => void
  /** Says that it looks at a job that goes on: to be called again with the same result is no loop then (DR8). */
  readonly stillRunning: () => void
}

export interface RegisteredSource {
  /** `area/name`. */
  readonly key: string
  /** The fact as it is now; undefined if there is none, null if it cannot be known just now. It has five seconds (SC4). */
  readonly load: () => Promise<Json | undefined> | Json | undefined
  /** What the model is told at first, and when it changed. */
  readonly baseline: (value: Json) => string
  readonly update: (value: Json) => string
  readonly removal?: (value: Json) => string
  /** Only in Sessions that work here; everywhere unless given. It must be there (CO3). */
  readonly directory?: string
}

/** Takes a registration back; a repeat is safe. */
export type Unregister = () => Promise<void>

export interface EmbeddedCapabilities {
  readonly tools: { readonly register: (tool: RegisteredTool) => Promise<Unregister> }
  readonly sources: { readonly register: (source: RegisteredSource) => Promise<Unregister> }
}

export function makeCapabilities(
  host: Capabilities,
  parent: Scope.Scope,
  defaultDirectory: string,
): EmbeddedCapabilities {
  const scoped = async (register: Register): Promise<Unregister> => {
    const scope = await Effect.runPromise(Scope.fork(parent))
    const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
    const registered = await Effect.runPromise(Effect.result(Scope.provide(register(host), scope)))
    if (registered._tag === "Success") return close
    await close()
    throw refusalOf(registered.failure)
  }
  return {
    tools: { register: async (tool) => scoped(await readTool(tool)) },
    sources: { register: async (source) => scoped(readSource(source, defaultDirectory)) },
  }
}

/** What the program has from the start on, read before anything is opened: it is there before any work goes on. */
export async function givenCapabilities(
  { tools = [], sources = [] }: GivenCapabilities,
  defaultDirectory: string,
): Promise<Register> {
  const all = [
    ...(await Promise.all(tools.map(readTool))),
    ...sources.map((source) => readSource(source, defaultDirectory)),
  ]
  return (host) => Effect.forEach(all, (register) => register(host), { discard: true })
}

export interface GivenCapabilities {
  readonly tools?: readonly RegisteredTool[]
  readonly sources?: readonly RegisteredSource[]
}

type Register = (host: Capabilities) => Effect.Effect<void, RegisterFailure, Scope.Scope>

/** As the caller is told it. */
export const refusalOf = (failure: RegisterFailure): LocationMissing | InvalidRequest =>
  failure._tag === "LocationMissing" ? failure : refused(failure.message)

async function readTool(given: RegisteredTool): Promise<Register> {
  const tool = checkedTool(given)
  await requireSendable(tool)
  return (host) => host.registerTool(toolOf(tool))
}

function readSource(given: RegisteredSource, defaultDirectory: string): Register {
  const source = checkedSource(given)
  const { key, directory } = source
  const where = directory === undefined ? directory : resolve(defaultDirectory, directory)
  const context = sourceOf(source)
  return (host) => host.registerSource(`program/${key}`, context, where)
}

const refused = (message: string): InvalidRequest => new InvalidRequest({ part: "payload", message })

const timeoutDefaultMs = 600_000

const toolOf = ({
  name,
  description,
  inputSchema,
  repeatable = false,
  readOnly = false,
  timeoutMs = timeoutDefaultMs,
  run,
}: RegisteredTool): Tool => ({
  name,
  description,
  inputSchema,
  repeatable,
  readOnly,
  timeoutMs,
  run: (input, context) =>
    Effect.tryPromise({
      try: async (signal) => {
        let stillRunning = false
        const call = callOf(context, signal, () => (stillRunning = true))
        return { ...resultOf(await run(input, call)), stillRunning }
      },
      catch: (thrown) =>
        new ToolFailure({
          code: "tool_failed",
          message: thrown instanceof Error ? thrown.message : String(thrown),
        }),
    }),
})

/** What is no JSON value, as a program without types may give, is told as its text. */
function resultOf(value: Json | undefined): ToolResult {
  if (value === undefined) return { text: "(no result)" }
  return typeof value !== "string" && isJson(value) ? jsonResult(value) : { text: String(value) }
}

const isJson = Schema.is(Json)

const callOf = (
  { callId, directory, output }: ToolContext,
  signal: AbortSignal,
  stillRunning: () => void,
): RegisteredCall => ({
  callId,
  directory,
  signal,
  output: (text) => output.write(text),
  stillRunning,
})

/** Throws where the key is none: a mistake in the caller's code, told at once (SC2). */
function sourceOf({ key, load, baseline, update, removal }: RegisteredSource): SystemContext {
  try {
    return make({
      key,
      codec: Json as unknown as Schema.Codec<Json, Json>,
      mayBeUnavailable: true,
      load: Effect.promise(async () => load()).pipe(
        Effect.map((value) => (value === undefined ? absent : value === null ? unavailable : value)),
      ),
      baseline,
      update,
      ...(removal && { removal }),
    })
  } catch (fault) {
    throw refused(fault instanceof Error ? fault.message : String(fault))
  }
}
