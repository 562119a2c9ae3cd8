/** The transport against real servers on loopback. */
import { once } from "node:events"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as net from "node:net"
import { Cause, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { makeHttpTransport } from "../src/http-transport.ts"
import {
  errorBodyBytesMax,
  type ProviderFailure,
  type StreamLimits,
  type Transport,
  type WireResponse,
} from "../src/wire.ts"

let scope: Scope.Closeable
let transport: Transport
const closers: (() => void)[] = []

beforeEach(async () => {
  scope = Effect.runSync(Scope.make())
  transport = await Effect.runPromise(Scope.provide(makeHttpTransport, scope))
})

afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  for (const close of closers.splice(0)) close()
})

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void

async function serve(handler: Handler): Promise<string> {
  const server = http.createServer(handler)
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/messages`
}

const calm: StreamLimits = { firstByteMs: 10_000, idleMs: 10_000 }

const send = (url: string, body: readonly Uint8Array[] = [Buffer.from("{}")], limits: StreamLimits = calm) =>
  transport.send({
    url,
    headers: { "content-type": "application/json", "x-api-key": "secret" },
    body,
    bytes: body.reduce((sum, piece) => sum + piece.length, 0),
    limits,
  })

const readAll = Effect.fnUntraced(function* (response: WireResponse) {
  const pieces: Uint8Array[] = []
  for (let piece = yield* response.read; piece !== null; piece = yield* response.read) pieces.push(piece)
  return Buffer.concat(pieces)
})

const exchange = (url: string, body?: readonly Uint8Array[], limits?: StreamLimits) =>
  Effect.scoped(Effect.flatMap(send(url, body, limits), readAll))

const failureOf = <A>(effect: Effect.Effect<A, ProviderFailure>): Promise<ProviderFailure> =>
  Effect.runPromise(Effect.flip(effect))

/** Turns of the event loop until a value has kept for this long. */
async function untilStill(read: () => number, stillMs: number): Promise<void> {
  let [value, since] = [read(), performance.now()]
  while (performance.now() - since < stillMs) {
    await new Promise((done) => setImmediate(done))
    if (read() !== value) [value, since] = [read(), performance.now()]
  }
}

const bodyOf = async (request: http.IncomingMessage): Promise<Buffer> =>
  Buffer.concat(await request.toArray())

describe("an exchange", () => {
  test("[LL1] sends the whole body with its length and gives status, headers and pieces", async () => {
    const body = Array.from({ length: 40 }, (_, i) => Buffer.alloc(65_536, i))
    const url = await serve(async (request, response) => {
      const received = await bodyOf(request)
      response.writeHead(200, { "content-type": "text/event-stream", "x-twice": ["a", "b"] })
      response.end(
        `${request.headers["content-length"]} ${request.headers["transfer-encoding"]} ${received.equals(Buffer.concat(body))}`,
      )
    })
    const seen = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const response = yield* send(url, body)
          return [response.status, response.headers["x-twice"], (yield* readAll(response)).toString()]
        }),
      ),
    )
    expect(seen).toEqual([200, "a, b", `${40 * 65_536} undefined true`])
  })

  test("[TU4] uses a connection again after a complete answer", async () => {
    const ports: (number | undefined)[] = []
    const url = await serve((request, response) => {
      ports.push(request.socket.remotePort)
      request.resume()
      response.end("ok")
    })
    await Effect.runPromise(Effect.andThen(exchange(url), exchange(url)))
    expect(ports).toHaveLength(2)
    expect(ports[0]).toBe(ports[1])
  })

  test("[TU4] uses a connection again when the reader left just before the end", async () => {
    const ports: (number | undefined)[] = []
    const url = await serve((request, response) => {
      ports.push(request.socket.remotePort)
      request.resume()
      response.write("enough")
      setImmediate(() => response.end("more"))
    })
    const glance = Effect.scoped(
      Effect.gen(function* () {
        const response = yield* send(url)
        yield* response.read
        response.leave()
      }),
    )
    await Effect.runPromise(glance)
    await untilStill(() => ports.length, 50)
    await Effect.runPromise(exchange(url))
    expect(ports).toHaveLength(2)
    expect(ports[0]).toBe(ports[1])
  })

  test("[TU4] does not keep an answer going that its reader has left", async () => {
    const gone = Promise.withResolvers<void>()
    const url = await serve((request, response) => {
      request.resume()
      response.on("close", gone.resolve)
      response.write("for ever")
    })
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const response = yield* send(url)
          yield* response.read
          response.leave()
        }),
      ),
    )
    await gone.promise
  })

  test("gathers pieces that come faster than anybody reads, and loses none", async () => {
    const frames = Array.from({ length: 400 }, (_, i) => `data: ${i}\n\n`)
    const url = await serve(async (request, response) => {
      request.resume()
      response.writeHead(200)
      for (const frame of frames) {
        response.write(frame)
        await new Promise((done) => setImmediate(done))
      }
      response.end()
    })
    const reads: string[] = []
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const response = yield* send(url)
          for (let piece = yield* response.read; piece !== null; piece = yield* response.read)
            reads.push(Buffer.from(piece).toString())
        }),
      ),
    )
    expect(reads.join("")).toBe(frames.join(""))
    expect(reads.length).toBeLessThan(frames.length / 2)
  })

  test("makes a fast provider wait for a slow reader, and loses nothing", async () => {
    const size = 64 * 1024 * 1024
    const sent = { bytes: 0 }
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(200)
      const piece = Buffer.alloc(256 * 1024, 1)
      const more = () => {
        while (sent.bytes < size) {
          sent.bytes += piece.length
          if (!response.write(piece)) return void response.once("drain", more)
        }
        response.end()
      }
      more()
    })
    const total = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          // An idle limit that passes while nobody reads: it is the reader who is slow.
          const response = yield* send(url, undefined, { firstByteMs: 10_000, idleMs: 500 })
          const first = yield* response.read
          yield* Effect.promise(() => untilStill(() => sent.bytes, 800))
          expect(sent.bytes).toBeLessThan(size)
          return (first?.length ?? 0) + (yield* readAll(response)).length
        }),
      ),
    )
    expect(total).toBe(size)
  })

  test("[TU4] reads the body of an error, up to a maximum", async () => {
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(529, { "retry-after": "3" })
      response.end("e".repeat(10 * errorBodyBytesMax))
    })
    const [status, wait, body] = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const response = yield* send(url)
          return [response.status, response.headers["retry-after"], yield* readAll(response)] as const
        }),
      ),
    )
    expect([status, wait, body.length]).toEqual([529, "3", errorBodyBytesMax])
  })
})

describe("limits and failures", () => {
  test("[TU4] no headers in time", async () => {
    const url = await serve((request) => void request.resume())
    const failure = await failureOf(exchange(url, undefined, { firstByteMs: 20, idleMs: 10_000 }))
    expect(failure).toMatchObject({ code: "first_byte_timeout", retryable: true })
    expect(failure.message).toContain(new URL(url).host)
  })

  test("[TU4] silence in the middle, after what was received", async () => {
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(200)
      response.write("partial")
    })
    const seen = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const response = yield* send(url, undefined, { firstByteMs: 10_000, idleMs: 300 })
          const first = Buffer.from((yield* response.read) ?? []).toString()
          return [first, (yield* Effect.flip(response.read)).code]
        }),
      ),
    )
    expect(seen).toEqual(["partial", "idle_timeout"])
  })

  test("[TU4] an idle limit counts from the last piece, not from the first", async () => {
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(200)
      let left = 8
      const timer = setInterval(() => {
        response.write(".")
        if ((left -= 1) === 0) {
          clearInterval(timer)
          response.end()
        }
      }, 30)
    })
    const body = await Effect.runPromise(exchange(url, undefined, { firstByteMs: 10_000, idleMs: 200 }))
    expect(body.toString()).toBe("........")
  })

  test("[TU4] the limit of the first byte is over with the headers, however long the answer takes", async () => {
    const rest = Promise.withResolvers<void>()
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(200)
      response.write("partial, ")
      void rest.promise.then(() => response.end("whole"))
    })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const read = Effect.gen(function* () {
        const response = yield* send(url, undefined, { firstByteMs: 1_000, idleMs: 5_000 })
        const first = Buffer.from((yield* response.read) ?? []).toString()
        vi.advanceTimersByTime(4_000)
        rest.resolve()
        return first + (yield* readAll(response)).toString()
      })
      expect(await Effect.runPromise(Effect.scoped(read))).toBe("partial, whole")
    } finally {
      vi.useRealTimers()
    }
  })

  test("[TU4] a connection that breaks in the middle", async () => {
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(200)
      response.write("partial", () => response.socket?.destroy())
    })
    expect(await failureOf(exchange(url))).toMatchObject({ code: "stream_cut", retryable: true })
  })

  test("[TU4] an answer shorter than its length", async () => {
    const url = await serve((request, response) => {
      request.resume()
      response.writeHead(200, { "content-length": "100" })
      response.write("short", () => response.socket?.end())
    })
    expect(await failureOf(exchange(url))).toMatchObject({ code: "stream_cut", retryable: true })
  })

  test("[TU4] a kept connection that is dead is reported, not tried again in silence", async () => {
    let requests = 0
    const url = await serve((request, response) => {
      request.resume()
      requests += 1
      if (requests === 1) response.end("ok")
      else response.socket?.resetAndDestroy()
    })
    await Effect.runPromise(exchange(url))
    const failure = await failureOf(exchange(url))
    expect(failure).toMatchObject({ code: "transport", retryable: true })
    expect(failure.message).toContain("kept connection")
    expect(requests).toBe(2)
  })

  test("[TU4] nobody listens", async () => {
    const server = net.createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, "close")
    const failure = await failureOf(exchange(`http://127.0.0.1:${port}/`))
    expect(failure).toMatchObject({ code: "transport", retryable: true })
    expect(failure.message).toContain(`127.0.0.1:${port}`)
    expect(failure.message).toContain("base URL")
  })

  test("[TU4] an answer that is not HTTP", async () => {
    const server = net.createServer((socket) => socket.end("220 mail ready\r\n")).listen(0, "127.0.0.1")
    closers.push(() => server.close())
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    expect(await failureOf(exchange(`http://127.0.0.1:${port}/`))).toMatchObject({ code: "transport" })
  })

  test.each(["nonsense", "ftp://example/"])("[TU4] an address that cannot be called: %s", async (url) => {
    expect(await failureOf(exchange(url))).toMatchObject({ code: "invalid_request", retryable: false })
  })

  test("[TU4] a key that cannot be sent is named, never quoted", async () => {
    const request = {
      url: "http://127.0.0.1:9/",
      headers: { "x-api-key": "se\ncret" },
      body: [],
      bytes: 0,
      limits: calm,
    }
    const failure = await failureOf(Effect.scoped(transport.send(request)))
    expect(failure).toMatchObject({ code: "invalid_request", retryable: false })
    expect(failure.message).toContain("API key")
    expect(failure.message).not.toContain("cret")
  })
})

describe("interruption", () => {
  test("[DR3] before the headers aborts the request", async () => {
    const arrived = Deferred.makeUnsafe<void>()
    const gone = Deferred.makeUnsafe<void>()
    const url = await serve((request) => {
      request.resume()
      request.on("close", () => Deferred.doneUnsafe(gone, Exit.void))
      Deferred.doneUnsafe(arrived, Exit.void)
    })
    const exit = await Effect.runPromise(
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(exchange(url))
        yield* Deferred.await(arrived)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(gone)
        return yield* Fiber.await(fiber)
      }),
    )
    expect(Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)).toBe(true)
  })

  test("[DR3] a closed scope aborts the answer, and a later read fails", async () => {
    const gone = Deferred.makeUnsafe<void>()
    const url = await serve((request, response) => {
      request.resume()
      response.on("close", () => Deferred.doneUnsafe(gone, Exit.void))
      response.writeHead(200)
      response.write("x")
    })
    const code = await Effect.runPromise(
      Effect.gen(function* () {
        const response = yield* Effect.scoped(
          Effect.gen(function* () {
            const open = yield* send(url)
            yield* open.read
            return open
          }),
        )
        yield* Deferred.await(gone)
        return (yield* Effect.flip(response.read)).code
      }),
    )
    expect(code).toBe("transport")
  })
})
