/**
 * A handler on a port of node:http; loopback unless told otherwise (AU1).
 *
 * Everything a caller can hold open has a limit here: connections, headers, the time to send a
 * request, the time without a byte either way. Answers keep the pace of their reader.
 *
 *   close ──▶ no more connections ──▶ onClosing (streams end) ──▶ running requests end, or are cut
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, isIPv6 } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { Stream } from "effect"
import type { HttpServerResponse } from "effect/http"
import { bodyBytesMax } from "./body-limit.ts"
import { SocketRequest } from "./direct-request.ts"
import { itemStreamOf } from "./event-stream.ts"
import type { DirectHandler } from "./handler.ts"
import { isSocketRequest, type UpgradeHandler } from "./terminals/upgrade.ts"
import { answerUnreadable } from "./unreadable-request.ts"

export interface ListenOptions {
  /** 0 and the default: any free port. */
  readonly port?: number
  /** Default 127.0.0.1. Other than loopback needs its names in the handler's `allowedHosts`. */
  readonly host?: string
  /** How long `close` waits for requests that run. */
  readonly closeMs?: number
  /** Other limits than the named ones. */
  readonly limits?: Partial<ListenLimits>
  /** Takes WebSockets in; without it, whoever asks for one gets the answer of a request. */
  readonly upgrade?: UpgradeHandler
  /** Called by `close` once nobody new is let in, for what would not end by itself. */
  readonly onClosing?: () => void
}

export interface Listening {
  readonly url: string
  /** Takes no more requests, lets running ones end for a moment, then cuts them. */
  readonly close: () => Promise<void>
}

export interface ListenLimits {
  readonly connectionsMax: number
  readonly headersBytesMax: number
  readonly headersTimeoutMs: number
  /** For the whole request, its payload included. */
  readonly requestTimeoutMs: number
  /** Between two looks at the two limits above. */
  readonly lookMs: number
  readonly keepAliveMs: number
  /** Without a byte either way; heartbeats keep a stream below it as long as somebody reads. */
  readonly silenceMs: number
  readonly closeMs: number
}

export const listenLimits: ListenLimits = {
  connectionsMax: 2_048,
  headersBytesMax: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  lookMs: 5_000,
  keepAliveMs: 5_000,
  silenceMs: 90_000,
  closeMs: 2_000,
}

export function listen(handler: DirectHandler, options: ListenOptions = {}): Promise<Listening> {
  const limits = { ...listenLimits, ...options.limits }
  const { port = 0, host = "127.0.0.1", closeMs = limits.closeMs, onClosing = () => {}, upgrade } = options
  const server = createServer(
    {
      maxHeaderSize: limits.headersBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: limits.lookMs,
      keepAliveTimeout: limits.keepAliveMs,
      // A request without Host is the front door's to refuse, in its own words.
      requireHostHeader: false,
      shouldUpgradeCallback: (incoming) => upgrade !== undefined && isSocketRequest(incoming),
    },
    (incoming, outgoing) => {
      // A connection that was busy when closing began is let go with its answer.
      outgoing.once("close", () => {
        if (!server.listening) setImmediate(() => server.closeIdleConnections())
      })
      void serveRequest(handler, incoming, outgoing)
    },
  )
  answerUnreadable(server, limits)
  if (upgrade !== undefined) server.on("upgrade", upgrade)
  server.maxConnections = limits.connectionsMax
  server.timeout = limits.silenceMs
  return new Promise((resolve, reject) => {
    // It stays: later a connection that cannot be accepted is lost to its caller, not to all.
    server.on("error", reject)
    server.listen(port, host, () => {
      const bound = (server.address() as AddressInfo).port
      resolve({
        url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
        close: () => close(server, closeMs, onClosing),
      })
    })
  })
}

async function serveRequest(
  handler: DirectHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = new SocketRequest(incoming)
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) request.abort()
  })
  try {
    await send(await handler(request), incoming, outgoing)
  } catch {
    // The caller went away, or an answer broke in its middle. Neither can be told any more, and a
    // connection that is cut is the only honest end of half an answer.
    outgoing.destroy()
  }
}

async function send(
  answer: HttpServerResponse.HttpServerResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { status, headers, body } = answer
  outgoing.statusCode = status
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
  // Node reads on what is left of a request, to use the connection again; not without an end.
  if (!incoming.complete && !isShort(incoming)) outgoing.setHeader("connection", "close")
  const stream = itemStreamOf(answer)
  if (stream !== null) {
    outgoing.once("close", () => stream.leave())
    if (incoming.method === "HEAD" || outgoing.destroyed) stream.leave()
    else return pipeline(Readable.from(stream.frames()), outgoing)
  }
  if (body._tag === "Stream" && incoming.method !== "HEAD")
    return pipeline(Readable.from(Stream.toAsyncIterable(body.stream)), outgoing)
  if (body._tag === "Uint8Array" && incoming.method !== "HEAD") outgoing.end(body.text ?? body.body)
  else outgoing.end()
}

const isShort = (incoming: IncomingMessage): boolean =>
  incoming.headers["transfer-encoding"] === undefined &&
  Number(incoming.headers["content-length"] ?? 0) <= bodyBytesMax

function close(server: Server, closeMs: number, onClosing: () => void): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), closeMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
    onClosing()
  })
}
