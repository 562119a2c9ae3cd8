/** The embedded host is the client over the router: the same values and failures, and nothing of a network. */
import { getEventListeners } from "node:events"
import { createServer } from "node:http"
import { Effect, Stream } from "effect"
import { expect, test, vi } from "vitest"
import { openHoldfast } from "../src/effect.ts"
import { makeClient, settled } from "../src/index.ts"
import { makePlace, token } from "./place.ts"

test("[EM1] every answer in this process is the answer of the network, value for value", async () => {
  await using place = await makePlace()
  const served = await place.serve()
  const network = makeClient({ baseUrl: served.url, token })
  const { id: sessionID } = await served.holdfast.sessions.create({ title: "Both" })
  await served.holdfast.sessions.prompt({ sessionID, text: "Read README.md." })
  await settled(served.holdfast, { sessionID })
  const messageID = (await network.sessions.messages({ sessionID })).items[1]?.id ?? ""
  const asked = [
    (client: typeof network) => client.sessions.get({ sessionID }),
    (client: typeof network) => client.sessions.messages({ sessionID, limit: 2 }),
    (client: typeof network) => client.sessions.message({ sessionID, messageID }),
    (client: typeof network) => client.sessions.history({ sessionID }),
    (client: typeof network) => client.sessions.turns({ sessionID }),
    (client: typeof network) => client.sessions.request({ sessionID }),
    (client: typeof network) => client.sessions.get({ sessionID: "ses_none" }).catch((failure) => failure),
    (client: typeof network) => client.sessions.get({ sessionID: "odd" }).catch((failure) => failure),
    async (client: typeof network) => {
      const seen: unknown[] = []
      for await (const event of client.sessions.events({ sessionID })) {
        seen.push(event)
        if (event.fact.type === "turn.settled" && event.fact.status === "done") return seen
      }
      return seen
    },
  ]
  for (const ask of asked) expect(await ask(served.holdfast)).toEqual(await ask(network))
  await served.close()
})

test("[EM1] the length of a payload is counted in bytes, as on the network", async () => {
  await using place = await makePlace()
  const served = await place.serve()
  const { id: sessionID } = await served.holdfast.sessions.create()
  const edit = { sessionID, promptID: "none", text: "é".repeat(1_100_000) }
  for (const client of [served.holdfast, makeClient({ baseUrl: served.url, token })])
    await expect(client.sessions.edit(edit)).rejects.toMatchObject({ _tag: "RequestTooLarge" })
  await served.close()
})

test("[EM1] a signal that many calls share holds nothing of those that are over", async () => {
  await using place = await makePlace()
  const holdfast = await place.open()
  const { signal } = new AbortController()
  for (let i = 0; i < 3; i++) {
    await holdfast.sessions.create({}, { signal })
    await holdfast.sessions.get({ sessionID: "ses_none" }, { signal }).catch(() => {})
  }
  expect(getEventListeners(signal, "abort")).toEqual([])
  await holdfast.close()
})

test("[EM1] it listens nowhere and asks no network, and closing ends it", async () => {
  await using place = await makePlace()
  const fetched = vi.spyOn(globalThis, "fetch")
  const listened = vi.spyOn(createServer().constructor.prototype as { listen: () => void }, "listen")
  const holdfast = await place.open()
  await holdfast.sessions.create()
  expect([fetched.mock.calls.length, listened.mock.calls.length]).toEqual([0, 0])
  await holdfast.close()
  await expect(holdfast.sessions.list()).rejects.toMatchObject({ _tag: "ClientError" })
  vi.restoreAllMocks()
})

test("[EM1 CL4] the scoped form has the operations of the Effect client, and tools", async () => {
  await using place = await makePlace()
  const work = Effect.scoped(
    Effect.gen(function* () {
      const holdfast = yield* openHoldfast(place.options)
      const { id: sessionID } = yield* holdfast.sessions.create({ title: "Scoped" })
      yield* holdfast.sessions.prompt({ sessionID, text: "Read README.md." })
      const answer = yield* holdfast.sessions.wait({ sessionID })
      const events = yield* Stream.runCollect(Stream.take(holdfast.sessions.events({ sessionID }), 2))
      const missing = yield* Effect.flip(holdfast.sessions.get({ sessionID: "ses_none" }))
      return [
        answer.state,
        events.map((event) => event.fact.type),
        missing._tag,
        typeof holdfast.tools.register,
      ]
    }),
  )
  expect(await Effect.runPromise(work)).toEqual([
    "settled",
    ["session.created", "prompt.admitted"],
    "SessionNotFound",
    "function",
  ])
})
