/** Sessions as a whole: made, renamed, found, deleted (SS1). */
import type { Case } from "../case.ts"
import { expectEqual, expectFailure, expectTrue, show } from "../expect.ts"
import { absentIds } from "./ids.ts"

const titles = [
  "Mend the roof",
  "",
  " ",
  "Ünïcödé 💥 مرحبا",
  "a\nb",
  "\u202e",
  "a".repeat(1_000),
  "'; drop table",
  "\\u0000",
]

export const sessionCases: readonly Case[] = [
  {
    rule: "SS1",
    title: "a new Session can be read and is listed",
    run: async ({ client, session }) => {
      const made = await session()
      expectEqual("the Session", await client.sessions.get({ sessionID: made.id }), made)
      const { items } = await client.sessions.list({ limit: 200 })
      expectTrue(
        "it is not listed",
        items.some(({ id }) => id === made.id),
      )
    },
  },
  {
    rule: "SS1",
    title: "Sessions have ids of their own",
    run: async ({ session }) => {
      const ids = [(await session()).id, (await session()).id, (await session()).id]
      expectEqual("different ids", new Set(ids).size, 3)
    },
  },
  {
    rule: "SS1",
    title: "a title comes back as it was given",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      for (const title of titles) {
        expectEqual("the answer", (await client.sessions.update({ sessionID, title })).title, title)
        expectEqual("what is read", (await client.sessions.get({ sessionID })).title, title)
      }
    },
  },
  {
    rule: "SS1",
    title: "a title of null takes the title away",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      expectEqual("the title", (await client.sessions.update({ sessionID, title: null })).title, null)
    },
  },
  {
    rule: "SS1",
    title: "a title that is too long or broken is refused, and the old one stays",
    run: async ({ client, session }) => {
      const made = await session()
      for (const title of ["a".repeat(1_001), "a\ud800b", 7, {}, []])
        await expectFailure(
          `the title ${show(title)}`,
          client.sessions.update({ sessionID: made.id, title: title as string }),
          "InvalidRequest",
        )
      expectEqual("the Session", await client.sessions.get({ sessionID: made.id }), made)
    },
  },
  {
    rule: "SS1",
    title: "an update without any field changes nothing",
    run: async ({ client, session }) => {
      const made = await session()
      expectEqual("the Session", await client.sessions.update({ sessionID: made.id }), made)
    },
  },
  {
    rule: "SS1",
    title: "renaming to the same title changes nothing",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const once = await client.sessions.update({ sessionID, title: "Same" })
      expectEqual("the Session", await client.sessions.update({ sessionID, title: "Same" }), once)
    },
  },
  {
    rule: "SS1",
    title: "policy and allowed tools can be changed alone",
    run: async ({ client, session }) => {
      const made = await session()
      const policy = made.policy === "settle" ? "continue" : "settle"
      const changed = await client.sessions.update({ sessionID: made.id, policy })
      expectEqual(
        "policy, title and tools",
        [changed.policy, changed.title, changed.allow],
        [policy, made.title, made.allow],
      )
      const allowed = await client.sessions.update({ sessionID: made.id, allow: ["write"] })
      expectEqual("policy and tools", [allowed.policy, allowed.allow], [policy, ["write"]])
    },
  },
  {
    rule: "DR9",
    title: "a limit of the budget is set, kept beside the other, and taken away by null",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const change = async (budget: { readonly tokens?: number | null; readonly money?: number | null }) =>
        (await client.sessions.update({ sessionID, budget })).budget
      expectEqual("the limit", (await change({ tokens: 5_000, money: null })).tokens, 5_000)
      expectEqual("both limits", await change({ money: 1.5 }), { tokens: 5_000, money: 1.5 })
      expectEqual("no limit", await change({ tokens: null, money: null }), { tokens: null, money: null })
    },
  },
  {
    rule: "SS1",
    title: "a change is an event of the Session",
    run: async ({ client, session }) => {
      const made = await session()
      const changed = await client.sessions.update({ sessionID: made.id, title: "Another" })
      expectEqual("the sequence", changed.seq, made.seq + 1)
      const { items } = await client.sessions.history({ sessionID: made.id, after: made.seq })
      expectEqual(
        "the event",
        items.map(({ fact }) => fact.type),
        ["session.updated"],
      )
    },
  },
  {
    rule: "SS1",
    title: "two renames at once leave one of both titles",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await Promise.all(["One", "Other"].map((title) => client.sessions.update({ sessionID, title })))
      const { title } = await client.sessions.get({ sessionID })
      expectTrue(`it is called ${show(title)}`, title === "One" || title === "Other")
    },
  },
  {
    rule: "SS1",
    title: "a deleted Session is gone from every operation that reads it",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.delete({ sessionID })
      const reads = [
        client.sessions.get({ sessionID }),
        client.sessions.messages({ sessionID }),
        client.sessions.inbox({ sessionID }),
        client.sessions.history({ sessionID }),
        client.sessions.turns({ sessionID }),
        client.sessions.context({ sessionID }),
        client.sessions.request({ sessionID }),
        client.sessions.prompt({ sessionID, text: "Hello", resume: false }),
      ]
      await Promise.all(reads.map((read) => expectFailure("a deleted Session", read, "SessionNotFound")))
      const { items } = await client.sessions.list({ limit: 200 })
      expectTrue("it is still listed", !items.some(({ id }) => id === sessionID))
    },
  },
  {
    rule: "SS1",
    title: "deleting what is not there is typed, also a second time",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await client.sessions.delete({ sessionID })
      await expectFailure("the second time", client.sessions.delete({ sessionID }), "SessionNotFound")
      const absent = client.sessions.delete({ sessionID: absentIds["sessionID"] ?? "" })
      await expectFailure("an absent Session", absent, "SessionNotFound")
    },
  },
  {
    rule: "SS1",
    title: "deleting one Session leaves the others alone",
    run: async ({ client, session }) => {
      const [one, other] = [await session(), await session()]
      await client.sessions.delete({ sessionID: one.id })
      expectEqual("the other", await client.sessions.get({ sessionID: other.id }), other)
    },
  },
]
