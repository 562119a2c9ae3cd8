/**
 * Transport to model objects of the AI SDK, beside the one over the network (TU4).
 *
 * An address of the scheme `ai-sdk:` names a model object. Its call is read from the request's own
 * bytes, so that what was hashed is what was asked. Stream parts become JSON lines. Closing the scope
 * aborts the call; nothing is retried here.
 */
import { Effect, type Scope } from "effect"
import { jsonLines } from "../answer/json-lines.ts"
import { fieldsOf, parseFields } from "../json-fields.ts"
import { failureOf } from "../failure/failure.ts"
import type { ProviderFailure, Transport, WireRequest, WireResponse } from "../wire.ts"
import { describeError, failureOfDescribed, plainOf } from "./failure.ts"
import { promptWithImages } from "./image-forms.ts"
import type { AiSdkCall, AiSdkModel } from "./language-model.ts"

const scheme = "ai-sdk:"

/** Where a model object of this name is reached. */
export const aiSdkAddress = (name: string): string => `${scheme}${name}`

/** Models by name; every other address goes to `others`. */
export const makeAiSdkTransport = (
  models: ReadonlyMap<string, AiSdkModel>,
  others: Transport,
): Transport => ({
  send: (request) => {
    if (!request.url.startsWith(scheme)) return others.send(request)
    const model = models.get(request.url.slice(scheme.length))
    return model === undefined
      ? Effect.fail(failureOf("not_found", `There is no model object at ${request.url}.`))
      : call(model, request)
  },
})

const call = Effect.fnUntraced(function* (
  model: AiSdkModel,
  request: WireRequest,
): Effect.fn.Return<WireResponse, ProviderFailure, Scope.Scope> {
  const { firstByteMs, idleMs } = request.limits
  const exchange = yield* Effect.acquireRelease(
    Effect.sync(() => new Exchange()),
    (open) => Effect.sync(() => open.close()),
  )
  const given = callOf(model, request, exchange.signal)
  yield* within(
    attempt(() => exchange.open(model, given), "unknown"),
    firstByteMs,
    failureOf("first_byte_timeout", `nothing came within ${firstByteMs / 1_000} s`),
  )
  return {
    status: 200,
    headers: { "content-type": jsonLines },
    read: within(
      attempt(() => exchange.read(), "stream_cut"),
      idleMs,
      failureOf("idle_timeout", `nothing came for ${idleMs / 1_000} s`),
    ),
    leave: () => exchange.leave(),
  }
})

/** The bytes are the call, but for the name that they are recorded under and the form of images. */
function callOf(
  { specificationVersion }: AiSdkModel,
  { body }: WireRequest,
  abortSignal: AbortSignal,
): AiSdkCall {
  const { model: _, ...given } = parseFields(Buffer.concat(body).toString("utf8")) ?? {}
  const asked = given as unknown as AiSdkCall
  return { ...asked, prompt: promptWithImages(asked.prompt, specificationVersion), abortSignal }
}

const attempt = <A>(work: () => Promise<A>, otherwise: ProviderFailure["code"]) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => failureOfDescribed(describeError(error), otherwise, Date.now()),
  })

const within = <A>(
  work: Effect.Effect<A, ProviderFailure>,
  limitMs: number,
  late: ProviderFailure,
): Effect.Effect<A, ProviderFailure> =>
  Effect.timeoutOrElse(work, { duration: limitMs, orElse: () => Effect.fail(late) })

class Exchange {
  readonly #stopped = new AbortController()
  #reader: ReadableStreamDefaultReader<unknown> | null = null
  #left = false

  get signal(): AbortSignal {
    return this.#stopped.signal
  }

  async open(model: AiSdkModel, given: AiSdkCall): Promise<void> {
    const { stream } = await model.doStream(given)
    this.#reader = stream.getReader()
    // The scope closed while the model was still thinking about its first byte.
    if (this.signal.aborted) await this.#cancel()
  }

  async read(): Promise<Uint8Array | null> {
    const piece = await this.#reader?.read()
    return piece === undefined || piece.done ? null : lineOf(piece.value)
  }

  leave(): void {
    this.#left = true
  }

  /** A finished answer is let go; anything else is aborted. */
  close(): void {
    if (!this.#left) this.#stopped.abort()
    void this.#cancel()
  }

  async #cancel(): Promise<void> {
    // A stream that is broken or aborted already rejects, and there is nothing left to give back.
    await this.#reader?.cancel().catch(() => {})
  }
}

function lineOf(part: unknown): Uint8Array {
  const { type, error } = fieldsOf(part)
  const plain = type === "error" ? { type, error: describeError(error) } : plainOf(part)
  return Buffer.from(`${JSON.stringify(plain)}\n`)
}
