/** Prompts with an id of the caller (PR2), none of which a model has to see; and what is no prompt. */
import type { HoldfastClient } from "@holdfast/client"
import type { Case } from "../case.ts"
import { expectEqual, expectFailure, show } from "../expect.ts"
import { absentIds } from "./ids.ts"

let counted = 0
/** Prompts have one space of ids in all Sessions of a store, so each run needs its own. */
const freshId = (): string => `conformance-${Date.now().toString(36)}-${process.pid}-${counted++}`

const inboxOf = async (
  { sessions }: HoldfastClient,
  sessionID: string,
): Promise<readonly (readonly [id: string, text: string])[]> =>
  (await sessions.inbox({ sessionID })).items.map(({ id, text }) => [id, text] as const)

const repeated: readonly Case[] = [
  {
    rule: "PR2",
    title: "an exact repeat returns the same receipt, and admits nothing",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const asked = { sessionID, text: "Once", id: freshId(), resume: false }
      const first = await client.sessions.prompt(asked)
      for (let nth = 0; nth < 3; nth++) expectEqual("the receipt", await client.sessions.prompt(asked), first)
      expectEqual("the inbox", await inboxOf(client, sessionID), [[asked.id, "Once"]])
    },
  },
  {
    rule: "PR2",
    title: "ten exact repeats at once admit one prompt",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const asked = { sessionID, text: "Once", id: freshId(), resume: false }
      const receipts = await Promise.all(Array.from({ length: 10 }, () => client.sessions.prompt(asked)))
      expectEqual("different receipts", new Set(receipts.map((receipt) => JSON.stringify(receipt))).size, 1)
      expectEqual("the inbox", await inboxOf(client, sessionID), [[asked.id, "Once"]])
    },
  },
  {
    rule: "PR2",
    title: "the same id with another text is a conflict",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const asked = { sessionID, text: "One", id: freshId(), resume: false }
      await client.sessions.prompt(asked)
      for (const text of ["Other", "One ", "one"])
        await expectFailure(
          `the text ${show(text)}`,
          client.sessions.prompt({ ...asked, text }),
          "PromptConflict",
        )
      expectEqual("the inbox", await inboxOf(client, sessionID), [[asked.id, "One"]])
    },
  },
  {
    rule: "PR2",
    title: "the same id with another delivery is a conflict",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const asked = { sessionID, text: "One", id: freshId(), delivery: "queue", resume: false } as const
      await client.sessions.prompt(asked)
      await expectFailure(
        "the other delivery",
        client.sessions.prompt({ ...asked, delivery: "steer" }),
        "PromptConflict",
      )
    },
  },
  {
    rule: "PR2",
    title: "the same id in another Session is a conflict",
    run: async ({ client, session }) => {
      const [one, other] = [await session(), await session()]
      const asked = { text: "One", id: freshId(), resume: false }
      await client.sessions.prompt({ ...asked, sessionID: one.id })
      await expectFailure(
        "the other Session",
        client.sessions.prompt({ ...asked, sessionID: other.id }),
        "PromptConflict",
      )
      expectEqual("its inbox", await inboxOf(client, other.id), [])
    },
  },
  {
    rule: "PR2",
    title: "a conflict that comes at once with the first leaves one text",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const id = freshId()
      const sent = ["One", "Other"].map((text) =>
        client.sessions.prompt({ sessionID, text, id, resume: false }),
      )
      const outcomes = (await Promise.allSettled(sent)).map(({ status }) => status)
      expectEqual("outcomes", outcomes.toSorted(), ["fulfilled", "rejected"])
      expectEqual("prompts in the inbox", (await inboxOf(client, sessionID)).length, 1)
    },
  },
  {
    rule: "PR2",
    title: "a repeat after the prompt was cancelled says so, and does not bring it back",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const asked = { sessionID, text: "Once", id: freshId(), resume: false }
      const first = await client.sessions.prompt(asked)
      await client.sessions.cancel({ sessionID, promptID: asked.id })
      expectEqual("the receipt", await client.sessions.prompt(asked), { ...first, state: "cancelled" })
      expectEqual("the inbox", await inboxOf(client, sessionID), [])
    },
  },
  {
    rule: "PR2",
    title: "a repeat is compared with the text first admitted, also after an edit",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const asked = { sessionID, text: "First", id: freshId(), resume: false }
      const first = await client.sessions.prompt(asked)
      await client.sessions.edit({ sessionID, promptID: asked.id, text: "Edited" })
      expectEqual("the prompt", (await client.sessions.prompt(asked)).prompt, first.prompt)
      await expectFailure(
        "the edited text",
        client.sessions.prompt({ ...asked, text: "Edited" }),
        "PromptConflict",
      )
      expectEqual("the inbox", await inboxOf(client, sessionID), [[asked.id, "Edited"]])
    },
  },
  {
    rule: "PR2",
    title: "prompts without an id are two prompts",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const asked = { sessionID, text: "Twice", resume: false }
      const [one, other] = [await client.sessions.prompt(asked), await client.sessions.prompt(asked)]
      expectEqual(
        "the inbox",
        (await inboxOf(client, sessionID)).map(([id]) => id),
        [one.prompt, other.prompt],
      )
    },
  },
  {
    rule: "PR2",
    title: "the id of the caller is the id of the prompt",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      for (const id of [freshId(), `${freshId()}.a:b_c-D`]) {
        const receipt = await client.sessions.prompt({ sessionID, text: "Hello", id, resume: false })
        expectEqual(
          "the receipt",
          [receipt.prompt, receipt.session, receipt.state],
          [id, sessionID, "pending"],
        )
      }
    },
  },
  {
    rule: "PR2",
    title: "an id that cannot be one is InvalidId",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      for (const id of ["", "-a", "a b", "a\u0000", "a/b", "💥", "a".repeat(129)])
        await expectFailure(
          `the id ${show(id)}`,
          client.sessions.prompt({ sessionID, text: "Hello", id, resume: false }),
          "InvalidId",
        )
      expectEqual("the inbox", await inboxOf(client, sessionID), [])
    },
  },
  {
    rule: "PR2",
    title: "a refused prompt does not use up its id",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const id = freshId()
      const asked = { text: "Hello", id, resume: false }
      const absent = client.sessions.prompt({ ...asked, sessionID: absentIds["sessionID"] ?? "" })
      await expectFailure("an absent Session", absent, "SessionNotFound")
      expectEqual("the state", (await client.sessions.prompt({ ...asked, sessionID })).state, "pending")
    },
  },
]

const refusedTexts: readonly (readonly [what: string, text: string])[] = [
  ["nothing", ""],
  ["white space", " \n\t"],
  ["a NUL", "a\u0000b"],
  ["half a surrogate pair", "a\ud800b"],
  ["more than 1 MiB", "a".repeat(1_048_577)],
]

const texts: readonly Case[] = [
  ...refusedTexts.map(([what, text]): Case => ({
    rule: "PG4",
    title: `a prompt of ${what} is PromptRefused, and so is an edit to it`,
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const { prompt } = await client.sessions.prompt({ sessionID, text: "Good", resume: false })
      await expectFailure(
        "the prompt",
        client.sessions.prompt({ sessionID, text, resume: false }),
        "PromptRefused",
      )
      await expectFailure(
        "the edit",
        client.sessions.edit({ sessionID, promptID: prompt, text }),
        "PromptRefused",
      )
      expectEqual("the inbox", await inboxOf(client, sessionID), [[prompt, "Good"]])
    },
  })),
  {
    rule: "CL4",
    title: "a text comes back as it was sent",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const sent = [
        "Ünïcödé 💥 مرحبا",
        "  spaces  ",
        "a\r\nb\tc",
        "\u202e\u200b\ufeff",
        '{"json":true}',
        "a".repeat(100_000),
      ]
      for (const text of sent) await client.sessions.prompt({ sessionID, text, resume: false })
      expectEqual(
        "the inbox",
        (await inboxOf(client, sessionID)).map(([, text]) => text),
        sent,
      )
    },
  },
]

const inbox: readonly Case[] = [
  {
    rule: "PG4",
    title: "editing or cancelling a prompt that is not there is PromptNotFound",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const promptID = absentIds["promptID"] ?? ""
      await expectFailure(
        "an edit",
        client.sessions.edit({ sessionID, promptID, text: "Hello" }),
        "PromptNotFound",
      )
      await expectFailure("a cancel", client.sessions.cancel({ sessionID, promptID }), "PromptNotFound")
    },
  },
  {
    rule: "PG4",
    title: "a prompt of another Session is PromptNotFound",
    run: async ({ client, session }) => {
      const [one, other] = [await session(), await session()]
      const { prompt: promptID } = await client.sessions.prompt({
        sessionID: one.id,
        text: "Hello",
        resume: false,
      })
      await expectFailure(
        "an edit",
        client.sessions.edit({ sessionID: other.id, promptID, text: "Mine" }),
        "PromptNotFound",
      )
      await expectFailure(
        "a cancel",
        client.sessions.cancel({ sessionID: other.id, promptID }),
        "PromptNotFound",
      )
      expectEqual("its inbox", await inboxOf(client, one.id), [[promptID, "Hello"]])
    },
  },
  {
    rule: "PG4",
    title: "a cancelled prompt cannot be edited",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const { prompt: promptID } = await client.sessions.prompt({ sessionID, text: "Hello", resume: false })
      expectEqual("the state", (await client.sessions.cancel({ sessionID, promptID })).state, "cancelled")
      await expectFailure(
        "the edit",
        client.sessions.edit({ sessionID, promptID, text: "Again" }),
        "PromptNotPending",
      )
    },
  },
  {
    rule: "PR2",
    title: "cancelling is idempotent, or says that nothing waits",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const { prompt: promptID } = await client.sessions.prompt({ sessionID, text: "Hello", resume: false })
      const first = await client.sessions.cancel({ sessionID, promptID })
      const second = await client.sessions
        .cancel({ sessionID, promptID })
        .catch((failure: unknown) => failure)
      const told = "_tag" in (second as object) ? (second as { readonly _tag: string })._tag : second
      if (told !== "PromptNotPending") expectEqual("the second receipt", told, first)
    },
  },
  {
    rule: "PG4",
    title: "resuming a Session that owes nothing is NothingOwed",
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      await expectFailure("the failure", client.sessions.resume({ sessionID }), "NothingOwed")
    },
  },
]

export const promptCases: readonly Case[] = [...repeated, ...texts, ...inbox]
