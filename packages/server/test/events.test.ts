/** Event streams of the contract: durable ones by sequence, live ones as they happen. */
import { join } from "node:path"
import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { makeLiveHub } from "@holdfast/core/session/live"
import type { LiveEvent } from "@holdfast/schema/live"
import type { SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import { durableStream, itemStreamOf, liveStream } from "../src/event-stream.ts"
import { type Frames, readFrames } from "./sse.ts"
import { buildRequest, openSurface, type Surface } from "./surface.ts"

const opened: Surface[] = []
const open = async (): Promise<Surface> => {
  const surface = await openSurface()
  opened.push(surface)
  return surface
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((surface) => surface.close()))
})

const create = async (surface: Surface): Promise<string> => (await surface.post("/api/session", {})).json.id
const admit = (surface: Surface, session: string, text: string) =>
  surface.post(`/api/session/${session}/prompt`, { text, resume: false })

async function stream(surface: Surface, path: string, headers: Record<string, string> = {}): Promise<Frames> {
  const response = await surface.handler(buildRequest("http://localhost:4096", path, { headers }))
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
  if (response.body === null) throw new Error("the stream has no body")
  return readFrames(response.body)
}

/** Sequences of the next durable events; comments are passed over. */
async function take(frames: Frames, count: number): Promise<readonly number[]> {
  const found: number[] = []
  while (found.length < count) {
    const frame = await frames.next()
    if (frame === null) break
    if (frame.comment !== null) continue
    expect(frame).toMatchObject({ event: "durable", id: String(frame.data.seq) })
    found.push(frame.data.seq)
  }
  return found
}

describe("sessions.events", () => {
  test("[EV1] replays what is stored after a sequence, then tails what comes, each once", async () => {
    const surface = await open()
    const session = await create(surface)
    for (const text of ["a", "b", "c"]) await admit(surface, session, text)
    const frames = await stream(surface, `/api/session/${session}/event?after=1`)
    expect(await take(frames, 3)).toEqual([2, 3, 4])
    const more = take(frames, 2)
    await admit(surface, session, "d")
    await admit(surface, session, "e")
    expect(await more).toEqual([5, 6])
    await frames.cancel()
  })

  test("[EV1] sends the same events as history", async () => {
    const surface = await open()
    const session = await create(surface)
    await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
    await surface.get(`/api/session/${session}/wait`)
    const { items } = (await surface.get(`/api/session/${session}/history`)).json
    const frames = await stream(surface, `/api/session/${session}/event`)
    const seen: unknown[] = []
    while (seen.length < items.length) {
      const frame = await frames.next()
      if (frame?.event === "durable") seen.push(frame.data)
    }
    expect(seen).toEqual(items)
    await frames.cancel()
  })

  test("[EV1] resumes by Last-Event-ID, which wins over the address it was first asked with", async () => {
    const surface = await open()
    const session = await create(surface)
    for (const text of ["a", "b", "c"]) await admit(surface, session, text)
    const frames = await stream(surface, `/api/session/${session}/event?after=1`, { "last-event-id": "3" })
    expect(await take(frames, 1)).toEqual([4])
    await frames.cancel()
  })

  test("[EV4] an unknown Session is SessionNotFound before the first byte", async () => {
    const surface = await open()
    const answer = await surface.get("/api/session/ses_none/event")
    expect([answer.status, answer.json._tag]).toEqual([404, "SessionNotFound"])
  })

  test("[EV5] shows what another process commits on the same store", async () => {
    const surface = await open()
    const session = (await create(surface)) as SessionId
    const frames = await stream(surface, `/api/session/${session}/event?after=1`)
    const next = take(frames, 1)
    const other = await Effect.runPromise(openInlineStore({ file: join(surface.directory, "holdfast.db") }))
    const fact = { type: "session.updated", title: "From elsewhere" } as const
    await Effect.runPromise(other.commit({ kind: "contribute", session, time: 1, fact }))
    expect(await next).toEqual([2])
    await frames.cancel()
    await Effect.runPromise(other.close())
  })

  test("says at once that it is open, and later that it lives", async () => {
    const surface = await open()
    const session = await create(surface)
    const frames = await stream(surface, `/api/session/${session}/event?after=1`)
    expect(await frames.next()).toMatchObject({ comment: "open", id: null })
    await frames.cancel()
    const quiet = { next: () => Effect.succeed([]) }
    const answer = durableStream(quiet, new AbortController().signal)
    const beats = framesOf(answer)
    await beats.next()
    expect(await beats.next()).toMatchObject({ comment: "heartbeat", event: null })
    await beats.cancel()
  })

  test("[EV4] carries durable events only, and ends when the server closes", async () => {
    const surface = await open()
    const session = await create(surface)
    const frames = await stream(surface, `/api/session/${session}/event`)
    expect(await take(frames, 1)).toEqual([1])
    const next = frames.next()
    surface.endStreams()
    expect(await next).toBeNull()
  })
})

function framesOf(answer: ReturnType<typeof liveStream>): Frames {
  const streamed = itemStreamOf(answer)
  if (streamed === null) throw new Error("the answer is no stream")
  return readFrames(streamed.bytes())
}

const delta = (at: number, text = ""): LiveEvent => ({
  session: "ses_1" as SessionId,
  type: "output-delta",
  call: `call_${at}` as never,
  text,
})

describe("events.subscribe", () => {
  test("[EV2 EV4] begins with connected, brings activity without sequences, ends with disposed", async () => {
    const surface = await open()
    const session = await create(surface)
    const frames = await stream(surface, "/api/event")
    expect(await frames.next()).toEqual({
      comment: null,
      id: null,
      event: "live",
      data: { type: "connected" },
    })
    await surface.post(`/api/session/${session}/prompt`, { text: "Hello" })
    let frame = await frames.next()
    const types: string[] = []
    for (; frame?.data.type !== "drain-end"; frame = await frames.next()) {
      expect(frame).toMatchObject({ id: null, event: "live", data: { session } })
      expect(frame?.data.seq).toBeUndefined()
      types.push(frame?.data.type)
    }
    expect(types).toContain("text-delta")
    surface.endStreams()
    expect((await frames.next())?.data).toEqual({ type: "disposed" })
    expect(await frames.next()).toBeNull()
  })

  test("[EV2] a reader that does not read is cut off with a reason, and nothing grows meanwhile", async () => {
    const hub = makeLiveHub()
    const answer = liveStream(hub, new AbortController().signal)
    const frames = framesOf(answer)
    expect((await frames.next())?.data).toEqual({ type: "connected" })
    for (let at = 0; at < 10_000; at++) hub.publish(delta(at, "x".repeat(848)))
    const seen: unknown[] = []
    for (let frame = await frames.next(); frame !== null; frame = await frames.next()) {
      seen.push(frame.data.call ?? frame.data)
    }
    // Each weighs 1,048 bytes, of which 4 MiB hold 4,002.
    expect(seen).toHaveLength(4_003)
    expect(seen.slice(0, 4_002)).toEqual(Array.from({ length: 4_002 }, (_, at) => `call_${at}`))
    expect(seen.at(-1)).toMatchObject({ type: "cut-off", reason: { code: "reader_behind" } })
  })

  test("[EV2] one that leaves is forgotten", async () => {
    const hub = makeLiveHub()
    let subscribed = 0
    const counted = {
      ...hub,
      subscribe: (listener: (event: LiveEvent) => void) => {
        subscribed++
        const stop = hub.subscribe(listener)
        return () => {
          subscribed--
          stop()
        }
      },
    }
    const answer = liveStream(counted, new AbortController().signal)
    const frames = framesOf(answer)
    await frames.next()
    expect(subscribed).toBe(1)
    await frames.cancel()
    expect(subscribed).toBe(0)
  })
})
