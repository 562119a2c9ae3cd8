/** The handler on a loopback port: what only a socket can show. */
import { type IncomingMessage, request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { afterEach, beforeEach, expect, test } from "vitest"
import { listen, type Listening } from "../src/index.ts"
import { buildRequest, openSurface, readAnswer, type Surface, token, type Call } from "./surface.ts"

let surface: Surface
let server: Listening
beforeEach(async () => {
  surface = await openSurface()
  server = await listen(surface.answer)
})
afterEach(async () => {
  await server.close()
  await surface.close()
})

const call = async (path: string, options: Call = {}) =>
  readAnswer(await fetch(buildRequest(server.url, path, options)))

/** Sends bytes as they are and returns all that comes back. */
const exchange = (bytes: string): Promise<string> => {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () => socket.write(bytes))
  return text(socket)
}

test("[AU1] listens on loopback, on a port of its own choice", () =>
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+$/))

test("[CO1] answers over the network as it does in memory", async () => {
  const created = await call("/api/session", { method: "POST", payload: { title: "Ünïcode 💡" } })
  expect(created.status).toBe(201)
  const path = `/api/session/${created.json.id}`
  const calls: readonly (readonly [string, Call?])[] = [
    [path],
    ["/api/session"],
    ["/api/health"],
    ["/openapi.json"],
    [`${path}/history?limit=1`],
    ["/api/session/x"],
    ["/api/session?limit=0"],
    ["/nothing"],
    ["/api/health", { headers: { authorization: null } }],
    ["/api/health", { headers: { origin: "https://evil.example" } }],
    [`${path}/prompt`, { method: "POST", payload: { text: "" } }],
    [`${path}/resume`, { method: "POST" }],
    [`${path}/interrupt`, { method: "POST" }],
    ["/api/health", { method: "HEAD" }],
  ]
  for (const [target, options] of calls) {
    const near = await surface.call(target, options)
    const far = await call(target, options)
    expect([target, far.status, far.text]).toEqual([target, near.status, near.text])
    expect(far.headers.get("content-type")).toBe(near.headers.get("content-type"))
  }
})

test("takes a payload of the limit, and refuses a longer one on an open connection", async () => {
  const { id } = (await call("/api/session", { method: "POST", payload: {} })).json
  const raw = (length: number) => `{"text":"${"a".repeat(length)}"}`
  const prompt = { method: "POST", raw: raw(1_048_576) }
  expect((await call(`/api/session/${id}/prompt`, prompt)).status).toBe(200)
  const edit = { method: "PATCH", raw: raw(2_097_152) }
  const longer = await call(`/api/session/${id}/inbox/none`, edit)
  expect(longer.json).toMatchObject({ _tag: "RequestTooLarge" })
})

test("[CO1] a payload of exactly the limit is read off a socket", async () => {
  const { id } = (await call("/api/session", { method: "POST", payload: {} })).json
  const raw = `{"text":"${"a".repeat(2_097_152 - 11)}"}`
  const answer = await call(`/api/session/${id}/inbox/none`, { method: "PATCH", raw })
  expect([raw.length, answer.json]).toMatchObject([2_097_152, { _tag: "PromptRefused", code: "too_long" }])
})

test("[CO1] counts a payload of unknown length as it comes, and does not read it to its end", async () => {
  const outgoing = request(`${server.url}/api/session`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve)
    outgoing.once("error", reject)
  })
  for (let i = 0; i < 33; i++) outgoing.write("a".repeat(65_536))
  const { statusCode, headers } = await answered
  expect([statusCode, headers.connection]).toEqual([413, "close"])
  outgoing.destroy()
})

test("refuses a payload that is not UTF-8, and stores nothing of it", async () => {
  const raw = Buffer.concat([Buffer.from('{"title":"caf'), Buffer.from([0xe9]), Buffer.from('"}')])
  const refused = await call("/api/session", { method: "POST", raw })
  expect([refused.status, refused.json]).toMatchObject([400, { _tag: "InvalidRequest", part: "payload" }])
  expect((await call("/api/session")).json.items).toEqual([])
})

test("[AU1] refuses a request without Host, and one that names two", async () => {
  const authorization = `Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  expect(await exchange(`GET /api/health HTTP/1.1\r\n${authorization}`)).toMatch(/^HTTP\/1\.1 403 /)
  const twice = "Host: localhost\r\nHost: evil.example\r\n"
  expect(await exchange(`GET /api/health HTTP/1.1\r\n${twice}${authorization}`)).toMatch(
    /^HTTP\/1\.1 40[03] /,
  )
})

test("[CO1] HEAD of a stream is answered at once, and the connection goes on", async () => {
  const rest = `Host: localhost\r\nAuthorization: Bearer ${token}\r\n`
  const head = `HEAD /api/event HTTP/1.1\r\n${rest}\r\n`
  const answers = await exchange(`${head}GET /api/health HTTP/1.1\r\n${rest}Connection: close\r\n\r\n`)
  expect(answers.match(/^HTTP\/1\.1 200 /gm)).toHaveLength(2)
  expect(answers).not.toContain("event: live")
  expect(surface.runtime.live.load().readers).toBe(0)
})

const failureIn = (answer: string): unknown => JSON.parse(answer.split("\r\n\r\n")[1] ?? "")

test("[CO1] a head that is too long, and what is no HTTP, are told as every other failure", async () => {
  const long = await exchange(`GET /api/health HTTP/1.1\r\nX-Long: ${"a".repeat(100_000)}\r\n\r\n`)
  expect(long).toMatch(
    /^HTTP\/1\.1 431 Request Header Fields Too Large\r\ncontent-type: application\/json\r\n/,
  )
  expect(failureIn(long)).toEqual({
    _tag: "RequestHeadTooLarge",
    bytesMax: 16_384,
    message: "The address and the headers of a request hold at most 16384 bytes. Send less in them.",
  })
  const foreign = await exchange("SSH-2.0-OpenSSH_9.9\r\n\r\n")
  expect(foreign).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(failureIn(foreign)).toEqual({
    _tag: "InvalidRequest",
    part: "headers",
    message: "This is no request that can be read. Send HTTP/1.1.",
  })
})

test.each([
  ["head", "GET /api/health HTTP/1.1\r\nHost: local"],
  ["payload", `POST /api/session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`],
])("[CO1] a %s that does not come in time is told", async (part, head) => {
  const limits = { headersTimeoutMs: 100, requestTimeoutMs: 200, lookMs: 20 }
  await server.close()
  server = await listen(surface.answer, { limits })
  const bytes = part === "head" ? head : `${head}Content-Length: 100\r\n\r\n{"title":`
  const answer = await exchange(bytes)
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  expect(failureIn(answer)).toEqual({
    _tag: "RequestTimedOut",
    message:
      "The request was not there in time. Send its headers within 100 milliseconds and all of it within 200.",
  })
})

test("[CO1] an answer that has begun is cut, and no second one follows it", async () => {
  const rest = `Host: localhost\r\nAuthorization: Bearer ${token}\r\n`
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1", () =>
    socket.write(`GET /api/event HTTP/1.1\r\n${rest}\r\n`),
  )
  socket.once("data", () => socket.write("No HTTP at all\r\n\r\n"))
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).not.toContain("HTTP/1.1 400")
})

test("a target that is no path is an unknown route", async () => {
  const rest = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  for (const target of ["http://evil.example/api/health", "*", "//evil.example/api/health"]) {
    const answer = await exchange(`OPTIONS ${target} HTTP/1.1\r\n${rest}`)
    expect([target, answer.slice(0, 12)]).toEqual([target, "HTTP/1.1 404"])
  }
})

test("a caller that hangs up ends its request", async () => {
  let aborted: (() => void) | undefined
  const gone = new Promise<void>((resolve) => (aborted = resolve))
  let asked: (() => void) | undefined
  const reached = new Promise<void>((resolve) => (asked = resolve))
  const waiting = await listen(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => {
          aborted?.()
          reject(signal.reason)
        })
        asked?.()
      }),
  )
  const caller = new AbortController()
  const answer = fetch(waiting.url, { signal: caller.signal })
  await reached
  caller.abort()
  await expect(answer).rejects.toThrow()
  await gone
  await waiting.close()
})

test("an answer without known length keeps the pace of its reader, and ends with it", async () => {
  let cancelled: (() => void) | undefined
  const ended = new Promise<void>((resolve) => (cancelled = resolve))
  let pulls = 0
  const chunk = Effect.sync(() => {
    pulls++
    return new Uint8Array(65_536)
  })
  const body = Stream.ensuring(
    Stream.fromEffectRepeat(chunk),
    Effect.sync(() => cancelled?.()),
  )
  const endless = await listen(() => Promise.resolve(HttpServerResponse.stream(body)))
  const response = await fetch(endless.url)
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await ended
  expect(pulls).toBeLessThan(1_000)
  await endless.close()
})

test("closing refuses new callers and cuts those that wait", async () => {
  let asked: (() => void) | undefined
  const reached = new Promise<void>((resolve) => (asked = resolve))
  const handler = () => {
    asked?.()
    return new Promise<HttpServerResponse.HttpServerResponse>(() => {})
  }
  const stuck = await listen(handler, { closeMs: 0 })
  const outcome = expect(fetch(stuck.url)).rejects.toThrow()
  await reached
  await Promise.all([stuck.close(), outcome])
  await expect(fetch(stuck.url)).rejects.toThrow()
})

test("a payload that breaks off changes nothing and harms nobody else", async () => {
  const head = `POST /api/session HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1")
  const sent = new Promise<void>((resolve) =>
    socket.write(`${head}Content-Length: 100\r\n\r\n{"title":`, () => resolve()),
  )
  await sent
  const closed = new Promise((resolve) => socket.once("close", resolve))
  socket.destroy()
  await closed
  expect((await call("/api/session")).json.items).toEqual([])
})

test("a port that is taken is told", async () => {
  const port = Number(new URL(server.url).port)
  await expect(listen(surface.answer, { port })).rejects.toMatchObject({ code: "EADDRINUSE" })
})
