/** Operations over HTTP (CL1–CL5). Making one asks for nothing; a request is made when a method is called. */
import { ClientError } from "./client-error.ts"
import { eitherSignal, endable } from "./endable.ts"
import { failureTags } from "./generated/failures.ts"
import { contractHeader, contractVersion } from "./generated/operations.ts"
import type { InvalidRequest } from "./generated/records.ts"
import { itemsOf } from "./event-items.ts"
import { tagOf } from "./tag.ts"
import { makeTimeLimit, type TimeLimit } from "./time-limit.ts"
import type { Bytes, CallOptions, Input, Operation, Transport } from "./transport.ts"

export interface NetworkOptions {
  /** Address of the server, as `http://127.0.0.1:4096`. */
  readonly baseUrl: string | URL
  /** The server's token; sent as `Authorization: Bearer …`. */
  readonly token?: string
  /** Sent with every request; those of a call win. */
  readonly headers?: Readonly<Record<string, string>>
  /** In place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** How long an answer may take, and how long a stream may be silent: 60 seconds unless given. */
  readonly timeoutMs?: number
  /** Ends everything that the client does, and lets it begin nothing more. */
  readonly signal?: AbortSignal
}

/** A transport may lie in the process of the server: then a stream has items without their bytes. */
export interface Carrier extends NetworkOptions {
  readonly items?: (response: Response) => AsyncIterable<unknown> | null
}

/** Longer than `sessions.wait` takes, and than the heartbeats of streams lie apart. */
const timeoutMsDefault = 60_000

export function networkTransport(options: Carrier): Transport {
  return {
    call: async (operation, input, call) => {
      const limit = limitOf(options, call)
      try {
        const response = await send(options, operation, input, call, limit)
        return await answerOf(operation, response)
      } catch (cause) {
        throw told(cause, limit, options)
      } finally {
        limit.end()
      }
    },
    stream: (operation, input, call) =>
      endable((stop) => {
        const signal = eitherSignal(stop, call.signal)
        return streamed(options, operation, input, { ...call, signal })
      }),
  }
}

function limitOf({ signal, timeoutMs = timeoutMsDefault }: NetworkOptions, call: CallOptions): TimeLimit {
  const given = signal === undefined ? call.signal : eitherSignal(signal, call.signal)
  return makeTimeLimit(timeoutMs, given)
}

async function send(
  options: NetworkOptions,
  operation: Operation,
  input: Input,
  call: CallOptions,
  { signal }: TimeLimit,
): Promise<Response> {
  const { token, fetch = globalThis.fetch } = options
  const headers = new Headers({ [contractHeader]: contractVersion })
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`)
  const { address, body } = targetOf(options.baseUrl, operation, input)
  if (body !== null) headers.set("content-type", "application/json")
  for (const given of [options.headers, call.headers])
    for (const [name, value] of Object.entries(given ?? {})) headers.set(name, value)
  // Whoever stands in for `fetch` may know nothing of signals.
  signal?.throwIfAborted()
  const response = await fetch(address, {
    method: operation.method,
    headers,
    ...(body !== null && { body }),
    ...(signal && { signal }),
  })
  if (!response.ok) throw await failureOf(response)
  return response
}

interface Target {
  readonly address: URL
  readonly body: string | null
}

/** A field that nobody knows goes where the others go, so that the server can refuse it. */
function targetOf(baseUrl: string | URL, { path, rest }: Operation, input: Input): Target {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const address = new URL(baseUrl)
  const own = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = left.get(name)
    if (typeof value !== "string") throw missing(name)
    left.delete(name)
    return encodeURIComponent(value)
  })
  // The server may have a path of its own.
  address.pathname = address.pathname.replace(/\/$/, "") + own
  if (rest === "payload") return { address, body: JSON.stringify(Object.fromEntries(left)) }
  for (const [name, value] of left) address.searchParams.set(name, String(value))
  return { address, body: null }
}

/** There is no address without it, so nobody can be asked. */
const missing = (name: string): InvalidRequest => ({
  _tag: "InvalidRequest",
  part: "path",
  message: `The path does not fit the contract: ${name} must be given, as a text.`,
})

/** A failure that the contract knows is told as it was sent; anything else is not the server's word. */
async function failureOf(response: Response): Promise<unknown> {
  const body = await response.text().catch(() => "")
  const value = parsed(body)
  const tag = tagOf(value)
  if (tag !== null && failureTags.has(tag)) return value
  const { status } = response
  return new ClientError({ kind: "status", status, body }, `The server answered with status ${status}.`)
}

/** Whatever broke on the way is the transport's; a failure that has its name keeps it. */
function told(cause: unknown, { isOver, signal }: TimeLimit, options: NetworkOptions): unknown {
  if (options.signal?.aborted === true)
    return new ClientError({ kind: "closed" }, "This client was closed.", cause)
  if (tagOf(cause) !== null) return cause
  const words = isOver()
    ? "The server did not answer in time."
    : signal?.aborted === true
      ? "The call was aborted."
      : "The server could not be reached, or its answer broke off."
  return new ClientError({ kind: "transport" }, words, cause)
}

async function answerOf(operation: Operation, response: Response): Promise<unknown> {
  if (operation.answer === "empty") return void (await response.arrayBuffer())
  if (operation.answer === "bytes") return bytesOf(response)
  expectType(response, "application/json")
  const value = parsed(await response.text())
  if (value === undefined) throw new ClientError({ kind: "malformed" }, "The answer is not JSON.")
  return value
}

const bytesOf = async (response: Response): Promise<Bytes> => ({
  bytes: new Uint8Array(await response.arrayBuffer()),
  contentType: response.headers.get("content-type") ?? "",
  headers: Object.fromEntries(response.headers),
})

function expectType(response: Response, wanted: string): void {
  const contentType = response.headers.get("content-type") ?? ""
  if (contentType.split(";")[0]?.trim().toLowerCase() !== wanted)
    throw new ClientError(
      { kind: "content-type", contentType },
      `The answer is ${contentType || "of no type"}, not ${wanted}. Is this the address of Holdfast?`,
    )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Only a syntax error throws here.
    return undefined
  }
}

/** Whoever stops reading closes the request; a stream that breaks off or falls silent fails (CL3). */
async function* streamed(
  options: Carrier,
  operation: Operation,
  input: Input,
  call: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  const limit = limitOf(options, call)
  try {
    const response = await send(options, operation, input, call, limit)
    const items = options.items?.(response) ?? null
    if (items !== null) return yield* untilAborted(items, limit.signal)
    if (operation.answer === "events") expectType(response, "text/event-stream")
    if (response.body === null) throw new ClientError({ kind: "malformed" }, "The answer has no body.")
    const chunks = heard(response.body, limit)
    yield* operation.answer === "events" ? itemsOf(chunks) : chunks
  } catch (cause) {
    throw told(cause, limit, options)
  } finally {
    limit.end()
  }
}

/** Items of this process end with the signal as a connection would. */
async function* untilAborted(
  items: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  const iterator = items[Symbol.asyncIterator]()
  const leave = () => void iterator.return?.()
  signal?.addEventListener("abort", leave)
  if (signal?.aborted === true) leave()
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    signal?.throwIfAborted()
  } finally {
    signal?.removeEventListener("abort", leave)
    leave()
  }
}

/** Every byte is a sign of life. */
async function* heard(
  body: ReadableStream<Uint8Array>,
  limit: TimeLimit,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  // A body that knows nothing of the signal is let go all the same.
  const leave = () => void reader.cancel().catch(() => {})
  limit.signal?.addEventListener("abort", leave)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      limit.signal?.throwIfAborted()
      if (done) return
      limit.renew()
      yield value
    }
  } finally {
    limit.signal?.removeEventListener("abort", leave)
    leave()
  }
}
