/** A runtime on a port: how streams cross a socket, and in which order everything ends. */
import { HttpServerResponse } from "effect/http"
import { type IncomingMessage, request } from "node:http"
import { connect, createServer, type Socket } from "node:net"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { Deferred, Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { listen, listenLimits, type Listening, type ListenOptions, serve } from "../src/index.ts"
import { openTestRuntime, type TestRuntime, type TestRuntimeOptions } from "./runtime.ts"
import { readFrames } from "./sse.ts"
import { token } from "./surface.ts"

interface Served extends TestRuntime {
  readonly server: Listening
}

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function open(options: TestRuntimeOptions & ListenOptions = {}): Promise<Served> {
  const runtime = await openTestRuntime(options)
  ends.push(runtime.close)
  const server = await serve(runtime.runtime, {
    token,
    defaultDirectory: runtime.directory,
    version: "1.2.3",
    ...options,
  })
  ends.push(server.close)
  return { ...runtime, server }
}

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }

/** As an old client would: node:http, no fetch. */
const ask = (url: string, method: string, payload?: unknown): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, resolve)
    outgoing.once("error", reject)
    outgoing.end(payload === undefined ? undefined : JSON.stringify(payload))
  })
const json = async (incoming: IncomingMessage): Promise<any> =>
  JSON.parse((await incoming.setEncoding("utf8").toArray()).join(""))
const framesOf = (incoming: IncomingMessage) =>
  readFrames(Readable.toWeb(incoming) as ReadableStream<Uint8Array>)

test("a plain node:http client creates, prompts, follows and reads", async () => {
  const { server } = await open()
  const created = await ask(`${server.url}/api/session`, "POST", {})
  expect(created.statusCode).toBe(201)
  const { id } = await json(created)
  const events = await ask(`${server.url}/api/session/${id}/event`, "GET")
  expect([events.statusCode, events.headers["content-type"]]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ])
  const frames = framesOf(events)
  await ask(`${server.url}/api/session/${id}/prompt`, "POST", { text: "Hello" })
  const types: string[] = []
  while (types.at(-1) !== "turn.settled") {
    const frame = await frames.next()
    if (frame?.event === "durable") types.push(frame.data.fact.type)
  }
  expect(types[0]).toBe("session.created")
  await frames.cancel()
  const result = await json(await ask(`${server.url}/api/session/${id}/wait`, "GET"))
  expect(result).toMatchObject({ state: "settled", result: { status: "done", text: "Understood." } })
})

test("[EV2] closing ends live streams with disposed and durable ones at once, and lets requests finish", async () => {
  const reached = Deferred.makeUnsafe<void>()
  const released = Deferred.makeUnsafe<void>()
  let held = false
  const { server } = await open({
    gate: (commit) =>
      Effect.gen(function* () {
        if (held) {
          held = false
          yield* Deferred.succeed(reached, undefined)
          yield* Deferred.await(released)
        }
        return commit()
      }),
  })
  const { id } = await json(await ask(`${server.url}/api/session`, "POST", {}))
  const live = framesOf(await ask(`${server.url}/api/event`, "GET"))
  const durable = framesOf(await ask(`${server.url}/api/session/${id}/event?after=1`, "GET"))
  expect((await live.next())?.data).toEqual({ type: "connected" })
  expect((await durable.next())?.comment).toBe("open")
  held = true
  const running = ask(`${server.url}/api/session/${id}/prompt`, "POST", { text: "Hello", resume: false })
  await Effect.runPromise(Deferred.await(reached))

  const closed = server.close()
  expect((await live.next())?.data).toEqual({ type: "disposed" })
  expect([await live.next(), await durable.next()]).toEqual([null, null])
  await expect(ask(`${server.url}/api/health`, "GET")).rejects.toThrow()
  await Effect.runPromise(Deferred.succeed(released, undefined))
  expect(await json(await running)).toMatchObject({ session: id, state: "pending" })
  await closed
})

test("closing does not wait for the idle connections of callers that stay", async () => {
  const { server } = await open({ closeMs: 60_000 })
  const frames = framesOf(await ask(`${server.url}/api/event`, "GET"))
  await frames.next()
  await server.close()
  expect((await frames.next())?.data).toEqual({ type: "disposed" })
})

test("a waiting result is answered when the server closes", async () => {
  const { server } = await open({ beforeAnswer: Effect.never, closeMs: 60_000 })
  const { id } = await json(await ask(`${server.url}/api/session`, "POST", {}))
  await ask(`${server.url}/api/session/${id}/prompt`, "POST", { text: "Hello" })
  const waiting = ask(`${server.url}/api/session/${id}/wait`, "GET")
  const events = framesOf(await ask(`${server.url}/api/session/${id}/event`, "GET"))
  for (let frame = await events.next(); frame?.data?.fact.type !== "turn.started";)
    frame = await events.next()
  await server.close()
  expect(await json(await waiting)).toEqual({ state: "running" })
})

test("[EV2] a socket that is not read holds back its own stream and no memory", async () => {
  const { server, runtime } = await open()
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
  socket.pause()
  await new Promise<void>((resolve) =>
    socket.write(`GET /api/event HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`, () =>
      resolve(),
    ),
  )
  const reading = framesOf(await ask(`${server.url}/api/event`, "GET"))
  await reading.next()
  const long = "x".repeat(10_000)
  const before = process.memoryUsage().arrayBuffers
  for (let at = 0; at < 20_000; at++) {
    runtime.live.publish({
      session: "ses_1" as never,
      type: "output-delta",
      call: "call_1" as never,
      text: long,
    })
    if (at % 50 === 0) await reading.next()
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1_048_576)
  await reading.cancel()
  socket.destroy()
})

test("what a caller can hold open has a limit, by name", () =>
  expect(listenLimits).toEqual({
    connectionsMax: 2_048,
    headersBytesMax: 16_384,
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 60_000,
    lookMs: 5_000,
    keepAliveMs: 5_000,
    silenceMs: 90_000,
    closeMs: 2_000,
  }))

const head = `POST /api/session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`

test.each([
  ["headers", head],
  ["a payload", `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"title":`],
])("a caller that never finishes %s is sent away", async (_, bytes) => {
  const { server } = await open({
    limits: { headersTimeoutMs: 20, requestTimeoutMs: 40, lookMs: 10 },
  })
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => socket.write(bytes))
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /)
})

test("[AU1] listens on the loopback of IPv6 and answers to its name", async (context) => {
  if (!(await hasIpv6())) return context.skip()
  const { server } = await open({ host: "::1" })
  expect(server.url).toMatch(/^http:\/\/\[::1\]:[0-9]+$/)
  expect((await ask(`${server.url}/api/health`, "GET")).statusCode).toBe(200)
})

const hasIpv6 = (): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer((socket: Socket) => socket.destroy())
    probe.once("error", () => resolve(false))
    probe.listen(0, "::1", () => probe.close(() => resolve(true)))
  })

test("a port that is taken leaves nothing behind", async () => {
  const { server, runtime, directory } = await open()
  const port = Number(new URL(server.url).port)
  const again = serve(runtime, { token, defaultDirectory: directory, version: "1", port })
  await expect(again).rejects.toMatchObject({ code: "EADDRINUSE" })
  const free = await listen(() => Promise.resolve(HttpServerResponse.text("ok")))
  await free.close()
})
