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
import { bodyBytesMax } from "./front-door.ts"
import type { WebHandler } from "./handler.ts"
import { NodeRequest } from "./node-request.ts"
import { isSocketRequest, type UpgradeHandler } from "./terminals/upgrade.ts"

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
  connectionsMax: 512,
  headersBytesMax: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  lookMs: 5_000,
  keepAliveMs: 5_000,
  silenceMs: 90_000,
  closeMs: 2_000,
}

export function listen(handler: WebHandler, options: ListenOptions = {}): Promise<Listening> {
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
      void answer(handler, incoming, outgoing)
    },
  )
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

async function answer(
  handler: WebHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = new NodeRequest(incoming)
  outgoing.once("close", () => {
    if (!outgoing.writableFinished) request.abort()
  })
  try {
    await send(await handler(request.asRequest()), incoming, outgoing)
  } catch {
    // The caller went away, or an answer broke in its middle. Neither can be told any more, and a
    // connection that is cut is the only honest end of half an answer.
    outgoing.destroy()
  }
}

async function send(response: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  // Node reads on what is left of a request, to use the connection again; not without an end.
  if (!incoming.complete && !isShort(incoming)) outgoing.setHeader("connection", "close")
  if (response.body === null || incoming.method === "HEAD") {
    outgoing.end()
  } else if (Number(response.headers.get("content-length") ?? Infinity) <= wholeBytesMax) {
    outgoing.end(new Uint8Array(await response.arrayBuffer()))
  } else {
    await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing)
  }
}

/** Answers up to this length are written in one piece, without a stream. */
const wholeBytesMax = 65_536

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
