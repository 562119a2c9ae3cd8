/**
 * Server: the simulated provider on a real socket, on loopback only.
 *
 * It plays the frames of each response with real timers, waits where the client is slow, and
 * stops where the client leaves. A stalled response lives until one side closes. One port speaks
 * HTTP/1 and, without encryption, HTTP/2: the first bytes of a connection tell which.
 */
import { createServer as createHttpServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2"
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type { SimFrame, SimResponse } from "./exchange.ts"
import type { ProviderSim } from "./simulate.ts"

export interface ListenOptions {
  /** Default: any free port. */
  readonly port?: number
  readonly host?: "127.0.0.1"
  /** Milliseconds; cache lives and dates are counted on it. Default: the wall clock. */
  readonly now?: () => number
  /** Pages of any origin may ask, as with most providers. Default true. */
  readonly browsers?: boolean
}

export interface ListeningSim {
  readonly url: string
  readonly port: number
  /** Ends every connection, stalled ones too. A repeat is safe. */
  close(): Promise<void>
}

const keepAliveMs = 120_000
/** Bytes of a request body that are kept; more than any provider takes. */
const bodyBytesKept = 64 * 1024 * 1024

type Answering = Pick<ProviderSim, "respond">

export async function listen(sim: Answering, options: ListenOptions = {}): Promise<ListeningSim> {
  const host = options.host ?? "127.0.0.1"
  const now = options.now ?? Date.now
  const browsers = options.browsers ?? true
  const sockets = new Set<Socket>()
  const speak = (request: AnyRequest, response: AnyResponse) =>
    void serve(sim, request, response, { now, browsers })
  const http = createHttpServer(speak)
  http.keepAliveTimeout = keepAliveMs
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
    receive(socket, (isHttp2) => (isHttp2 ? createHttp2Server(speak) : http).emit("connection", socket))
  })
  server.listen(options.port ?? 0, host)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  let closing: Promise<void> | undefined
  return {
    url: `http://${host}:${port}`,
    port,
    close() {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
      return closing
    },
  }
}

type AnyRequest = IncomingMessage | Http2ServerRequest
type AnyResponse = ServerResponse | Http2ServerResponse

/** What every connection of the second version begins with. */
const preface = "PRI * HTTP/2.0"

/** Looks at the first bytes of a connection and puts them back. */
function receive(socket: Socket, handOver: (isHttp2: boolean) => void): void {
  // A client that goes away before it has said anything; "close" follows and is enough.
  const ignore = () => {}
  socket.on("error", ignore)
  socket.once("readable", () => {
    const first = socket.read() as Buffer | null
    if (first === null) {
      socket.destroy()
      return
    }
    socket.off("error", ignore)
    socket.unshift(first)
    handOver(first.toString("latin1", 0, preface.length) === preface)
  })
}

/** Loaded for those who speak it. */
function createHttp2Server(speak: (request: AnyRequest, response: AnyResponse) => void) {
  const { createServer: create } = process.getBuiltinModule("node:http2")
  const server = create(speak)
  // A connection that breaks the protocol is closed, and that is all.
  server.on("sessionError", () => {})
  return server
}

interface Manners {
  readonly now: () => number
  readonly browsers: boolean
}

async function serve(
  sim: Answering,
  request: AnyRequest,
  response: AnyResponse,
  { now, browsers }: Manners,
): Promise<void> {
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  // A reset by the client shows up as an error on either half; "close" follows and is enough.
  request.on("error", () => {})
  response.on("error", () => {})
  const body = await readBody(request)
  if (body === undefined) return
  const origin = browsers ? originHeaders : {}
  const answer =
    browsers && request.method === "OPTIONS"
      ? permission
      : sim.respond(
          { method: request.method ?? "", path: request.url ?? "", headers: flatHeaders(request), body },
          now(),
        )
  try {
    await play({ ...answer, headers: { ...answer.headers, ...origin } }, response, gone.signal)
  } catch {
    // The client left while we waited, or a script asks for a status or a header that cannot be sent.
    // Neither may end the process, so the connection is all that ends.
    cutOff(response)
  }
}

/** documented for Anthropic and OpenAI; the others are as open here. */
const originHeaders = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" }

/** What a browser is told that asks whether it may ask. */
const permission: SimResponse = {
  status: 204,
  headers: {
    "access-control-allow-methods": "GET, POST, OPTIONS",
    // With credentials a star would stand for itself; keys come in headers, which it covers but for one.
    "access-control-allow-headers": "*, authorization",
    "access-control-max-age": "600",
  },
  headersAfterMs: 0,
  frames: [],
}

/** The body, or nothing if the client left. Bytes beyond the limit are counted as one. */
async function readBody(request: AnyRequest): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  request.on("data", (chunk: Buffer) => {
    if (size > bodyBytesKept) return
    size += chunk.length
    chunks.push(chunk)
  })
  const ended = await new Promise<boolean>((resolve) => {
    request.once("end", () => resolve(true))
    request.once("close", () => resolve(false))
  })
  return ended ? Buffer.concat(chunks) : undefined
}

async function play(answer: SimResponse, response: AnyResponse, gone: AbortSignal): Promise<void> {
  await rest(answer.headersAfterMs, gone)
  begin(response, answer)
  for (const frame of answer.frames) {
    const ended = await playFrame(frame, response, gone)
    if (ended || gone.aborted) return
  }
  response.end()
}

function begin(response: AnyResponse, { status, headers }: SimResponse): void {
  if ("stream" in response) {
    response.writeHead(status, { ...headers })
    return
  }
  response.writeHead(status, { ...headers })
  response.flushHeaders()
}

/** Whether the response is over, one way or the other. */
async function playFrame(frame: SimFrame, response: AnyResponse, gone: AbortSignal): Promise<boolean> {
  if (frame.kind === "stall") return true
  if (frame.kind === "cut") {
    // An empty write calls back once everything before it has reached the socket.
    await new Promise<void>((resolve) => write(response, "", () => resolve()))
    cutOff(response)
    return true
  }
  await rest(frame.afterMs, gone)
  if (!write(response, frame.bytes)) await once(response, "drain", { signal: gone })
  return false
}

function write(response: AnyResponse, bytes: Uint8Array | string, done: () => void = () => {}): boolean {
  return "stream" in response ? response.write(bytes, "utf8", done) : response.write(bytes, "utf8", done)
}

/** Ends the connection, or the one stream of it that bears the response. */
function cutOff(response: AnyResponse): void {
  if ("stream" in response) response.stream.close(http2InternalError)
  else response.socket?.destroy()
}

const http2InternalError = 2

async function rest(ms: number, gone: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { signal: gone })
}

/** Names of the second version that begin with a colon are no headers, but for the host. */
function flatHeaders(request: AnyRequest): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    const known = name === ":authority" ? "host" : name
    if (value !== undefined && !known.startsWith(":")) {
      flat[known] = Array.isArray(value) ? value.join(", ") : value
    }
  }
  return flat
}
