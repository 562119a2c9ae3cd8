/** Events as AsyncIterables: lazy, without gap or duplicate, bounded, and ended by whoever reads. */
import { describe, expect, test } from "vitest"
import type { Event } from "@holdfast/schema/event"
import { makeLiveHub, type LiveEvent } from "@holdfast/core/session/live"
import type { SessionId } from "@holdfast/schema/id"
import { liveQueueMax, subscribeLive } from "../src/live-events.ts"
import { makePlace } from "./place.ts"

const delta = (text: string): LiveEvent => ({
  session: "ses_1" as SessionId,
  type: "drain-end",
  status: text,
  reason: null,
})

describe("durable events", () => {
  test("[EV1] replay what is stored, then tail what is stored next, each once", async () => {
    await using place = await makePlace()
    await using holdfast = await place.open()
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create({ directory: place.directory })
    const seen: Event[] = []
    const reading = (async () => {
      for await (const event of sessions.events({ sessionID })) {
        seen.push(event)
        if (event.fact.type === "turn.settled" && event.fact.status === "done") break
      }
    })()
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await reading
    expect(seen).toEqual(await sessions.history({ sessionID }))
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => at + 1))
    const [, , third] = seen
    for await (const event of sessions.events({ sessionID, after: 2 })) {
      expect(event).toEqual(third)
      break
    }
  })

  test("[EV5] what another host on the same store commits is seen", async () => {
    await using place = await makePlace()
    await using first = await place.open()
    await using second = await place.open()
    const { id: sessionID, seq } = await first.sessions.create({ directory: place.directory })
    const events = second.sessions.events({ sessionID, after: seq })[Symbol.asyncIterator]()
    const next = events.next()
    await first.sessions.prompt({ sessionID, text: "x", resume: false })
    expect((await next).value?.fact.type).toBe("prompt.admitted")
    await events.return?.()
  })

  test("[EV4] an unknown Session fails before the first event", async () => {
    await using place = await makePlace()
    await using holdfast = await place.open()
    const events = holdfast.sessions.events({ sessionID: "ses_none" })[Symbol.asyncIterator]()
    await expect(events.next()).rejects.toMatchObject({ _tag: "SessionNotFound" })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test("a reader that waits is ended by return and by close", async () => {
    await using place = await makePlace()
    await using holdfast = await place.open()
    const { id: sessionID, seq } = await holdfast.sessions.create({ directory: place.directory })
    const open = () => holdfast.sessions.events({ sessionID, after: seq })[Symbol.asyncIterator]()
    const returned = open()
    const waiting = returned.next()
    await returned.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    const closed = open().next()
    await holdfast.close()
    expect(await closed).toEqual({ done: true, value: undefined })
  })
})

describe("live events", () => {
  test("bring the answer as it is streamed, and the end of the drain", async () => {
    await using place = await makePlace()
    await using holdfast = await place.open()
    const { sessions, events } = holdfast
    const { id: sessionID } = await sessions.create({ directory: place.directory })
    let text = ""
    const reading = (async () => {
      for await (const event of events.subscribe()) {
        if (event.type === "text-delta") text += event.text
        if (event.type === "drain-end") break
      }
    })()
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await reading
    expect(text).toContain("Greeter")
  })

  test("begin with the first next, not before", async () => {
    const hub = makeLiveHub()
    const events = subscribeLive(hub, new AbortController().signal)[Symbol.asyncIterator]()
    hub.publish(delta("early"))
    const next = events.next()
    hub.publish(delta("late"))
    expect((await next).value).toEqual(delta("late"))
    await events.return?.()
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test("[EV2] a reader more than 256 events behind is cut off with a reason, after what was queued", async () => {
    const hub = makeLiveHub()
    const events = subscribeLive(hub, new AbortController().signal)[Symbol.asyncIterator]()
    const first = events.next()
    for (let at = 0; at <= liveQueueMax + 1; at++) hub.publish(delta(String(at)))
    expect((await first).value).toEqual(delta("0"))
    for (let at = 1; at < liveQueueMax; at++) expect((await events.next()).value).toEqual(delta(String(at)))
    await expect(events.next()).rejects.toMatchObject({ _tag: "LiveOverrun" })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test("end when Holdfast closes", async () => {
    const closing = new AbortController()
    const events = subscribeLive(makeLiveHub(), closing.signal)[Symbol.asyncIterator]()
    const next = events.next()
    closing.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  })
})
