/** The clients (CL1–CL5): laziness, signals, and that both answer alike. */
import { isClientError, isFailure } from "@holdfast/client"
import type { Case } from "../case.ts"
import { everyOperation, sampleOf } from "../contract.ts"
import { expectEqual, expectTrue, rejectionOf, show } from "../expect.ts"
import { callByName } from "../stage.ts"
import { absentIds } from "./ids.ts"

const tagOf = (failure: unknown): unknown =>
  typeof failure === "object" && failure !== null && "_tag" in failure ? failure._tag : failure

const promises: readonly Case[] = [
  {
    rule: "CL3",
    title: "a stream that nobody reads asks for nothing",
    run: async ({ client }) => {
      // Of a Session that is not there: had it been asked for, its failure would go unheard.
      client.sessions.events({ sessionID: absentIds["sessionID"] ?? "" })
      await client.health.get()
    },
  },
  {
    rule: "CL3",
    title: "a stream can be ended before its first event",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const iterator = client.sessions.events({ sessionID, after: 99 })[Symbol.asyncIterator]()
      const waiting = iterator.next()
      await iterator.return?.()
      expectEqual("what waited", (await waiting).done, true)
    },
  },
  {
    rule: "CL3",
    title: "a stream can be read twice, each time from its beginning",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const stream = client.sessions.events({ sessionID })
      for (let nth = 0; nth < 2; nth++)
        for await (const event of stream) {
          expectEqual("the first event", event.fact.type, "session.created")
          break
        }
    },
  },
  {
    rule: "CL5",
    title: "the signal of a call ends a stream in a ClientError",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const stop = new AbortController()
      const iterator = client.sessions.events({ sessionID }, { signal: stop.signal })[Symbol.asyncIterator]()
      await iterator.next()
      const waiting = rejectionOf(iterator.next())
      stop.abort()
      const failure = await waiting
      expectTrue(`got ${show(failure)}`, isClientError(failure) && failure.reason.kind === "transport")
    },
  },
  {
    rule: "CL5",
    title: "a call whose signal is aborted already is a ClientError, and does nothing",
    run: async ({ client, session }) => {
      const made = await session()
      const call = client.sessions.update(
        { sessionID: made.id, title: "No" },
        { signal: AbortSignal.abort() },
      )
      const failure = await rejectionOf(call)
      expectTrue(`got ${show(failure)}`, isClientError(failure))
      expectEqual("the Session", await client.sessions.get({ sessionID: made.id }), made)
    },
  },
  {
    rule: "CL2",
    title: "a method that answers nothing resolves to nothing",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      expectEqual("the value", await client.sessions.interrupt({ sessionID }), undefined)
    },
  },
  {
    rule: "CL2",
    title: "an id that is left out is told without a request",
    run: async ({ client }) => {
      const failure = await rejectionOf(client.sessions.get({} as { readonly sessionID: string }))
      expectTrue(`got ${show(failure)}`, isFailure(failure, "InvalidRequest"))
    },
  },
]

/** Operations that can be asked without a payload: both clients must tell the same. */
const alike: readonly Case[] = everyOperation
  .filter(({ rest, answer }) => rest !== "payload" && answer !== "events" && answer !== "byte-stream")
  .map((operation) => ({
    rule: "CL4",
    title: `${operation.name} fails or answers alike in both clients`,
    needs: ["effect", "raw"] as const,
    run: async ({ client, document, effect }) => {
      const ids = Object.fromEntries(operation.params.map((param) => [param, absentIds[param]]))
      const input = { ...ids, ...sampleOf(await document(), operation) }
      const [promise, other] = await Promise.all([
        Promise.resolve(callByName(client, operation, input)).then(shapeOf, tagOf),
        effect().call(operation.name, input).then(shapeOf, tagOf),
      ])
      expectEqual("the Effect client", other, promise)
    },
  }))

/** Values may differ between the clients in what they are made of, and answers in time; their fields may not. */
const shapeOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Object.keys(value).sort() : typeof value

const effects: readonly Case[] = [
  {
    rule: "CL4",
    title: "a Session is the same in both clients",
    needs: ["effect"],
    run: async ({ effect, session }) => {
      const made = await session()
      const found = await effect().call("sessions.get", { sessionID: made.id })
      expectEqual("the Effect client", JSON.parse(JSON.stringify(found)), made)
    },
  },
  {
    rule: "CL3",
    title: "a stream has the same events in both clients",
    needs: ["effect"],
    run: async ({ client, effect, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.update({ sessionID, title: "More" })
      const found = await effect().take("sessions.events", { sessionID }, 2)
      const { items } = await client.sessions.history({ sessionID })
      expectEqual("the Effect client", JSON.parse(JSON.stringify(found)), items)
    },
  },
  {
    rule: "CL3",
    title: "the stream of an absent Session fails alike in both clients",
    needs: ["effect"],
    run: async ({ effect }) => {
      const input = { sessionID: absentIds["sessionID"] ?? "" }
      expectEqual(
        "the failure",
        tagOf(await rejectionOf(effect().take("sessions.events", input, 1))),
        "SessionNotFound",
      )
    },
  },
  {
    rule: "PG1",
    title: "a cursor of one client goes on in the other",
    needs: ["effect"],
    run: async ({ client, effect, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.update({ sessionID, title: "More" })
      const { next: cursor } = await client.sessions.history({ sessionID, limit: 1 })
      const found = (await effect().call("sessions.history", { sessionID, cursor })) as {
        readonly items: readonly { readonly seq: number }[]
      }
      expectEqual(
        "sequences",
        found.items.map(({ seq }) => seq),
        [2],
      )
    },
  },
]

export const clientCases: readonly Case[] = [...promises, ...effects, ...alike]
