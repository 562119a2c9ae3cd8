/**
 * Transport over node:http and node:https: one exchange per attempt (TU4).
 *
 * The whole body is at hand, so it is sent with a content-length and no chunk framing. One timer
 * serves an exchange: first as the limit for the headers, then, refreshed by each piece, as the
 * idle limit. Nothing is retried here, not even a kept connection that turns out to be dead:
 * whoever counts attempts must see it.
 *
 *   sending ──headers──▶ open ──end──▶ ended
 *      └────── limit, reset, refusal ──────▶ failed       (a closed scope aborts any of them)
 *
 * A connection is used again only if its answer came to the end. A reader that has seen enough
 * leaves; the rest may then arrive for a moment, and the next request is saved a handshake.
 *
 * Every look at the socket costs CPU. A stream whose pieces come faster than anybody could read
 * rests between two looks, and what came meanwhile is taken at once.
 */
import * as http from "node:http"
import * as https from "node:https"
import { Effect, type Scope } from "effect"
import { errorBodyBytesMax } from "./exchange.ts"
import { ProviderFailure, type Transport, type WireRequest, type WireResponse } from "./wire.ts"

/** Unread bytes above which the provider is made to wait. */
const unreadBytesMax = 1024 * 1024
/** Pieces that follow one another sooner than this are gathered for as long. */
const restMs = 6
/** How long the rest of an answer may take after its reader has left. */
const lingerMs = 20
/** Idle connections kept for later requests. */
const idleConnectionsMax = 16

/** A transport whose connections close with the scope. */
export const makeHttpTransport: Effect.Effect<Transport, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(Effect.sync(makeAgents), ({ plain, secure }) =>
    Effect.sync(() => {
      plain.destroy()
      secure.destroy()
    }),
  ),
  (agents): Transport => ({ send: (request) => send(agents, request) }),
)

interface Agents {
  readonly plain: http.Agent
  readonly secure: https.Agent
}

function makeAgents(): Agents {
  const options = { keepAlive: true, maxFreeSockets: idleConnectionsMax, readableHighWaterMark: 1 }
  return { plain: new http.Agent(options), secure: new https.Agent(options) }
}

const send = Effect.fnUntraced(function* (agents: Agents, request: WireRequest) {
  const exchange = yield* Effect.acquireRelease(
    Effect.sync(() => new Exchange(agents, request)),
    (open) => Effect.sync(() => open.close()),
  )
  return yield* exchange.head
})

type Head = Effect.Effect<WireResponse, ProviderFailure>
type Piece = Effect.Effect<Uint8Array | null, ProviderFailure>

class Exchange {
  readonly #host: string
  readonly #request: WireRequest
  #outgoing: http.ClientRequest | null = null
  #incoming: http.IncomingMessage | null = null
  #timer: NodeJS.Timeout | undefined
  #resting: NodeJS.Timeout | null = null
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #left = false
  #telling = false
  #unread: Uint8Array[] = []
  #unreadBytes = 0
  #bodyBytes = 0
  #ended = false
  #failure: ProviderFailure | null = null
  #waiting: (() => void) | null = null

  constructor(agents: Agents, request: WireRequest) {
    this.#request = request
    this.#host = hostOf(request.url)
    try {
      this.#start(agents, request)
    } catch (error) {
      // Node throws for a URL or a header that cannot be sent; both come from configuration.
      this.#fail(unsendable(error, this.#host))
    }
  }

  /** Status and headers, or the reason why there are none. */
  readonly head: Head = this.#when(
    () => this.#incoming !== null,
    () => {
      const incoming = this.#incoming as http.IncomingMessage
      const headers = headersOf(incoming)
      return { status: incoming.statusCode ?? 0, headers, read: this.#read, leave: () => this.#leave() }
    },
  )

  /** Ends the exchange; a complete answer leaves its connection to the next request. */
  close(): void {
    clearTimeout(this.#timer)
    this.#stopResting()
    this.#waiting = null
    // Whoever has the whole answer meets no failure; to make one takes longer than the rest of this.
    if (!this.#ended)
      this.#failure ??= failureOf("transport", `The request to ${this.#host} was given up.`, false)
    const incoming = this.#incoming
    if (incoming !== null && (incoming.complete || this.#left)) {
      incoming.resume()
      setTimeout(() => {
        if (!incoming.complete) this.#outgoing?.destroy()
      }, lingerMs).unref()
    } else {
      this.#outgoing?.destroy()
    }
  }

  #leave(): void {
    this.#left = true
  }

  get #read(): Piece {
    return this.#when(
      () => this.#unread.length > 0 || this.#ended,
      () => this.#take(),
    )
  }

  /** Waits until `ready` or a failure. What was received before a failure is given first. */
  #when<A>(ready: () => boolean, value: () => A): Effect.Effect<A, ProviderFailure> {
    const settled = () => {
      if (ready()) return Effect.succeed(value())
      return this.#failure === null ? null : Effect.fail(this.#failure)
    }
    return Effect.suspend(
      () =>
        settled() ??
        Effect.callback<A, ProviderFailure>((resume) => {
          this.#waiting = () => {
            const outcome = settled()
            if (outcome === null) return
            this.#waiting = null
            resume(outcome)
          }
          return Effect.sync(() => this.close())
        }),
    )
  }

  #start(agents: Agents, request: WireRequest): void {
    const url = new URL(request.url)
    const secure = url.protocol === "https:"
    const outgoing = (secure ? https : http).request(url, {
      method: "POST",
      agent: secure ? agents.secure : agents.plain,
      headers: { ...request.headers, "accept-encoding": "identity", "content-length": String(request.bytes) },
    })
    this.#outgoing = outgoing
    outgoing.on("error", (error: NodeJS.ErrnoException) => this.#fail(this.#broken(error)))
    outgoing.on("response", (incoming) => this.#open(incoming))
    this.#timer = setTimeout(() => this.#late(), request.limits.firstByteMs)
    for (const piece of request.body) outgoing.write(piece)
    outgoing.end()
  }

  #open(incoming: http.IncomingMessage): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#late(), this.#request.limits.idleMs)
    this.#incoming = incoming
    incoming.on("data", (piece: Buffer) => this.#receive(incoming, piece))
    let whole = false
    incoming.on("end", () => {
      whole = true
      clearTimeout(this.#timer)
    })
    incoming.on("error", (error: NodeJS.ErrnoException) => this.#fail(this.#broken(error)))
    // The end is told on close: only then may the next request use the connection.
    incoming.on("close", () => {
      if (whole) this.#end()
      else this.#fail(this.#broken(new Error("the connection closed")))
    })
    this.#waiting?.()
  }

  #receive(incoming: http.IncomingMessage, piece: Buffer): void {
    if (this.#ended || this.#left) return
    // One look at the socket may give many pieces; the reader has not been told of the first yet.
    if (!this.#telling) this.#noteLook(incoming)
    const room = incoming.statusCode === 200 ? Number.POSITIVE_INFINITY : errorBodyBytesMax - this.#bodyBytes
    const kept = piece.length > room ? piece.subarray(0, room) : piece
    this.#bodyBytes += kept.length
    this.#unread.push(kept)
    this.#unreadBytes += kept.length
    if (kept.length < piece.length) {
      this.#end()
      this.#outgoing?.destroy()
    } else if (this.#unreadBytes > unreadBytesMax) {
      incoming.pause()
    }
    this.#tellSoon()
  }

  /** The reader is woken once for all pieces of a look. */
  #tellSoon(): void {
    if (this.#telling) return
    this.#telling = true
    queueMicrotask(() => {
      this.#telling = false
      this.#waiting?.()
    })
  }

  #noteLook(incoming: http.IncomingMessage): void {
    this.#timer?.refresh()
    const now = performance.now()
    const soon = now - this.#lookedAtMs < restMs
    this.#lookedAtMs = now
    if (!soon || this.#resting !== null) return
    this.#resting = setTimeout(() => {
      this.#resting = null
      if (this.#unreadBytes <= unreadBytesMax) incoming.resume()
    }, restMs)
    // One read takes 64 KiB; what else has arrived is read in this look, too.
    setImmediate(() => {
      if (this.#resting !== null && !incoming.readableEnded) incoming.pause()
    })
  }

  #stopResting(): void {
    if (this.#resting !== null) clearTimeout(this.#resting)
    this.#resting = null
  }

  #take(): Uint8Array | null {
    if (this.#unread.length === 0) return null
    const piece = this.#unread.length === 1 ? (this.#unread[0] as Uint8Array) : Buffer.concat(this.#unread)
    this.#unread = []
    this.#unreadBytes = 0
    const incoming = this.#incoming
    const resting = this.#resting !== null
    if (incoming?.isPaused() === true && !resting && !this.#ended && this.#failure === null) {
      this.#timer?.refresh()
      incoming.resume()
    }
    return piece
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#ended = true
    this.#waiting?.()
  }

  #fail(failure: ProviderFailure): void {
    if (this.#ended || this.#failure !== null) return
    clearTimeout(this.#timer)
    this.#failure = failure
    this.#waiting?.()
  }

  #late(): void {
    const { firstByteMs, idleMs } = this.#request.limits
    if (this.#incoming?.isPaused() === true) {
      // The reader is slow, not the provider.
      this.#timer?.refresh()
      return
    }
    const [code, what] =
      this.#incoming === null
        ? (["first_byte_timeout", `did not begin to answer within ${firstByteMs / 1_000} s`] as const)
        : (["idle_timeout", `sent nothing for ${idleMs / 1_000} s in the middle of its answer`] as const)
    this.#fail(failureOf(code, `${this.#host} ${what}.`, true))
    this.#outgoing?.destroy()
  }

  #broken(error: NodeJS.ErrnoException): ProviderFailure {
    if (this.#incoming === null) return unreachable(error, this.#host, this.#outgoing?.reusedSocket === true)
    return failureOf(
      "stream_cut",
      `The connection to ${this.#host} broke in the middle of the answer (${error.code ?? error.message}).`,
      true,
    )
  }
}

const failureOf = (code: ProviderFailure["code"], message: string, retryable: boolean, unsent = false) =>
  new ProviderFailure({ code, message, retryable, retryAfterMs: null, status: null, unsent })

/** What to check, by the system's own word for what happened. */
const checks: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Nothing listens there: check the base URL and that the server runs.",
  ENOTFOUND: "The name is not known: check the base URL and the network.",
  EAI_AGAIN: "The name could not be looked up: check the network.",
  ECONNRESET: "The other side closed the connection: check proxies and firewalls if it persists.",
  EPIPE: "The other side closed the connection: check proxies and firewalls if it persists.",
  ETIMEDOUT: "The connection timed out: check the network, proxies and firewalls.",
  ENETUNREACH: "The network is not reachable: check the connection.",
  EHOSTUNREACH: "The host is not reachable: check the network and the base URL.",
}

/** No connection came about. */
const neverSent = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)$/

function unreachable(error: NodeJS.ErrnoException, host: string, reused: boolean): ProviderFailure {
  const code = error.code ?? "no code"
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code)) {
    const message = `No secure connection to ${host} (${code}). Check its certificate, the base URL and proxies.`
    return failureOf("transport", message, false, true)
  }
  const check = Object.hasOwn(checks, code) ? checks[code] : "Check the network and the base URL."
  const kept = reused ? " A kept connection was used." : ""
  return failureOf(
    "transport",
    `No answer from ${host} (${code}). ${check}${kept}`,
    true,
    neverSent.test(code),
  )
}

function unsendable(error: unknown, host: string): ProviderFailure {
  const code = (error as NodeJS.ErrnoException).code
  const what =
    code === "ERR_INVALID_CHAR" || code === "ERR_HTTP_INVALID_HEADER_VALUE"
      ? "A header, such as the API key, holds a character that HTTP does not allow. Check the configured key."
      : "The address cannot be called. Check the base URL: it must begin with http:// or https://."
  return failureOf("invalid_request", `${what} (${host})`, false, true)
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "an unreadable address")

function headersOf(incoming: http.IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  )
}
