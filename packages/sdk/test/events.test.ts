/** Events as AsyncIterables: lazy, without gap or duplicate, bounded, and ended by whoever reads. */
import { describe, expect, test } from "vitest"
import { scripted, textReply } from "../../provider-sim/src/index.ts"
import { type Event, type SessionDeleted, settled } from "../src/index.ts"
import { makePlace, surfaces } from "./place.ts"

describe.each(surfaces)("durable events, %s", (_, openSurface) => {
  test("[EV1] replay what is stored, then tail what is stored next, each once", async () => {
    await using place = await makePlace()
    await using holdfast = await openSurface(place)
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create({ directory: place.directory })
    const seen: (Event | SessionDeleted)[] = []
    const reading = (async () => {
      for await (const event of sessions.events({ sessionID })) {
        seen.push(event)
        if (event.fact.type === "turn.settled" && event.fact.status === "done") break
      }
    })()
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await reading
    expect(seen).toEqual((await sessions.history({ sessionID })).items)
    expect(seen.map((event) => "seq" in event && event.seq)).toEqual(seen.map((__, at) => at + 1))
    const [, , third] = seen
    for await (const event of sessions.events({ sessionID, after: 2 })) {
      expect(event).toEqual(third)
      break
    }
  })

  // Well before a stream is told that nothing came.
  test("[EV5] what another host on the same store commits is seen soon", { timeout: 8_000 }, async () => {
    await using place = await makePlace()
    await using first = await openSurface(place)
    await using second = await openSurface(place)
    const { id: sessionID, seq } = await first.sessions.create({ directory: place.directory })
    const events = second.sessions.events({ sessionID, after: seq })[Symbol.asyncIterator]()
    const next = events.next()
    await first.sessions.prompt({ sessionID, text: "x", resume: false })
    expect((await next).value?.fact.type).toBe("prompt.admitted")
    await events.return?.()
  })

  test("[EV4] an unknown Session fails before the first event", async () => {
    await using place = await makePlace()
    await using holdfast = await openSurface(place)
    const events = holdfast.sessions.events({ sessionID: "ses_none" })[Symbol.asyncIterator]()
    await expect(events.next()).rejects.toMatchObject({ _tag: "SessionNotFound" })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  test("[CL3] a reader that waits is ended by return and by close", async () => {
    await using place = await makePlace()
    await using holdfast = await openSurface(place)
    const { id: sessionID, seq } = await holdfast.sessions.create({ directory: place.directory })
    const open = () => holdfast.sessions.events({ sessionID, after: seq })[Symbol.asyncIterator]()
    const returned = open()
    const waiting = returned.next()
    await returned.return?.()
    expect(await waiting).toEqual({ done: true, value: undefined })
    const left = holdfast.sessions.events({ sessionID })[Symbol.asyncIterator]()
    expect((await left.next()).value).toMatchObject({ seq: 1 })
    const closed = left.next()
    await holdfast.close()
    expect(await closed).toEqual({ done: true, value: undefined })
  })

  test("[EV1 EV4] the deletion of a Session is the last item of its stream, and has no sequence", async () => {
    await using place = await makePlace()
    await using holdfast = await openSurface(place)
    const { id: sessionID, seq } = await holdfast.sessions.create()
    const events = holdfast.sessions.events({ sessionID, after: seq })[Symbol.asyncIterator]()
    const next = events.next()
    await holdfast.sessions.delete({ sessionID })
    expect((await next).value).toEqual({ session: sessionID, fact: { type: "session.deleted" } })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })
})

describe.each(surfaces)("live events, %s", (_, openSurface) => {
  test("[EV2] begin with connected and bring the answer as it is streamed, and the end of the drain", async () => {
    await using place = await makePlace()
    await using holdfast = await openSurface(place)
    const { sessions, events } = holdfast
    const { id: sessionID } = await sessions.create({ directory: place.directory })
    let text = ""
    const stream = events.subscribe()[Symbol.asyncIterator]()
    expect((await stream.next()).value).toEqual({ type: "connected" })
    await sessions.prompt({ sessionID, text: "Read README.md." })
    for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
      expect(next.value).not.toHaveProperty("seq")
      if (next.value.type === "text-delta") text += next.value.text
      if (next.value.type === "drain-end") break
    }
    await stream.return?.()
    expect(await stream.next()).toEqual({ done: true, value: undefined })
    expect(text).toContain("Greeter")
  })

  test("[EV2] a thousand deltas without a pause all reach a reader", async () => {
    const pieces = 1_000
    const said = Array.from({ length: pieces }, (__, at) => String(at).padStart(8, ".")).join("")
    await using place = await makePlace(scripted(() => ({ ...textReply(said), chunkChars: 8 })))
    await using holdfast = await openSurface(place)
    const { sessions, events } = holdfast
    const { id: sessionID } = await sessions.create({ directory: place.directory })
    const stream = events.subscribe()[Symbol.asyncIterator]()
    await stream.next()
    await sessions.prompt({ sessionID, text: "Count." })
    let text = ""
    for (let next = await stream.next(); next.done !== true; next = await stream.next()) {
      if (next.value.type === "text-delta") text += next.value.text
      if (next.value.type === "drain-end") break
    }
    await stream.return?.()
    expect(text).toBe(said)
  })

  test("[EV2] of one Session begin with the text so far, so that a late reader misses and doubles nothing", async () => {
    const said = Array.from({ length: 60 }, (__, at) => String(at).padStart(4, ".")).join("")
    const slowly = { ...textReply(said), chunkChars: 4, delayMs: 5 }
    await using place = await makePlace(scripted(() => slowly))
    await using holdfast = await openSurface(place)
    const { sessions, events } = holdfast
    const { id: sessionID } = await sessions.create()
    const { id: other } = await sessions.create()
    const early = events.subscribe({ sessionID })[Symbol.asyncIterator]()
    await early.next()
    await sessions.prompt({ sessionID, text: "Count." })
    await sessions.prompt({ sessionID: other, text: "Count." })
    for (let heard = 0; heard < 5; heard++) await early.next()
    const late = events.subscribe({ sessionID })[Symbol.asyncIterator]()
    let text = ""
    let joined = false
    for (let next = await late.next(); next.done !== true; next = await late.next()) {
      const event = next.value
      if ("session" in event) expect(event.session).toBe(sessionID)
      if (event.type === "open-part") {
        joined = true
        text = event.text
      }
      if (event.type === "text-delta") {
        expect(event.offset).toBe(text.length)
        text += event.text
      }
      if (event.type === "drain-end") break
    }
    expect([joined, text]).toEqual([true, said])
    await Promise.all([early.return?.(), late.return?.()])
    const missing = events.subscribe({ sessionID: "ses_none" })[Symbol.asyncIterator]()
    await expect(missing.next()).rejects.toMatchObject({ _tag: "SessionNotFound" })
  })

  test("[EV5] show this instance only", async () => {
    await using place = await makePlace()
    await using here = await openSurface(place)
    await using elsewhere = await openSurface(place)
    const stream = here.events.subscribe()[Symbol.asyncIterator]()
    await stream.next()
    const there = await elsewhere.sessions.create()
    await elsewhere.sessions.prompt({ sessionID: there.id, text: "Read README.md." })
    await settled(elsewhere, { sessionID: there.id })
    const own = await here.sessions.create()
    await here.sessions.prompt({ sessionID: own.id, text: "Read README.md." })
    expect((await stream.next()).value).toMatchObject({ session: own.id })
    await stream.return?.()
  })

  test("[EV4 EV5] tell what this instance puts on record of which Session, without its sequence", async () => {
    await using place = await makePlace()
    await using holdfast = await openSurface(place)
    const { sessions, events } = holdfast
    const stream = events.subscribe()[Symbol.asyncIterator]()
    await stream.next()
    const told = async (session: string) => {
      for (let next = await stream.next(); next.done !== true; next = await stream.next())
        if (next.value.type === "committed") {
          expect(next.value).toEqual({ session, type: "committed", facts: expect.any(Array) })
          return next.value.facts
        }
    }
    const { id: sessionID } = await sessions.create()
    expect(await told(sessionID)).toEqual(["session.created"])
    await sessions.prompt({ sessionID, text: "Later.", id: "mine", resume: false })
    expect(await told(sessionID)).toEqual(["prompt.admitted"])
    // A repeat puts nothing on record.
    await sessions.prompt({ sessionID, text: "Later.", id: "mine", resume: false })
    await sessions.cancel({ sessionID, promptID: "mine" })
    expect(await told(sessionID)).toEqual(["prompt.cancelled"])
    await sessions.prompt({ sessionID, text: "Read README.md." })
    await settled(holdfast, { sessionID })
    const { items } = await sessions.history({ sessionID, after: 3, limit: 200 })
    await sessions.delete({ sessionID })
    const seen = new Set<string>()
    while (!seen.has("session.deleted")) for (const fact of (await told(sessionID)) ?? []) seen.add(fact)
    const stored = new Set(items.map(({ fact }) => fact.type))
    expect([...seen].toSorted()).toEqual([...stored, "session.deleted"].toSorted())
    await stream.return?.()
  })
})
