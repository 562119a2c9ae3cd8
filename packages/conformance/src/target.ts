/** What is examined: a Holdfast behind an address, or one in this process. */
import { type IncomingMessage, request as askHttp } from "node:http"
import { request as askHttps } from "node:https"
import { Readable } from "node:stream"
import { type HoldfastClient, type Input, makeClient } from "@holdfast/client"

export interface Target {
  /** As the report calls it. */
  readonly name: string
  readonly client: HoldfastClient
  /** Without it, cases that send what no client would are skipped. */
  readonly raw?: RawAccess
  /** Without it, cases that compare both clients are skipped. */
  readonly effect?: EffectAccess
}

/** Requests of one's own making, to a router or over a network. */
export interface RawAccess {
  /** Sends a request as it is, its `Host` included. */
  readonly send: (request: Request) => Promise<Response>
  /** Where the paths of the contract begin, as `http://127.0.0.1:4096`. */
  readonly baseUrl: string
  readonly token: string
}

/** The Effect client, run: this package itself knows nothing of Effect. */
export interface EffectAccess {
  /** Runs an operation, as `sessions.get`; rejects with the failure itself. */
  readonly call: (operation: string, input: Input) => Promise<unknown>
  /** The first items of a stream. */
  readonly take: (operation: string, input: Input, count: number) => Promise<readonly unknown[]>
}

export interface ServerOptions {
  readonly url: string
  readonly token: string
}

/** A server at an address, spoken to over HTTP. */
export function serverTarget({ url, token }: ServerOptions): Target {
  const baseUrl = url.replace(/\/+$/, "")
  return {
    name: baseUrl,
    client: makeClient({ baseUrl, token }),
    raw: { baseUrl, token, send: sendAsIs },
  }
}

/** A Holdfast in this process, also by requests that no client would make. */
export const embeddedTarget = (holdfast: HoldfastClient & { readonly router: RawAccess }): Target => ({
  name: "embedded",
  client: holdfast,
  raw: holdfast.router,
})

/** What a request rejects with that the server takes for a WebSocket. */
export class TookWebSocket extends Error {
  override readonly name = "TookWebSocket"
  override readonly message = "The server took the connection for a WebSocket."
}

/** A server may refuse a long body by its length, and close: whoever sends on then never hears why. */
const longBytesMin = 200_000
/** How long an answer to the head of such a request is waited for. */
const headMs = 200

/** Not `fetch`, which sets the `Host` itself. */
async function sendAsIs(request: Request): Promise<Response> {
  const body = Buffer.from(await request.arrayBuffer())
  const isLong = body.length >= longBytesMin
  const headers = {
    ...Object.fromEntries(request.headers),
    ...(body.length > 0 && { "content-length": body.length }),
  }
  const start = request.url.startsWith("https:") ? askHttps : askHttp
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const outgoing = start(request.url, {
    method: request.method,
    headers,
    // A connection of its own: one that was kept may be closed by the server as it is used again.
    agent: false,
  })
  outgoing.on("error", reject)
  outgoing.once("upgrade", (_, socket) => {
    socket.destroy()
    reject(new TookWebSocket())
  })
  outgoing.once("response", (incoming) => {
    clearTimeout(sending)
    // What was not sent of a long body stays unsent.
    if (isLong) incoming.once("close", () => outgoing.destroy())
    resolve(responseOf(incoming))
  })
  const sending = isLong ? setTimeout(() => outgoing.end(body), headMs) : undefined
  if (isLong) outgoing.flushHeaders()
  else outgoing.end(body)
  return promise
}

function responseOf(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0
  const isEmpty = status === 204 || status === 304
  if (isEmpty) incoming.resume()
  const body = isEmpty ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>)
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return new Response(body, { status, headers })
}
