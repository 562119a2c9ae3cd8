/** The Promise client, against the real handler and against servers that misbehave. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, test, vi } from "vitest"
import { openSurface, type Surface, token } from "../../server/test/surface.ts"
import {
  follow,
  type HoldfastClient,
  isClientError,
  isInvalidRequest,
  isSessionNotFound,
  makeClient,
} from "../src/index.ts"

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

const baseUrl = "http://localhost:4096"

async function open(): Promise<{ readonly surface: Surface; readonly client: HoldfastClient }> {
  const surface = await openSurface()
  opened.push(surface)
  const fetch = (address: string | URL | Request, init?: RequestInit) =>
    surface.handler(new Request(address, init))
  return { surface, client: makeClient({ baseUrl, token, fetch }) }
}

/** A client of a server that answers as it likes. */
async function against(listener: RequestListener): Promise<HoldfastClient> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  opened.push({
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  })
  return makeClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (cause) => cause,
  )

describe("[CL1] making a client", () => {
  test("asks for nothing, and streams ask at the first item", async () => {
    let requests = 0
    const fetch = () => {
      requests += 1
      return Promise.resolve(new Response("", { headers: { "content-type": "text/event-stream" } }))
    }
    const client = makeClient({ baseUrl, fetch })
    const stream = client.events.subscribe()
    expect(requests).toBe(0)
    await stream[Symbol.asyncIterator]().next()
    expect(requests).toBe(1)
  })

  test("sends its headers with every call, and those of the call win", async () => {
    const seen: Record<string, string | null>[] = []
    const fetch = (_: string | URL | Request, init?: RequestInit) => {
      const headers = new Headers(init?.headers)
      seen.push({ a: headers.get("a"), b: headers.get("b"), authorization: headers.get("authorization") })
      return Promise.resolve(Response.json({ healthy: true }))
    }
    const client = makeClient({ baseUrl, token: "t", headers: { a: "1", b: "1" }, fetch })
    await client.health.get({ headers: { b: "2" } })
    expect(seen).toEqual([{ a: "1", b: "2", authorization: "Bearer t" }])
  })

  test("keeps the path of a server that does not stand at the root", async () => {
    let asked = ""
    const fetch = (address: string | URL | Request) => {
      asked = String(address)
      return Promise.resolve(Response.json({}))
    }
    await makeClient({ baseUrl: "https://example.test/holdfast/", fetch }).sessions.get({ sessionID: "a/b" })
    expect(asked).toBe("https://example.test/holdfast/api/session/a%2Fb")
  })
})

describe("[CL2] methods", () => {
  test("[CL4] give values as they are on the wire, unwrapped", async () => {
    const { client } = await open()
    const session = await client.sessions.create({ title: "Mend the roof" })
    expect(session).toMatchObject({ title: "Mend the roof", seq: 1 })
    const page = await client.sessions.list({ limit: 1 })
    expect(page.items.map(({ id }) => id)).toEqual([session.id])
    expect(await client.sessions.delete({ sessionID: session.id })).toBeUndefined()
  })

  test("reject with the failure as it was sent, a plain object that its guard knows", async () => {
    const { client } = await open()
    const failure = await caught(client.sessions.get({ sessionID: "ses_00000000000000000000000000" }))
    expect(isSessionNotFound(failure)).toBe(true)
    expect(Object.getPrototypeOf(failure)).toBe(Object.prototype)
    expect(isSessionNotFound(structuredClone(failure))).toBe(true)
  })

  test("[CO3] send a misspelt field, so that it is refused", async () => {
    const { client } = await open()
    const create = client.sessions.create as (input: object) => Promise<unknown>
    expect(isInvalidRequest(await caught(create({ titel: "Roof" })))).toBe(true)
    const list = client.sessions.list as (input: object) => Promise<unknown>
    expect(isInvalidRequest(await caught(list({ limt: 3 })))).toBe(true)
  })

  test.each<[string, RequestListener, object]>([
    ["a server that hangs up", (request) => request.socket.destroy(), { kind: "transport" }],
    [
      "a status that means nothing",
      (_, response) => response.writeHead(502).end("bad gateway"),
      { kind: "status", status: 502, body: "bad gateway" },
    ],
    [
      "a failure of a tag that the contract does not know",
      (_, response) => response.writeHead(500).end('{"_tag":"NotOurs"}'),
      { kind: "status", status: 500, body: '{"_tag":"NotOurs"}' },
    ],
    [
      "another type",
      (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      { kind: "content-type", contentType: "text/html" },
    ],
    [
      "an answer that is no JSON",
      (_, response) => response.writeHead(200, { "content-type": "application/json" }).end("{"),
      { kind: "malformed" },
    ],
  ])("reject with a ClientError: %s", async (_, listener, reason) => {
    const failure = await caught((await against(listener)).health.get())
    expect(isClientError(failure) && failure.reason).toEqual(reason)
  })

  test("[CL5] a signal that is aborted already lets a call begin nothing, whatever stands in for fetch", async () => {
    let requests = 0
    const fetch = () => {
      requests += 1
      return Promise.resolve(Response.json({}))
    }
    const call = makeClient({ baseUrl, fetch }).sessions.create({}, { signal: AbortSignal.abort() })
    const failure = await caught(call)
    expect([isClientError(failure) && failure.reason.kind, requests]).toEqual(["transport", 0])
  })

  test("[CL5] a call that is over leaves no timer behind, whatever came of it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const answers = [() => Response.json({}), () => Response.error()]
      for (const answer of answers) {
        const client = makeClient({ baseUrl, fetch: () => Promise.resolve(answer()) })
        await caught(client.health.get())
      }
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test("[CL5] a signal ends a call", async () => {
    const stop = new AbortController()
    const client = await against(() => stop.abort())
    const failure = await caught(client.health.get({ signal: stop.signal }))
    expect(isClientError(failure) && failure.reason.kind).toBe("transport")
  })
})

describe("[CL3] streams", () => {
  const item = (seq: number) => `id: ${seq}\nevent: durable\ndata: {"seq":${seq}}\n\n`
  const events = { "content-type": "text/event-stream" }

  test("give parsed events, and stop reading closes the request", async () => {
    let closed = () => {}
    const hungUp = new Promise<void>((resolve) => (closed = resolve))
    const client = await against((_, response) => {
      response.on("close", closed)
      response.writeHead(200, events).write(item(1) + item(2))
    })
    const seen: number[] = []
    for await (const event of client.sessions.events({ sessionID: "s" })) {
      if ("seq" in event) seen.push(event.seq)
      if (seen.length === 2) break
    }
    expect(seen).toEqual([1, 2])
    await hungUp
  })

  test("[CL5] one that brings something else than JSON fails, and closes the request", async () => {
    let closed = () => {}
    const hungUp = new Promise<void>((resolve) => (closed = resolve))
    const client = await against((_, response) => {
      response.on("close", closed)
      response.writeHead(200, events).write("event: durable\ndata: no JSON\n\n")
    })
    const failure = await caught(client.sessions.events({ sessionID: "s" })[Symbol.asyncIterator]().next())
    expect(isClientError(failure) && failure.reason.kind).toBe("malformed")
    await hungUp
  })

  test("fail where the connection breaks off, and do not connect anew", async () => {
    let requests = 0
    const client = await against((_, response) => {
      requests += 1
      response.writeHead(200, events).write(item(1), () => response.destroy())
    })
    const read = async () => {
      for await (const _ of client.sessions.events({ sessionID: "s" }));
    }
    const failure = await caught(read())
    expect(isClientError(failure) && failure.reason.kind).toBe("transport")
    expect(requests).toBe(1)
  })

  test("[EV3] follow goes on after the last sequence that was seen", async () => {
    const asked: string[] = []
    const client = await against((request, response) => {
      const after = Number(new URL(String(request.url), baseUrl).searchParams.get("after"))
      asked.push(String(after))
      response.writeHead(200, events).write(item(after + 1) + item(after + 2), () => response.destroy())
    })
    const seen: number[] = []
    for await (const event of follow(client, { sessionID: "s" }, { waitMs: () => 0 })) {
      if ("seq" in event) seen.push(event.seq)
      if (seen.length === 6) break
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6])
    expect(asked).toEqual(["0", "2", "4"])
  })

  test("[EV4] an unknown Session fails before the first event", async () => {
    const { client } = await open()
    const stream = client.sessions.events({ sessionID: "ses_00000000000000000000000000" })
    expect(isSessionNotFound(await caught(stream[Symbol.asyncIterator]().next()))).toBe(true)
  })
})
