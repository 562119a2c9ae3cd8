/** Sessions with an id of the caller, forked, moved and archived (SS1), exported and imported (ST4). */
import { randomBytes } from "node:crypto"
import { importBundle } from "@holdfast/client"
import type { Case } from "../case.ts"
import { expectEqual, expectFailure, expectTrue } from "../expect.ts"
import { absentIds } from "./ids.ts"

const absent = absentIds["sessionID"] ?? ""
const freshId = (): string => `ses_${randomBytes(10).toString("hex")}`

const chosen: readonly Case[] = [
  {
    rule: "SS1",
    title: "sessions.create with an id of the caller is the same Session when it is repeated",
    run: async ({ client, session }) => {
      const id = freshId()
      const first = await session({ id })
      expectEqual("its id", first.id, id)
      for (let nth = 0; nth < 3; nth++) expectEqual("the repeat", await session({ id }), first)
      const { items } = await client.sessions.history({ sessionID: id })
      expectEqual("events", items.length, first.seq)
    },
  },
  {
    rule: "SS1",
    title: "five creations at once with one id make one Session",
    run: async ({ session }) => {
      const id = freshId()
      const made = await Promise.all(Array.from({ length: 5 }, () => session({ id })))
      expectEqual("different Sessions", new Set(made.map((one) => JSON.stringify(one))).size, 1)
    },
  },
  {
    rule: "SS1",
    title: "the id of a Session with another title is a conflict",
    run: async ({ client, session }) => {
      const made = await session({ id: freshId() })
      const call = client.sessions.create({ id: made.id, title: "Another" })
      await expectFailure("the other title", call, "SessionConflict")
      expectEqual("the Session", await client.sessions.get({ sessionID: made.id }), made)
    },
  },
  {
    rule: "SS1",
    title: "an id that cannot be one of a Session is refused",
    run: async ({ client }) => {
      for (const id of ["", "x", "ses_", "SES_ABC", "ses_a/b", "prm_abc", "ses_a\u0000"])
        await expectFailure(
          `the id ${JSON.stringify(id)}`,
          client.sessions.create({ id }),
          "InvalidId",
          "InvalidRequest",
        )
    },
  },
]

const forks: readonly Case[] = [
  {
    rule: "SS1",
    title: "a fork is another Session that names its source, and leaves it as it was",
    run: async ({ client, owned, session }) => {
      const source = await session()
      const fork = owned(await client.sessions.fork({ sessionID: source.id }))
      expectTrue("it has the id of its source", fork.id !== source.id)
      expectEqual("its origin", [fork.origin?.kind, fork.origin?.source], ["fork", source.id])
      expectEqual("its Location", fork.location, source.location)
      expectEqual("the source", await client.sessions.get({ sessionID: source.id }), source)
    },
  },
  {
    rule: "SS1",
    title: "a fork with an id of the caller is the same Session when it is repeated",
    run: async ({ client, owned, session }) => {
      const { id: sessionID } = await session()
      const id = freshId()
      const first = owned(await client.sessions.fork({ sessionID, id }))
      expectEqual("the repeat", await client.sessions.fork({ sessionID, id }), first)
    },
  },
  {
    rule: "SS1",
    title: "a fork with the id of another Session is a conflict",
    run: async ({ client, session }) => {
      const [one, other] = [await session(), await session()]
      const call = client.sessions.fork({ sessionID: one.id, id: other.id })
      await expectFailure("the fork", call, "SessionConflict")
      expectEqual("the other", await client.sessions.get({ sessionID: other.id }), other)
    },
  },
  {
    rule: "SS1",
    title: "prompts that wait stay with the source of a fork",
    run: async ({ client, owned, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.prompt({ sessionID, text: "This waits.", resume: false })
      const fork = owned(await client.sessions.fork({ sessionID }))
      expectEqual("the inbox of the fork", (await client.sessions.inbox({ sessionID: fork.id })).items, [])
      expectEqual("the inbox of the source", (await client.sessions.inbox({ sessionID })).items.length, 1)
    },
  },
  {
    rule: "SS1",
    title: "a fork outlives its source",
    run: async ({ client, owned, session }) => {
      const { id: sessionID } = await session()
      const fork = owned(await client.sessions.fork({ sessionID }))
      await client.sessions.delete({ sessionID })
      expectEqual("the fork", await client.sessions.get({ sessionID: fork.id }), fork)
    },
  },
  {
    rule: "SS1",
    title: "a fork at a message that is not there, or of no Session, is a typed failure",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const messageID = absentIds["messageID"] ?? ""
      await expectFailure("the message", client.sessions.fork({ sessionID, messageID }), "MessageNotFound")
      await expectFailure("the Session", client.sessions.fork({ sessionID: absent }), "SessionNotFound")
    },
  },
]

const places: readonly Case[] = [
  {
    rule: "SS1",
    title: "moving a Session to where it is changes nothing",
    run: async ({ client, session }) => {
      const made = await session()
      const { directory } = made.location
      expectEqual("the Session", await client.sessions.move({ sessionID: made.id, directory }), made)
    },
  },
  {
    rule: "SS1",
    title: "moving to a directory that does not exist is a typed failure, and the Session stays",
    run: async ({ client, session }) => {
      const made = await session()
      const call = client.sessions.move({ sessionID: made.id, directory: "/no/such/place/of-conformance" })
      await expectFailure("the move", call, "LocationMissing")
      expectEqual("the Session", await client.sessions.get({ sessionID: made.id }), made)
    },
  },
  {
    rule: "SS1",
    title: "an archived Session has a list of its own, and can be taken back",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const isListed = async (archived: boolean) =>
        (await client.sessions.list({ limit: 200, archived })).items.some(({ id }) => id === sessionID)
      for (const archived of [true, false]) {
        const answer = await client.sessions.archive({ sessionID, archived })
        expectEqual("archived", answer.archived, archived)
        const lists = [await isListed(false), await isListed(true)]
        expectEqual("in the list, and in that of the archived", lists, [!archived, archived])
      }
    },
  },
  {
    rule: "SS1",
    title: "archiving is idempotent, and of no Session SessionNotFound",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const once = await client.sessions.archive({ sessionID, archived: true })
      expectEqual("the repeat", await client.sessions.archive({ sessionID, archived: true }), once)
      const call = client.sessions.archive({ sessionID: absent, archived: true })
      await expectFailure("an absent Session", call, "SessionNotFound")
    },
  },
]

const bundles: readonly Case[] = [
  {
    rule: "ST4",
    title: "a Session that was exported and deleted is the same again after an import, and once",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session({ title: "Carried" })
      const { items: before } = await client.sessions.history({ sessionID })
      const bundle: Uint8Array[] = []
      for await (const bytes of client.sessions.export({ sessionID })) bundle.push(bytes)
      await client.sessions.delete({ sessionID })
      const changes: string[] = []
      for (let nth = 0; nth < 2; nth++) changes.push((await importBundle(client, bundle)).change)
      expectEqual("what became of it", changes, ["created", "same"])
      expectEqual("its events", (await client.sessions.history({ sessionID })).items, before)
    },
  },
  {
    rule: "ST4",
    title: "a bundle that is cut off, changed or none at all is refused, and makes no Session",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const pieces: Uint8Array[] = []
      for await (const bytes of client.sessions.export({ sessionID })) pieces.push(bytes)
      await client.sessions.delete({ sessionID })
      const bundle = Buffer.concat(pieces)
      const changed = bundle.map((byte, at) => (at === bundle.length >> 1 ? byte ^ 1 : byte))
      for (const given of [[bundle.subarray(0, -10)], [changed], []])
        await expectFailure("the bundle", importBundle(client, given), "BundleRefused")
      const exporting = client.sessions.export({ sessionID })[Symbol.asyncIterator]().next()
      await expectFailure("an export of it", exporting, "SessionNotFound")
    },
  },
]

export const travelCases: readonly Case[] = [...chosen, ...forks, ...places, ...bundles]
