/** A reader of live events: lazy, bounded, and ended by whoever reads or by the instance. */
import { describe, expect, test } from "vitest"
import type { SessionId, TurnId } from "@holdfast/schema/id"
import { liveLimits, readLive } from "../../src/events/live-reader.ts"
import { type LiveEvent, makeLiveHub } from "../../src/session/live.ts"

const delta = (text: string): LiveEvent => ({
  session: "ses_1" as SessionId,
  type: "drain-end",
  status: text,
  reason: null,
  owing: null,
})

/** 300,000 bytes: 13 of them fit into 4 MiB, 14 do not. */
const large: LiveEvent = {
  session: "ses_1" as SessionId,
  type: "output-delta",
  call: "call_1" as never,
  text: "é".repeat(150_000),
}

describe("live events of a hub", () => {
  test("[CL3] begin with the first next, not before", async () => {
    const hub = makeLiveHub()
    const events = readLive(hub, new AbortController().signal)
    hub.publish(delta("early"))
    expect(await events.next()).toEqual({ type: "connected" })
    const next = events.next()
    hub.publish(delta("late"))
    expect(await next).toEqual(delta("late"))
    events.leave()
    expect(await events.next()).toBeNull()
  })

  test("[EV2] however many small events come at once, a reader that then reads gets them all", async () => {
    const hub = makeLiveHub()
    const events = readLive(hub, new AbortController().signal)
    await events.next()
    for (let at = 0; at < 10_000; at++) hub.publish(delta(String(at)))
    for (let at = 0; at < 10_000; at++) expect(await events.next()).toEqual(delta(String(at)))
    const next = events.next()
    hub.publish(delta("on"))
    expect(await next).toEqual(delta("on"))
    events.leave()
  })

  test("[EV2] a reader more than 4 MiB behind is cut off with a reason, after what was queued", async () => {
    const hub = makeLiveHub()
    const events = readLive(hub, new AbortController().signal)
    await events.next()
    for (let at = 0; at < 14; at++) hub.publish(large)
    for (let at = 0; at < 13; at++) expect(await events.next()).toEqual(large)
    expect(await events.next()).toMatchObject({
      type: "cut-off",
      reason: { message: expect.stringContaining("4194304 bytes or 10 seconds behind") },
    })
    expect(await events.next()).toBeNull()
  })

  test("[EV2] what was said before it came gives a reader no more room, and takes none", async () => {
    const hub = makeLiveHub()
    const said = "é".repeat(3_000_000)
    const session = "ses_1" as SessionId
    hub.stream(session, "trn_1" as TurnId, () => [{ index: 0, type: "text", text: said }])
    const events = readLive(hub, new AbortController().signal, { session })
    await events.next()
    expect(await events.next()).toMatchObject({ type: "open-part", text: said })
    expect(hub.load()).toEqual({ readers: 1, waitingBytes: 0 })
    for (let at = 0; at < 14; at++) hub.publish(large)
    for (let at = 0; at < 13; at++) expect(await events.next()).toEqual(large)
    expect(await events.next()).toMatchObject({ type: "cut-off" })
  })

  test("[EV2] a reader that keeps up is not cut off, however much there is in all", async () => {
    const hub = makeLiveHub()
    const events = readLive(hub, new AbortController().signal)
    await events.next()
    for (let round = 0; round < 5; round++) {
      for (let at = 0; at < 13; at++) hub.publish(large)
      for (let at = 0; at < 13; at++) expect(await events.next()).toEqual(large)
    }
    events.leave()
  })

  test.each([
    [10_000, "borne"],
    [10_001, "cut off"],
  ])(
    "[EV2] a reader whose oldest event has waited %i ms when the next comes is %s",
    async (waitedMs, fate) => {
      const hub = makeLiveHub()
      let now = 5
      const reader = readLive(hub, new AbortController().signal, { nowMs: () => now })
      await reader.next()
      hub.publish(delta("read"))
      now += 60_000
      expect(await reader.next()).toEqual(delta("read"))
      hub.publish(delta("first"))
      now += waitedMs
      hub.publish(delta("second"))
      expect(await reader.next()).toEqual(delta("first"))
      expect(await reader.next()).toMatchObject(
        fate === "borne" ? delta("second") : { type: "cut-off", reason: { code: "reader_behind" } },
      )
      reader.leave()
    },
  )

  test("[EV2] a quiet stream has heartbeats", async () => {
    const limits = { ...liveLimits, heartbeatMs: 1 }
    const events = readLive(makeLiveHub(), new AbortController().signal, { limits })
    await events.next()
    expect(await events.next()).toEqual({ type: "heartbeat" })
    events.leave()
  })

  test("[EV2] end with disposed when the instance closes", async () => {
    const closing = new AbortController()
    const hub = makeLiveHub()
    const events = readLive(hub, closing.signal)
    await events.next()
    hub.publish(delta("last"))
    closing.abort()
    expect(await events.next()).toEqual(delta("last"))
    expect(await events.next()).toEqual({ type: "disposed" })
    expect(await events.next()).toBeNull()
  })

  test("[EV2] of one Session begin with what its open parts said, and bring nothing of others", async () => {
    const hub = makeLiveHub()
    const [session, turn] = ["ses_1" as SessionId, "trn_1" as TurnId]
    let text = "Once upon"
    const end = hub.stream(session, turn, () => [{ index: 2, type: "text", text }])
    const events = readLive(hub, new AbortController().signal, { session })
    expect(await events.next()).toEqual({ type: "connected" })
    const piece = {
      session,
      type: "text-delta",
      turn,
      index: 2,
      text: " a time",
      offset: text.length,
    } as const
    text += piece.text
    hub.publish({ ...piece, session: "ses_2" as SessionId })
    hub.publish(piece)
    expect(await events.next()).toEqual({
      session,
      type: "open-part",
      turn,
      index: 2,
      part: "text",
      text: "Once upon",
    })
    expect(await events.next()).toEqual(piece)
    end()
    const late = readLive(hub, new AbortController().signal, { session })
    await late.next()
    const next = late.next()
    hub.publish(delta("on"))
    expect(await next).toEqual(delta("on"))
    for (const reader of [events, late]) reader.leave()
  })
})
