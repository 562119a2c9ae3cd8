/** What Sessions ask, and the answers (PE5, PR8). A model that calls no tool which asks leaves most of it out. */
import { type Ask, settled } from "@holdfast/client"
import type { Case } from "../case.ts"
import { expectEqual, expectFailure, expectTrue } from "../expect.ts"
import type { Stage } from "../stage.ts"

const needs = ["prompt"] as const

interface Asking {
  readonly sessionID: string
  readonly ask: Ask
}

/** A Session that waits for the permission to write a file. */
async function asking({ client, session, skip }: Stage): Promise<Asking> {
  const { id: sessionID } = await session({ onAsk: "wait" })
  const text = 'Create holdfast-conformance.txt with "hello".'
  await client.sessions.prompt({ sessionID, text })
  const { status } = await settled(client, { sessionID })
  const [ask] = (await client.asks.list({ sessionID })).items
  if (status !== "asking" || ask === undefined || ask.kind !== "permission")
    return skip("the model did nothing that asks")
  return { sessionID, ask }
}

export const askCases: readonly Case[] = [
  {
    rule: "PE5",
    title: "an ask that was never raised cannot be answered",
    changesNothing: true,
    run: async ({ client: { asks } }) => {
      const answer = asks.answer({ askID: "ask_none", decision: "allow" })
      const { ask } = await expectFailure("the answer", answer, "AskNotOpen")
      expectEqual("the ask that is named", ask, "ask_none")
    },
  },
  {
    rule: "PE5",
    title: "asks of a Session that is not there are refused",
    changesNothing: true,
    run: async ({ client: { asks } }) => {
      await expectFailure("the list", asks.list({ sessionID: "ses_none" }), "SessionNotFound", "InvalidId")
    },
  },
  {
    rule: "PE5",
    title: "an ask is listed with its whole input, and by resume",
    needs,
    run: async (stage) => {
      const { sessionID, ask } = await asking(stage)
      const { asks, sessions } = stage.client
      expectTrue("the input of its call", ask.call !== null)
      expectTrue("what would be touched", ask.resources.length > 0)
      const all = (await asks.list({ limit: 200 })).items
      expectTrue(
        "the list of all Sessions holds it",
        all.some(({ id }) => id === ask.id),
      )
      expectEqual("what resume returns", (await sessions.resume({ sessionID })).asks, [ask])
      const { status } = await sessions.get({ sessionID })
      expectEqual("the status", [status.state, status.asks, status.owing], ["asking", 1, false])
    },
  },
  {
    rule: "PE5",
    title: "an answer that does not fit is refused, and the ask stays open",
    needs,
    run: async (stage) => {
      const { sessionID, ask } = await asking(stage)
      const { asks } = stage.client
      const askID = ask.id
      const refused = "AnswerRefused"
      await expectFailure("a text", asks.answer({ askID, decision: "answer", text: "Yes" }), refused)
      await expectFailure("rules", asks.answer({ askID, decision: "allow", rules: ["write"] }), refused)
      const unreadable = asks.answer({ askID, decision: "allow", scope: "session", rules: ["write("] })
      await expectFailure("a rule", unreadable, "RuleInvalid")
      expectEqual("what is open", (await asks.list({ sessionID })).items, [ask])
    },
  },
  {
    rule: "PE5",
    title: "of two answers at once one is taken, and a later one is refused",
    needs,
    run: async (stage) => {
      const { sessionID, ask } = await asking(stage)
      const { asks } = stage.client
      const decline = () => asks.answer({ askID: ask.id, decision: "decline", text: "Not now." })
      const both = await Promise.allSettled([decline(), decline()])
      expectEqual("how many were taken", both.filter(({ status }) => status === "fulfilled").length, 1)
      await expectFailure("a third", decline(), "AskNotOpen")
      await settled(stage.client, { sessionID })
      expectEqual(
        "what is open",
        (await asks.list({ sessionID })).items.filter(({ id }) => id === ask.id),
        [],
      )
    },
  },
  {
    rule: "PE5",
    title: "the Effect client lists and answers as the other does",
    needs: ["prompt", "effect"],
    run: async (stage) => {
      const { ask } = await asking(stage)
      const { call } = stage.effect()
      const { items } = (await call("asks.list", { sessionID: ask.session })) as {
        readonly items: readonly Ask[]
      }
      expectEqual("the list", items, [ask])
      await call("asks.answer", { askID: ask.id, decision: "decline" })
      const again = stage.client.asks.answer({ askID: ask.id, decision: "decline" })
      await expectFailure("the other client afterwards", again, "AskNotOpen")
      await settled(stage.client, { sessionID: ask.session })
    },
  },
]
