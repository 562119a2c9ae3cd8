/**
 * Server: the simulated provider on a real socket, on loopback only.
 *
 * It plays the frames of each response with real timers, waits where the client is slow, and
 * stops where the client leaves. A stalled response lives until one side closes.
 */
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { bodyBytesKept } from "./exchange.ts"
import type { SimFrame, SimResponse } from "./exchange.ts"
import type { ProviderSim } from "./simulate.ts"

export interface ListenOptions {
  /** Default: any free port. */
  readonly port?: number
  readonly host?: "127.0.0.1"
  /** Milliseconds; cache lives and dates are counted on it. Default: the wall clock. */
  readonly now?: () => number
}

export interface ListeningSim {
  readonly url: string
  readonly port: number
  /** Ends every connection, stalled ones too. A repeat is safe. */
  close(): Promise<void>
}

const keepAliveMs = 120_000

export async function listen(sim: ProviderSim, options: ListenOptions = {}): Promise<ListeningSim> {
  const host = options.host ?? "127.0.0.1"
  const now = options.now ?? Date.now
  const server = createServer((request, response) => {
    void serve(sim, request, response, now)
  })
  server.keepAliveTimeout = keepAliveMs
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
        server.closeAllConnections()
      })
      return closing
    },
  }
}

async function serve(
  sim: ProviderSim,
  request: IncomingMessage,
  response: ServerResponse,
  now: () => number,
): Promise<void> {
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  // A reset by the client shows up as an error on either half; "close" follows and is enough.
  request.on("error", () => {})
  response.on("error", () => {})
  const body = await readBody(request)
  if (body === undefined) return
  const answer = sim.respond(
    { method: request.method ?? "", path: request.url ?? "", headers: flatHeaders(request), body },
    now(),
  )
  try {
    await play(answer, response, gone.signal)
  } catch (error) {
    // The only expected failure is a client that left while we waited.
    if (!gone.signal.aborted) throw error
  }
}

/** The body, or nothing if the client left. Bytes beyond the limit are counted as one. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
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

async function play(answer: SimResponse, response: ServerResponse, gone: AbortSignal): Promise<void> {
  await rest(answer.headersAfterMs, gone)
  response.writeHead(answer.status, { ...answer.headers })
  response.flushHeaders()
  for (const frame of answer.frames) {
    const ended = await playFrame(frame, response, gone)
    if (ended || gone.aborted) return
  }
  response.end()
}

/** Whether the response is over, one way or the other. */
async function playFrame(frame: SimFrame, response: ServerResponse, gone: AbortSignal): Promise<boolean> {
  if (frame.kind === "stall") return true
  if (frame.kind === "cut") {
    // An empty write calls back once everything before it has reached the socket.
    await new Promise<void>((resolve) => response.write("", () => resolve()))
    response.socket?.destroy()
    return true
  }
  await rest(frame.afterMs, gone)
  if (!response.write(frame.bytes)) await once(response, "drain", { signal: gone })
  return false
}

async function rest(ms: number, gone: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { signal: gone })
}

function flatHeaders(request: IncomingMessage): Readonly<Record<string, string>> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value
  }
  return flat
}
