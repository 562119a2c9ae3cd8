/** Operations over HTTP (CL1–CL5). Making one asks for nothing; a request is made when a method is called. */
import { ClientError } from "./client-error.ts"
import { failureTags } from "./generated/failures.ts"
import { contractHeader, contractVersion } from "./generated/operations.ts"
import { itemsOf } from "./event-items.ts"
import { tagOf } from "./tag.ts"
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
}

export function networkTransport(options: NetworkOptions): Transport {
  const request = (operation: Operation, input: Input, call: CallOptions) =>
    send(options, operation, input, call)
  return {
    call: async (operation, input, call) => answerOf(operation, await request(operation, input, call), call),
    stream: (operation, input, call) => ({
      [Symbol.asyncIterator]: () => {
        const stop = new AbortController()
        const signal = call.signal === undefined ? stop.signal : AbortSignal.any([call.signal, stop.signal])
        const open = () => request(operation, input, { ...call, signal })
        return streamed(operation, open, signal, () => stop.abort())
      },
    }),
  }
}

async function send(
  options: NetworkOptions,
  operation: Operation,
  input: Input,
  call: CallOptions,
): Promise<Response> {
  const { token, fetch = globalThis.fetch } = options
  const headers = new Headers({ [contractHeader]: contractVersion })
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`)
  const { address, body } = targetOf(options.baseUrl, operation, input)
  if (body !== null) headers.set("content-type", "application/json")
  for (const given of [options.headers, call.headers])
    for (const [name, value] of Object.entries(given ?? {})) headers.set(name, value)
  let response: Response
  try {
    response = await fetch(address, {
      method: operation.method,
      headers,
      ...(body !== null && { body }),
      ...(call.signal && { signal: call.signal }),
    })
  } catch (cause) {
    throw unreachable(cause, call.signal)
  }
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
    const value = String(left.get(name))
    left.delete(name)
    return encodeURIComponent(value)
  })
  // The server may have a path of its own.
  address.pathname = address.pathname.replace(/\/$/, "") + own
  if (rest === "payload") return { address, body: JSON.stringify(Object.fromEntries(left)) }
  for (const [name, value] of left) address.searchParams.set(name, String(value))
  return { address, body: null }
}

/** A failure that the contract knows is told as it was sent; anything else is not the server's word. */
async function failureOf(response: Response): Promise<unknown> {
  const body = await response.text().catch(() => "")
  const value = parsed(body)
  const tag = tagOf(value)
  if (tag !== null && failureTags.has(tag)) return value
  const { status } = response
  return new ClientError({ kind: "status", status, body }, `The server answered with status ${status}.`)
}

const unreachable = (cause: unknown, signal: AbortSignal | undefined): ClientError =>
  new ClientError(
    { kind: "transport" },
    signal?.aborted === true ? "The call was aborted." : "The server could not be reached.",
    cause,
  )

async function answerOf(operation: Operation, response: Response, { signal }: CallOptions): Promise<unknown> {
  try {
    if (operation.answer === "empty") return void (await response.arrayBuffer())
    if (operation.answer === "bytes") return await bytesOf(response)
    expectType(response, "application/json")
    const body = await response.text()
    const value = parsed(body)
    if (value === undefined) throw new ClientError({ kind: "malformed" }, "The answer is not JSON.")
    return value
  } catch (cause) {
    throw cause instanceof ClientError ? cause : unreachable(cause, signal)
  }
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
      `The answer is ${contentType || "of no type"}, not ${wanted}.`,
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

/** Whoever stops reading closes the request; a stream that breaks off fails (CL3). */
async function* streamed(
  operation: Operation,
  open: () => Promise<Response>,
  signal: AbortSignal,
  close: () => void,
): AsyncGenerator<unknown, void, undefined> {
  try {
    const response = await open()
    if (operation.answer === "events") expectType(response, "text/event-stream")
    const chunks = response.body
    if (chunks === null) throw new ClientError({ kind: "malformed" }, "The answer has no body.")
    yield* operation.answer === "events" ? itemsOf(chunks) : chunks
  } catch (cause) {
    throw tagOf(cause) === null ? unreachable(cause, signal) : cause
  } finally {
    close()
  }
}
