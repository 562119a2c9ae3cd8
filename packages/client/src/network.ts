/** Operations over HTTP (CL1–CL5). Making one asks for nothing; a request is made when a method is called. */
import { callFault } from "./given/call-options.ts"
import { ClientError } from "./client-error.ts"
import { eitherSignal, endable } from "./endable.ts"
import { type Answer, type Exchange, fetchExchange } from "./exchange.ts"
import { failureTags } from "./generated/failures.ts"
import { contractHeader, contractVersion } from "./generated/operations.ts"
import type { InvalidRequest } from "./generated/records.ts"
import { itemsOf } from "./event-items.ts"
import { jsonText, unsayable, unsayableField } from "./given/json-text.ts"
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

/** Carried by anything that exchanges a request for an answer; `fetch` is one such thing. */
export interface CarrierOptions extends Omit<NetworkOptions, "fetch"> {
  readonly exchange: Exchange
}

/** Longer than `sessions.wait` takes, and than the heartbeats of streams lie apart. */
const timeoutMsDefault = 60_000

export const networkTransport = ({ fetch, ...options }: NetworkOptions): Transport =>
  transportOver({ ...options, exchange: fetchExchange(fetch ?? ((...given) => globalThis.fetch(...given))) })

export function transportOver(options: CarrierOptions): Transport {
  return {
    call: async (operation, input, call) => {
      requireOptions(call)
      const limit = limitOf(options, call)
      try {
        return await answerOf(operation, await send(options, operation, input, call, limit))
      } catch (cause) {
        throw told(cause, limit, options)
      } finally {
        limit.end()
      }
    },
    stream: (operation, input, call) =>
      endable((stop) => {
        requireOptions(call)
        const signal = eitherSignal(stop, call.signal)
        return streamed(options, operation, input, { ...call, signal })
      }),
  }
}

function requireOptions(call: CallOptions): void {
  const fault = callFault(call)
  if (fault !== null) throw refused("payload", fault)
}

function limitOf({ signal, timeoutMs = timeoutMsDefault }: CarrierOptions, call: CallOptions): TimeLimit {
  const given = signal === undefined ? call.signal : eitherSignal(signal, call.signal)
  return makeTimeLimit(timeoutMs, given)
}

async function send(
  options: CarrierOptions,
  operation: Operation,
  input: Input,
  call: CallOptions,
  { signal }: TimeLimit,
): Promise<Answer> {
  const { address, body } = targetOf(options.baseUrl, operation, input)
  const headers = headersOf(options, call, body)
  // Whoever exchanges them may know nothing of signals.
  signal?.throwIfAborted()
  const answer = await options.exchange(address, { method: operation.method, headers, body, signal })
  if (answer.status < 200 || answer.status > 299) throw await failureOf(answer)
  return answer
}

function headersOf(
  { token, headers: always }: CarrierOptions,
  call: CallOptions,
  body: string | null,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { [contractHeader]: contractVersion }
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`
  if (body !== null) headers["content-type"] = "application/json"
  for (const given of [always, call.headers])
    for (const [name, value] of Object.entries(given ?? {})) headers[name.toLowerCase()] = value
  return headers
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
    if (typeof value !== "string") throw noPathField(name, value)
    left.delete(name)
    return encodeURIComponent(value)
  })
  // The server may have a path of its own.
  address.pathname = address.pathname.replace(/\/$/, "") + own
  if (rest === "payload") {
    const body = jsonText(Object.fromEntries(left))
    if (body.kind === "refused") throw refused("payload", body.message)
    return { address, body: body.text }
  }
  for (const [name, value] of left) {
    const what = unsayable(value)
    if (what !== null) throw refused("query", unsayableField(name, what))
    address.searchParams.set(name, String(value))
  }
  return { address, body: null }
}

const refused = (part: InvalidRequest["part"], message: string): InvalidRequest => ({
  _tag: "InvalidRequest",
  part,
  message,
})

/** There is no address without it, so nobody can be asked. */
const noPathField = (name: string, given: unknown): InvalidRequest =>
  refused(
    "path",
    given === undefined ? `The field "${name}" is missing.` : `The field "${name}" must be a text.`,
  )

/** A failure that the contract knows is told as it was sent; anything else is not the server's word. */
async function failureOf({ status, text }: Answer): Promise<unknown> {
  const body = await text().catch(() => "")
  const value = parsed(body)
  const tag = tagOf(value)
  if (tag !== null && failureTags.has(tag)) return value
  return new ClientError({ kind: "status", status, body }, `The server answered with status ${status}.`)
}

/** Whatever broke on the way is the transport's; a failure that has its name keeps it. */
function told(cause: unknown, { isOver, signal }: TimeLimit, options: CarrierOptions): unknown {
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

async function answerOf(operation: Operation, answer: Answer): Promise<unknown> {
  if (operation.answer === "empty") return void (await answer.bytes())
  if (operation.answer === "bytes") return bytesOf(answer)
  expectType(answer, "application/json")
  const value = parsed(await answer.text())
  if (value === undefined) throw new ClientError({ kind: "malformed" }, "The answer is not JSON.")
  return value
}

const bytesOf = async ({ bytes, headers }: Answer): Promise<Bytes> => ({
  bytes: await bytes(),
  contentType: headers["content-type"] ?? "",
  headers,
})

function expectType({ headers }: Answer, wanted: string): void {
  const contentType = headers["content-type"] ?? ""
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
  options: CarrierOptions,
  operation: Operation,
  input: Input,
  call: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  const limit = limitOf(options, call)
  try {
    const answer = await send(options, operation, input, call, limit)
    const items = answer.items?.()
    if (items !== undefined) return yield* untilAborted(items, limit.signal)
    if (operation.answer === "events") expectType(answer, "text/event-stream")
    const body = answer.chunks()
    if (body === null) throw new ClientError({ kind: "malformed" }, "The answer has no body.")
    const chunks = heard(body, limit)
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
