/** What only a network can do to a client: refuse it, cut it off, come back elsewhere. */
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { HttpApi } from "effect/http-api"
import * as fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import type { DurableStreamEvent } from "@holdfast/schema/event"
import { HoldfastApi } from "../../protocol/src/index.ts"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { ClientError, connectHoldfast, followEvents, isFailure } from "../src/index.ts"
import { routes } from "../src/network/routes.ts"
import { makeSseParser } from "../src/network/sse.ts"
import { makePlace, token } from "./place.ts"

test("[CO5] the client's table of routes is the contract", () => {
  const found: Record<string, readonly string[]> = {}
  HttpApi.reflect(HoldfastApi, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint }) => {
      found[`${group.identifier}.${endpoint.identifier}`] = [endpoint.method, endpoint.path]
    },
  })
  expect(routes).toEqual(found)
})

test("a server started anew is found again: events go on by sequence, result waits on", async () => {
  let asked = () => {}
  const reached = new Promise<void>((resolve) => (asked = resolve))
  const model = scripted(() => {
    asked()
    return { ...textReply("Done."), firstByteMs: 60_000 }
  })
  await using place = await makePlace(model)
  const first = await place.serve()
  const port = Number(new URL(first.url).port)
  await using client = await connectHoldfast({ url: first.url, token })
  const { sessions } = client
  const { id: sessionID } = await sessions.create()
  const seen: DurableStreamEvent[] = []
  const following = (async () => {
    for await (const event of sessions.events({ sessionID })) {
      seen.push(event)
      if (event.fact.type === "prompt.cancelled") return
    }
  })()
  await sessions.prompt({ sessionID, text: "Wait." })
  await reached
  const result = sessions.result({ sessionID })
  await first.close()
  const second = await place.serve(port)
  expect(await result).toMatchObject({ status: "interrupted", reason: { code: "process_ended" } })
  await sessions.prompt({ sessionID, text: "Never mind.", id: "last", resume: false })
  await sessions.cancelPrompt({ sessionID, promptID: "last" })
  await following
  expect(seen.map((event) => "seq" in event && event.seq)).toEqual(seen.map((_, at) => at + 1))
  expect(seen).toEqual((await sessions.history({ sessionID })).items)
  await second.close()
})

/** A server that answers as it is told. */
async function withServer(listener: RequestListener, use: (url: string) => Promise<void>): Promise<void> {
  const server: Server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

describe("what is no answer of the contract is a ClientError", () => {
  const typed = { "content-type": "application/json" }
  const cases: readonly (readonly [reason: string, listener: RequestListener])[] = [
    [
      "unsupported-content-type",
      (_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    ],
    ["malformed-response", (_, answer) => answer.writeHead(200, typed).end("{")],
    ["unexpected-status", (_, answer) => answer.writeHead(502, typed).end("{}")],
    ["transport", (_, answer) => answer.destroy()],
    [
      "transport",
      (_, answer) =>
        void answer.writeHead(200, { ...typed, "content-length": "9" }).write("{", () => answer.destroy()),
    ],
    [
      "malformed-response",
      (_, answer) => answer.writeHead(404, typed).end('{"_tag":"SessionNotFound","message":"x"}'),
    ],
    [
      "refused",
      (_, answer) => answer.writeHead(401, typed).end('{"_tag":"Unauthorized","message":"A token."}'),
    ],
  ]
  test.each(cases)("[CL2] %s", async (reason, listener) => {
    await withServer(listener, async (url) => {
      await using client = await connectHoldfast({ url, token })
      const failure = await client.sessions.get({ sessionID: "ses_1" }).catch((caught: unknown) => caught)
      expect(failure).toBeInstanceOf(ClientError)
      expect(isFailure(failure, "ClientError")).toBe(true)
      expect(failure).toMatchObject({ reason })
    })
  })

  test("[CL2] nobody there", async () => {
    await using client = await connectHoldfast({ url: "http://127.0.0.1:9", token })
    await expect(client.health.get()).rejects.toMatchObject({ _tag: "ClientError", reason: "transport" })
  })

  test("[AU1] a wrong token is told, and shown nowhere", async () => {
    await using place = await makePlace()
    const served = await place.serve()
    await using client = await connectHoldfast({ url: served.url, token: "wrong-token" })
    const failure = await client.sessions.list().catch((caught: unknown) => caught)
    expect(failure).toMatchObject({ reason: "refused", status: 401, failure: "Unauthorized" })
    expect(JSON.stringify(failure) + String(failure)).not.toContain("wrong-token")
    await served.close()
  })
})

const event = (seq: number): DurableStreamEvent => ({
  session: "ses_1" as DurableStreamEvent["session"],
  seq,
  version: 1,
  time: 0,
  fact: { type: "session.interrupted" },
})
const broken = new ClientError("transport", "cut")

describe("followEvents", () => {
  const collect = async (
    events: AsyncIterable<DurableStreamEvent>,
    count: number,
  ): Promise<readonly number[]> => {
    const seen: number[] = []
    for await (const item of events) if ("seq" in item && seen.push(item.seq) >= count) break
    return seen
  }
  const waitMs = () => 0

  test("[EV3] reopens after the last sequence, and tells nothing twice", async () => {
    const asked: number[] = []
    const open = async function* (after: number) {
      asked.push(after)
      // One event again that was seen, as a careless server might send.
      for (let seq = Math.max(1, after); seq < after + 3; seq++) yield event(seq)
      if (asked.length % 2 === 0) throw broken
    }
    expect(await collect(followEvents(open, { waitMs }), 9)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(asked.slice(0, 3)).toEqual([0, 2, 4])
  })

  test("[EV3] gives up after so many attempts without an event, with the last cause", async () => {
    let attempts = 0
    const open = async function* () {
      attempts++
      yield* [] as DurableStreamEvent[]
      throw broken
    }
    await expect(collect(followEvents(open, { waitMs, attemptsMax: 4 }), 1)).rejects.toBe(broken)
    expect(attempts).toBe(4)
  })

  test("[EV3] counts attempts in a row: a stream that brings an event may be cut any number of times", async () => {
    let opened = 0
    const open = async function* (after: number) {
      opened++
      // Every other attempt brings nothing.
      if (opened % 2 === 0) yield event(after + 1)
      throw broken
    }
    const seen = await collect(followEvents(open, { waitMs, attemptsMax: 3 }), 30)
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => at + 1))
    expect(opened).toBe(60)
  })

  test("[EV3 EV4] a failure of the contract ends it at once", async () => {
    const gone = { _tag: "SessionNotFound", message: "" }
    let attempts = 0
    const open = async function* () {
      attempts++
      yield* [] as DurableStreamEvent[]
      throw gone
    }
    await expect(collect(followEvents(open, { waitMs }), 1)).rejects.toBe(gone)
    expect(attempts).toBe(1)
  })
})

describe("a stream that the server holds open", () => {
  const comment = new TextEncoder().encode(": heartbeat\n\n")
  const frame = (seq: number) =>
    new TextEncoder().encode(`event: durable\ndata: ${JSON.stringify(event(seq))}\n\n`)

  /** A client whose server is this test: what it is sent, and how often it has asked. */
  async function makeClient() {
    let push: (bytes: Uint8Array) => void = () => {}
    let asked = 0
    const client = await connectHoldfast({
      url: "http://127.0.0.1:1",
      token,
      fetch: async () => {
        asked++
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            push = (bytes) => controller.enqueue(bytes)
          },
        })
        return new Response(body)
      },
    })
    return { client, push: (bytes: Uint8Array) => push(bytes), asked: () => asked }
  }

  test("[EV3] lasts as long as a byte comes within 45 s, and is opened anew after a longer silence", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const { client, push, asked } = await makeClient()
      const events = client.sessions.events({ sessionID: "ses_1" })[Symbol.asyncIterator]()
      const first = events.next()
      for (let beat = 0; beat < 10; beat++) {
        await vi.advanceTimersByTimeAsync(44_000)
        push(comment)
        await vi.advanceTimersByTimeAsync(1)
      }
      push(frame(1))
      expect((await first).value).toMatchObject({ seq: 1 })
      expect(asked()).toBe(1)
      const second = events.next()
      await vi.advanceTimersByTimeAsync(46_000)
      await vi.waitFor(() => expect(asked()).toBe(2))
      push(frame(2))
      expect((await second).value).toMatchObject({ seq: 2 })
      await events.return?.()
      await client.close()
    } finally {
      vi.useRealTimers()
    }
  })
})

test("frames are the same wherever the bytes are cut", () => {
  const bytes = new TextEncoder().encode(
    ': open\n\nid: 1\nevent: durable\ndata: {"text":"é💡"}\n\r\n: x\n\nid: 2\r\nevent: durable\r\ndata: a\r\ndata: b\r\n\r\nevent: live\ndata\n\n',
  )
  const whole = makeSseParser().push(bytes)
  expect(whole).toEqual([
    { id: "1", event: "durable", data: '{"text":"é💡"}' },
    { id: "2", event: "durable", data: "a\nb" },
    { id: null, event: "live", data: "" },
  ])
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
      const parser = makeSseParser()
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      const frames = places.slice(1).flatMap((end, at) => parser.push(bytes.subarray(places[at], end)))
      expect(frames).toEqual(whole)
    }),
    { seed: 3 },
  )
})
