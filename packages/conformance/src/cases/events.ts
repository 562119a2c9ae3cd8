/** Streams (EV1–EV5): durable events that can be replayed, and the live stream of the instance. */
import { strict as assert } from "node:assert"
import { randomUUID } from "node:crypto"
import { type Event, follow, type HoldfastClient, isDeletion, type SessionDeleted } from "@holdfast/client"
import type { Case } from "../case.ts"
import { expectEqual, expectFailure, expectRefusal, expectStatus, expectTrue, show } from "../expect.ts"
import type { Stage } from "../stage.ts"
import { absentIds } from "./ids.ts"

type Durable = Event | SessionDeleted

/** The first items of a stream, which is then let go. */
async function take<Item>(stream: AsyncIterable<Item>, count: number): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const item of stream) {
    items.push(item)
    if (items.length === count) break
  }
  return items
}

const sequences = (events: readonly Durable[]): readonly (number | null)[] =>
  events.map((event) => (isDeletion(event) ? null : event.seq))

/** Each time another title: the same one would change nothing. */
async function rename({ sessions }: HoldfastClient, sessionID: string, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) await sessions.update({ sessionID, title: randomUUID() })
}

async function renamed({ client, session }: Stage, count: number): Promise<string> {
  const { id } = await session()
  await rename(client, id, count)
  return id
}

const replay: readonly Case[] = [
  {
    rule: "EV1",
    title: "events of a Session count from 1 without gaps",
    run: async (stage) => {
      const sessionID = await renamed(stage, 4)
      expectEqual(
        "sequences",
        sequences(await take(stage.client.sessions.events({ sessionID }), 5)),
        [1, 2, 3, 4, 5],
      )
    },
  },
  {
    rule: "EV1",
    title: "the stream replays what history holds, value for value",
    run: async (stage) => {
      const sessionID = await renamed(stage, 3)
      const { items } = await stage.client.sessions.history({ sessionID })
      expectEqual("the stream", await take(stage.client.sessions.events({ sessionID }), items.length), items)
    },
  },
  ...[0, 1, 3].map((after): Case => ({
    rule: "EV1",
    title: `the stream after ${after} begins with ${after + 1}`,
    run: async (stage) => {
      const sessionID = await renamed(stage, 4)
      const events = await take(stage.client.sessions.events({ sessionID, after }), 2)
      expectEqual("sequences", sequences(events), [after + 1, after + 2])
    },
  })),
  {
    rule: "EV1",
    title: "a stream at its end brings what happens next, and nothing twice",
    run: async (stage) => {
      const sessionID = await renamed(stage, 1)
      const { seq } = await stage.client.sessions.get({ sessionID })
      const coming = take(stage.client.sessions.events({ sessionID, after: seq }), 3)
      await rename(stage.client, sessionID, 3)
      expectEqual("sequences", sequences(await coming), [seq + 1, seq + 2, seq + 3])
    },
  },
  {
    rule: "EV1",
    title: "a stream that is read while events come has no gap and no duplicate",
    run: async (stage) => {
      const sessionID = await renamed(stage, 5)
      const coming = take(stage.client.sessions.events({ sessionID }), 16)
      await rename(stage.client, sessionID, 10)
      expectEqual(
        "sequences",
        sequences(await coming),
        Array.from({ length: 16 }, (_, nth) => nth + 1),
      )
    },
  },
  {
    rule: "EV1",
    title: "two readers get the same events",
    run: async (stage) => {
      const sessionID = await renamed(stage, 3)
      const readers = [1, 2].map(() => take(stage.client.sessions.events({ sessionID }), 4))
      const [one, other] = await Promise.all(readers)
      expectEqual("the second reader", other, one)
    },
  },
  {
    rule: "EV1",
    title: "events of one Session do not come in the stream of another",
    run: async (stage) => {
      const [one, other] = [await renamed(stage, 1), await renamed(stage, 3)]
      const coming = take(stage.client.sessions.events({ sessionID: one }), 3)
      await rename(stage.client, other, 2)
      await rename(stage.client, one, 1)
      expectEqual("Sessions", [...new Set((await coming).map(({ session }) => session))], [one])
    },
  },
  {
    rule: "EV1",
    title: "history after a sequence holds what is above it",
    run: async (stage) => {
      const sessionID = await renamed(stage, 4)
      const { items } = await stage.client.sessions.history({ sessionID, after: 3 })
      expectEqual(
        "sequences",
        items.map(({ seq }) => seq),
        [4, 5],
      )
      expectEqual("after the end", (await stage.client.sessions.history({ sessionID, after: 99 })).items, [])
    },
  },
  {
    rule: "EV1",
    title: "the first event says that the Session was made, with what it was made with",
    run: async ({ client, session }) => {
      const made = await session()
      const [first] = await take(client.sessions.events({ sessionID: made.id }), 1)
      assert(first !== undefined && !isDeletion(first) && first.fact.type === "session.created", show(first))
      expectEqual("title and Location", [first.fact.title, first.fact.location], [made.title, made.location])
    },
  },
]

const deletion: readonly Case[] = [
  {
    rule: "EV1",
    title: "deleting a Session ends its stream with an event that has no sequence",
    run: async (stage) => {
      const sessionID = await renamed(stage, 1)
      const coming = take(stage.client.sessions.events({ sessionID, after: 1 }), 99)
      await rename(stage.client, sessionID, 1)
      await stage.client.sessions.delete({ sessionID })
      const last = (await coming).at(-1)
      expectEqual("the last event", last, { session: sessionID, fact: { type: "session.deleted" } })
    },
  },
  {
    rule: "EV4",
    title: "only the last event of a deleted Session has no sequence",
    run: async (stage) => {
      const sessionID = await renamed(stage, 2)
      const iterator = stage.client.sessions.events({ sessionID })[Symbol.asyncIterator]()
      const seen: Durable[] = [await nextOf(iterator), await nextOf(iterator), await nextOf(iterator)]
      await stage.client.sessions.delete({ sessionID })
      seen.push(await nextOf(iterator))
      expectEqual("sequences", sequences(seen), [1, 2, 3, null])
      expectEqual("the end", (await iterator.next()).done, true)
    },
  },
]

async function nextOf<Item>(iterator: AsyncIterator<Item>): Promise<Item> {
  const next = await iterator.next()
  assert(next.done !== true, "expected an event, but the stream ended")
  return next.value
}

const unknownSession: readonly Case[] = [
  {
    rule: "EV4",
    title: "the stream of an absent Session fails before its first event",
    run: async ({ client }) => {
      const sessionID = absentIds["sessionID"] ?? ""
      await expectFailure("the stream", take(client.sessions.events({ sessionID }), 1), "SessionNotFound")
      await expectFailure("its history", client.sessions.history({ sessionID }), "SessionNotFound")
    },
  },
  {
    rule: "EV4",
    title: "the stream of a deleted Session fails before its first event",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.delete({ sessionID })
      await expectFailure(
        "the stream",
        take(client.sessions.events({ sessionID, after: 1 }), 1),
        "SessionNotFound",
      )
    },
  },
  {
    rule: "EV4",
    title: "a sequence that is none is refused",
    needs: ["raw"],
    run: async ({ ask, session }) => {
      const { id } = await session()
      for (const after of ["-1", "1.5", "ten", "", "1e3", "9".repeat(30)]) {
        expectRefusal(
          `after=${after}`,
          await ask(`/api/session/${id}/event?after=${after}`),
          "InvalidRequest",
        )
        expectRefusal(
          `after=${after}`,
          await ask(`/api/session/${id}/history?after=${after}`),
          "InvalidRequest",
        )
        if (after === "") continue
        const headers = { "last-event-id": after }
        expectRefusal(
          `Last-Event-ID: ${after}`,
          await ask(`/api/session/${id}/event`, { headers }),
          "InvalidRequest",
        )
      }
    },
  },
  {
    rule: "EV1",
    title: "a stream is sent as server-sent events, and is not kept by caches",
    needs: ["raw"],
    run: async ({ ask, session }) => {
      const { id } = await session()
      const answer = await ask(`/api/session/${id}/event`)
      expectStatus("the stream", answer, 200)
      const type = answer.headers.get("content-type") ?? "nothing"
      expectTrue(`expected text/event-stream, got ${type}`, type.startsWith("text/event-stream"))
      const kept = answer.headers.get("cache-control") ?? "nothing"
      expectTrue(`expected no-cache or no-store, got ${kept}`, /no-(cache|store)/.test(kept))
    },
  },
]

const resumed: readonly Case[] = [
  {
    rule: "EV3",
    title: "follow goes on after the sequence that it was given",
    run: async (stage) => {
      const sessionID = await renamed(stage, 3)
      const events = await take(follow(stage.client, { sessionID, after: 2 }), 2)
      expectEqual("sequences", sequences(events), [3, 4])
    },
  },
  {
    rule: "EV3",
    title: "a reader that left and came back with its last sequence misses nothing",
    run: async (stage) => {
      const sessionID = await renamed(stage, 2)
      const before = await take(stage.client.sessions.events({ sessionID }), 2)
      await rename(stage.client, sessionID, 2)
      const last = before.at(-1)
      assert(last !== undefined && !isDeletion(last))
      const events = await take(stage.client.sessions.events({ sessionID, after: last.seq }), 3)
      expectEqual("sequences", sequences([...before, ...events]), [1, 2, 3, 4, 5])
    },
  },
  {
    rule: "EV3",
    title: "follow ends by itself where the Session is deleted",
    run: async (stage) => {
      const sessionID = await renamed(stage, 1)
      const coming = take(follow(stage.client, { sessionID, after: 1 }), 99)
      await stage.client.sessions.delete({ sessionID })
      // It may have come too late to see anything but that the Session is gone.
      const events = await coming.catch(async (failure: unknown) => {
        await expectFailure("a late reader", Promise.reject(failure), "SessionNotFound")
        return []
      })
      expectTrue("an event came twice", new Set(sequences(events)).size === events.length)
    },
  },
]

const live: readonly Case[] = [
  {
    rule: "EV2",
    title: "the live stream begins with connected",
    run: async ({ client }) => {
      const [first] = await take(client.events.subscribe(), 1)
      expectEqual("its type", first?.type, "connected")
    },
  },
  {
    rule: "EV4",
    title: "live events carry no sequence",
    run: async ({ client }) => {
      const [first] = await take(client.events.subscribe(), 1)
      expectTrue(`it has one: ${show(first)}`, first !== undefined && !("seq" in first))
    },
  },
  {
    rule: "EV5",
    title: "the live stream tells what is put on record of a Session, and of no other where one is named",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const events = client.events.subscribe({ sessionID })[Symbol.asyncIterator]()
      try {
        await events.next()
        await session()
        await client.sessions.update({ sessionID, title: "Told" })
        for (;;) {
          const { value } = await events.next()
          expectTrue(
            `it tells ${show(value)}`,
            value?.type === "committed" && value.session === sessionID && !("seq" in value),
          )
          if (value?.type === "committed" && value.facts.includes("session.updated")) return
        }
      } finally {
        await events.return?.()
      }
    },
  },
  {
    rule: "EV2",
    title: "twenty readers of the live stream are all let in",
    run: async ({ client }) => {
      const firsts = await Promise.all(Array.from({ length: 20 }, () => take(client.events.subscribe(), 1)))
      expectEqual("types", [...new Set(firsts.map(([first]) => first?.type))], ["connected"])
    },
  },
]

export const eventCases: readonly Case[] = [...replay, ...deletion, ...unknownSession, ...resumed, ...live]
