/** What only a network can do to a client: cut it off, fall silent, come back as another server. */
import { describe, expect, test, vi } from "vitest"
import { makePlace, token } from "../../sdk/test/place.ts"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import {
  ClientError,
  type Event,
  follow,
  type HoldfastClient,
  isFailure,
  makeClient,
  type SessionDeleted,
  settled,
} from "../src/index.ts"

test("[EV3] a server started anew is found again: events go on by sequence, settled waits on", async () => {
  let asked = () => {}
  const reached = new Promise<void>((resolve) => (asked = resolve))
  const model = scripted(() => {
    asked()
    return { ...textReply("Done."), firstByteMs: 60_000 }
  })
  await using place = await makePlace(model)
  const first = await place.serve()
  const port = Number(new URL(first.url).port)
  const client = makeClient({ baseUrl: first.url, token })
  const { sessions } = client
  const { id: sessionID } = await sessions.create()
  const seen: (Event | SessionDeleted)[] = []
  const following = (async () => {
    for await (const event of follow(client, { sessionID })) {
      seen.push(event)
      if (event.fact.type === "prompt.cancelled") return
    }
  })()
  await sessions.prompt({ sessionID, text: "Wait." })
  await reached
  const result = settled(client, { sessionID })
  await first.close()
  const second = await place.serve(port)
  expect(await result).toMatchObject({ status: "interrupted", reason: { code: "process_ended" } })
  await sessions.prompt({ sessionID, text: "Never mind.", id: "last", resume: false })
  await sessions.cancel({ sessionID, promptID: "last" })
  await following
  expect(seen.map((event) => "seq" in event && event.seq)).toEqual(seen.map((_, at) => at + 1))
  expect(seen).toEqual((await sessions.history({ sessionID })).items)
  await second.close()
})

test("[AU1] a wrong token is told, and shown nowhere", async () => {
  await using place = await makePlace()
  const served = await place.serve()
  const client = makeClient({ baseUrl: served.url, token: "wrong-token" })
  const failure = await client.sessions.list().catch((caught: unknown) => caught)
  expect(isFailure(failure, "Unauthorized")).toBe(true)
  expect(JSON.stringify(failure) + String(failure)).not.toContain("wrong-token")
  await served.close()
})

const event = (seq: number): Event => ({
  session: "ses_1",
  seq,
  time: 0,
  fact: { type: "session.interrupted" },
})
const broken = new ClientError({ kind: "transport" }, "cut")

/** A client whose streams of events are these. */
const clientOf = (open: (after: number) => AsyncIterable<Event>) =>
  ({ sessions: { events: ({ after = 0 }) => open(after) } }) as unknown as HoldfastClient

describe("follow", () => {
  const collect = async (open: (after: number) => AsyncIterable<Event>, count: number, attemptsMax = 10) => {
    const seen: number[] = []
    const events = follow(clientOf(open), { sessionID: "ses_1" }, { waitMs: () => 0, attemptsMax })
    for await (const item of events) if ("seq" in item && seen.push(item.seq) >= count) break
    return seen
  }

  test("[EV3] reopens after the last sequence, and tells nothing twice", async () => {
    const asked: number[] = []
    const open = async function* (after: number) {
      asked.push(after)
      // One event again that was seen, as a careless server might send.
      for (let seq = Math.max(1, after); seq < after + 3; seq++) yield event(seq)
      if (asked.length % 2 === 0) throw broken
    }
    expect(await collect(open, 9)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(asked.slice(0, 3)).toEqual([0, 2, 4])
  })

  test("[EV3] gives up after so many attempts without an event, with the last cause", async () => {
    let attempts = 0
    const open = async function* () {
      attempts++
      yield* [] as Event[]
      throw broken
    }
    await expect(collect(open, 1, 4)).rejects.toBe(broken)
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
    const seen = await collect(open, 30, 3)
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => at + 1))
    expect(opened).toBe(60)
  })

  test("[EV3 EV4] a failure of the contract ends it at once", async () => {
    const gone = { _tag: "SessionNotFound", message: "" }
    let attempts = 0
    const open = async function* () {
      attempts++
      yield* [] as Event[]
      throw gone
    }
    await expect(collect(open, 1)).rejects.toBe(gone)
    expect(attempts).toBe(1)
  })
})

describe("a stream that the server holds open", () => {
  const comment = new TextEncoder().encode(": heartbeat\n\n")
  const frame = (seq: number) =>
    new TextEncoder().encode(`event: durable\ndata: ${JSON.stringify(event(seq))}\n\n`)

  /** A client whose server is this test: what it is sent, and how often it has asked. */
  function held() {
    let push: (bytes: Uint8Array) => void = () => {}
    let asked = 0
    const fetch = async (_: string | URL | Request, init?: RequestInit) => {
      asked++
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          push = (bytes) => controller.enqueue(bytes)
          init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason))
        },
      })
      return new Response(body, { headers: { "content-type": "text/event-stream" } })
    }
    const client = makeClient({ baseUrl: "http://127.0.0.1:1", fetch })
    return { client, push: (bytes: Uint8Array) => push(bytes), asked: () => asked }
  }

  test("[CL3 EV3] lasts as long as a byte comes within a minute, and is opened anew after a longer silence", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const { client, push, asked } = held()
      const events = follow(client, { sessionID: "ses_1" })[Symbol.asyncIterator]()
      const first = events.next()
      for (let beat = 0; beat < 10; beat++) {
        await vi.advanceTimersByTimeAsync(59_000)
        push(comment)
        await vi.advanceTimersByTimeAsync(1)
      }
      push(frame(1))
      expect((await first).value).toMatchObject({ seq: 1 })
      expect(asked()).toBe(1)
      const second = events.next()
      await vi.advanceTimersByTimeAsync(61_000)
      await vi.waitFor(() => expect(asked()).toBe(2))
      push(frame(2))
      expect((await second).value).toMatchObject({ seq: 2 })
      await events.return?.()
    } finally {
      vi.useRealTimers()
    }
  })

  test("[CL3] return ends a next that waits, and closes the request", async () => {
    const { client, push } = held()
    const events = client.sessions.events({ sessionID: "ses_1" })[Symbol.asyncIterator]()
    const first = events.next()
    push(frame(1))
    await first
    const waiting = events.next()
    await events.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
  })
})
