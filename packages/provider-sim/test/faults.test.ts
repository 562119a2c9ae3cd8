/** Faults: each one as bytes, and again over a real socket. */
import { connect } from "node:net"
import { afterEach, expect, test } from "vitest"
import { createProviderSim, faulty, listen, scripted, textReply } from "../src/index.ts"
import type { Fault, ListeningSim, Reply, SimResponse } from "../src/index.ts"
import { body, errorOf, eventsOf, headers, post, textOf } from "./requests.ts"

const text = "abcdefgh"
const reply = (fault: Fault): Reply => ({ ...faulty(fault, text), chunkChars: 2 })

function respond(fault: Fault, stream = true): SimResponse {
  return createProviderSim({ models: { plain: scripted(() => reply(fault)) } }).respond(
    post(body({ stream })),
    1_000,
  )
}

const errors: readonly (readonly [Fault, number, string, string])[] = [
  [{ kind: "overloaded" }, 529, "overloaded_error", "Overloaded"],
  [{ kind: "server-error" }, 500, "api_error", "Internal server error"],
  [{ kind: "unauthorized" }, 401, "authentication_error", "invalid x-api-key"],
  [
    { kind: "overflow", tokens: 300, tokensMax: 200 },
    400,
    "invalid_request_error",
    "prompt is too long: 300 tokens > 200 maximum",
  ],
  [{ kind: "overflow" }, 400, "invalid_request_error", "prompt is too long: 200001 tokens > 200000 maximum"],
  [
    { kind: "refused", status: 403, type: "permission_error", message: "No." },
    403,
    "permission_error",
    "No.",
  ],
]

test.each(errors)("answers %o with its status and body", (fault, status, type, message) => {
  const response = respond(fault)
  expect(response.status).toBe(status)
  expect(errorOf(response)).toEqual({ type: "error", error: { type, message }, request_id: "req_000001" })
})

test("says when to come back, in seconds or as a date", () => {
  const seconds = respond({ kind: "rate-limited", retryAfter: 7 })
  expect(seconds.status).toBe(429)
  expect(seconds.headers["retry-after"]).toBe("7")
  const date = respond({ kind: "rate-limited", retryAfter: 7, asDate: true })
  expect(date.headers["retry-after"]).toBe("Thu, 01 Jan 1970 00:00:08 GMT")
  expect(respond({ kind: "rate-limited" }).headers["retry-after"]).toBeUndefined()
})

test("stalls before the first byte or after some deltas", () => {
  expect(textOf(respond({ kind: "stall" }))).toBe("[stall]")
  const late = textOf(respond({ kind: "stall", afterDeltas: 2 }))
  expect(late.endsWith("[stall]")).toBe(true)
  expect(late.match(/text_delta/g)).toHaveLength(2)
})

test("cuts in the middle of an event", () => {
  const cut = textOf(respond({ kind: "cut", afterDeltas: 3 }))
  expect(cut).toMatch(/\n\nevent: content_block_delta\ndata: [^\n]+\[cut\]$/)
  expect(cut.match(/content_block_delta\ndata/g)).toHaveLength(4)
  expect(textOf(respond({ kind: "cut", afterDeltas: 99 }))).toMatch(
    /event: message_delta[^\n]*\n[^\n]*\[cut\]$/,
  )
})

test("breaks one event and sends the rest", () => {
  const broken = textOf(respond({ kind: "malformed-json", afterDeltas: 1 }))
  expect(() => eventsOf(broken)).toThrow(SyntaxError)
  expect(broken).toContain("event: message_stop")
})

test("sends a delta before its block", () => {
  const types = eventsOf(textOf(respond({ kind: "wrong-order" }))).map((event) => event.type)
  expect(types.indexOf("content_block_delta")).toBeLessThan(types.indexOf("content_block_start"))
})

test("ends a stream with an error event or without an end", () => {
  const failed = eventsOf(textOf(respond({ kind: "error-event", afterDeltas: 1 })))
  expect(failed.at(-1)).toMatchObject({ type: "error", error: { type: "overloaded_error" } })
  const open = eventsOf(textOf(respond({ kind: "no-stop" })))
  expect(open.at(-1)?.type).toBe("message_delta")
})

test("answers with pages where JSON is expected", () => {
  expect(respond({ kind: "html" })).toMatchObject({
    status: 200,
    headers: { "content-type": "text/html; charset=utf-8" },
  })
  expect(() => errorOf(respond({ kind: "error-not-json" }))).toThrow(SyntaxError)
  expect(respond({ kind: "error-not-json", status: 503 }).status).toBe(503)
})

test.each(["endless-deltas", "endless-garbage"] as const)("goes on for ever with %s", (kind) => {
  let bytes = 0
  for (const frame of respond({ kind }).frames) {
    expect(frame.kind).toBe("bytes")
    if (frame.kind === "bytes") bytes += frame.bytes.length
    if (bytes > 1_000_000) break
  }
  expect(bytes).toBeGreaterThan(1_000_000)
})

test("breaks whole answers too", () => {
  expect(textOf(respond({ kind: "stall" }, false))).toBe("[stall]")
  expect(textOf(respond({ kind: "cut" }, false))).toMatch(/^\{"model"[^\n]+\[cut\]$/)
  expect(() => errorOf(respond({ kind: "malformed-json" }, false))).toThrow(SyntaxError)
})

let server: ListeningSim | undefined
afterEach(() => server?.close())

async function request(model: Reply): Promise<Response> {
  server = await listen(createProviderSim({ models: { plain: scripted(() => model) } }))
  return fetch(`${server.url}/v1/messages`, {
    method: "POST",
    headers,
    body: JSON.stringify(body({ stream: true })),
  })
}

/** What arrives until the body ends or breaks. */
async function drain(response: Response): Promise<{ readonly text: string; readonly broken: boolean }> {
  let read = ""
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) read += decoder.decode(chunk, { stream: true })
  } catch {
    return { text: read, broken: true }
  }
  return { text: read, broken: false }
}

test("serves the same bytes over a socket as without one", async () => {
  const answer = { ...textReply("Grüße 😀"), chunkChars: 3, delayMs: 2, firstByteMs: 5, bytesPerWrite: 7 }
  const response = await request(answer)
  expect(response.headers.get("request-id")).toBe("req_000001")
  const direct = createProviderSim({ models: { plain: scripted(() => answer) } })
  expect(await response.text()).toBe(textOf(direct.respond(post(body({ stream: true })), 0)))
})

test("cuts a socket after every byte before the cut has arrived", async () => {
  const { text: read, broken } = await drain(await request(reply({ kind: "cut", afterDeltas: 2 })))
  expect(broken).toBe(true)
  expect(`${read}[cut]`).toBe(textOf(respond({ kind: "cut", afterDeltas: 2 })))
})

test("keeps a stalled socket open until the client leaves", async () => {
  const replies = [reply({ kind: "stall", afterDeltas: 1 }), textReply("Second.")]
  server = await listen(createProviderSim({ models: { plain: scripted(replies) } }))
  const leave = new AbortController()
  const send = (more: RequestInit) =>
    fetch(`${server?.url}/v1/messages`, {
      method: "POST",
      headers,
      body: JSON.stringify(body({ stream: true })),
      ...more,
    })
  const reader = (await send({ signal: leave.signal })).body?.getReader()
  let read = ""
  while (!read.includes("text_delta")) read += new TextDecoder().decode((await reader?.read())?.value)
  let settled = false
  const next = reader?.read().then(
    () => "more",
    () => "left",
  )
  void next?.then(() => (settled = true))
  // A whole second exchange passes and the first one still waits.
  expect(await (await send({})).text()).toContain("Second.")
  expect(settled).toBe(false)
  leave.abort()
  expect(await next).toBe("left")
})

test("stops an endless stream when the client leaves", async () => {
  const response = await request({ ...faulty({ kind: "endless-garbage" }), delayMs: 1 })
  const reader = response.body?.getReader()
  for (let count = 0; count < 5; count++) await reader?.read()
  await reader?.cancel()
  await server?.close()
})

test("closes while a response is stalled", async () => {
  const draining = drain(await request(reply({ kind: "stall" })))
  await server?.close()
  expect(await draining).toEqual({ text: "", broken: true })
})

test("serves several requests on one connection", async () => {
  server = await listen(createProviderSim({ models: { plain: scripted(() => textReply("Hi.")) } }))
  const payload = JSON.stringify(body())
  const lines = Object.entries({ host: "sim", ...headers, "content-length": payload.length })
  const raw = `POST /v1/messages HTTP/1.1\r\n${lines.map(([key, value]) => `${key}: ${value}\r\n`).join("")}\r\n${payload}`
  const socket = connect(server.port, "127.0.0.1")
  let read = ""
  let sent = 1
  socket.write(raw)
  for await (const chunk of socket) {
    read += String(chunk)
    const answers = read.match(/"stop_reason":"end_turn"/g)?.length ?? 0
    if (answers === 3) break
    if (answers === sent) {
      sent += 1
      socket.write(raw)
    }
  }
  expect(read.match(/HTTP\/1.1 200 OK/g)).toHaveLength(3)
})
