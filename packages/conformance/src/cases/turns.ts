/** What a model answers, and what is kept of it (PR2, EP11, TU7, PG2). Nothing is assumed of its words. */
import { strict as assert } from "node:assert"
import { type RunResult, settled } from "@holdfast/client"
import type { Case } from "../case.ts"
import { expectEqual, expectFailure, expectTrue, show } from "../expect.ts"
import type { Stage } from "../stage.ts"

const needs = ["prompt"] as const
const text = "Say hello in one word."

interface Answered {
  readonly sessionID: string
  readonly promptID: string
  readonly result: RunResult
}

/** A Session in which a model answered one prompt. */
async function answered({ client, session }: Stage): Promise<Answered> {
  const { id: sessionID } = await session()
  const { prompt: promptID } = await client.sessions.prompt({ sessionID, text })
  const result = await settled(client, { sessionID })
  expectEqual(`what became of the prompt (${show(result.reason)})`, result.status, "done")
  return { sessionID, promptID, result }
}

const prompts: readonly Case[] = [
  {
    rule: "PR2",
    title: "a repeat after the model got the prompt says promoted, and starts no turn",
    needs,
    run: async (stage) => {
      const { sessionID, promptID } = await answered(stage)
      const before = await stage.client.sessions.get({ sessionID })
      const receipt = await stage.client.sessions.prompt({ sessionID, text, id: promptID })
      expectEqual("the receipt", [receipt.prompt, receipt.state], [promptID, "promoted"])
      await settled(stage.client, { sessionID })
      expectEqual("the sequence", (await stage.client.sessions.get({ sessionID })).seq, before.seq)
    },
  },
  {
    rule: "PR2",
    title: "a prompt that the model got cannot be edited or cancelled",
    needs,
    run: async (stage) => {
      const { sessionID, promptID } = await answered(stage)
      const { sessions } = stage.client
      await expectFailure(
        "an edit",
        sessions.edit({ sessionID, promptID, text: "Other" }),
        "PromptNotPending",
      )
      await expectFailure("a cancel", sessions.cancel({ sessionID, promptID }), "PromptNotPending")
    },
  },
  {
    rule: "PR2",
    title: "five repeats at once start one turn and leave one message",
    needs,
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const id = `conformance-${sessionID}`
      await Promise.all(Array.from({ length: 5 }, () => client.sessions.prompt({ sessionID, text, id })))
      await settled(client, { sessionID })
      const { items } = await client.sessions.messages({ sessionID })
      expectEqual("messages of the user", items.filter(({ kind }) => kind === "user").length, 1)
      const { items: events } = await client.sessions.history({ sessionID, limit: 200 })
      expectEqual("promotions", events.filter(({ fact }) => fact.type === "prompt.promoted").length, 1)
    },
  },
]

const messages: readonly Case[] = [
  {
    rule: "EP11",
    title: "messages hide those of the system unless they are asked for",
    needs,
    run: async (stage) => {
      const { sessionID } = await answered(stage)
      const plain = await stage.client.sessions.messages({ sessionID })
      expectTrue(
        "one of the system is shown",
        plain.items.every(({ kind }) => kind !== "system"),
      )
      const all = await stage.client.sessions.messages({ sessionID, system: true })
      const ids = all.items.filter(({ kind }) => kind !== "system").map(({ id }) => id)
      expectEqual(
        "the others",
        ids,
        plain.items.map(({ id }) => id),
      )
    },
  },
  {
    rule: "EP11",
    title: "asking for messages of the system carries over to the next page",
    needs,
    run: async (stage) => {
      const { sessionID } = await answered(stage)
      const { sessions } = stage.client
      const whole = await sessions.messages({ sessionID, system: true })
      const ids: string[] = []
      let page = await sessions.messages({ sessionID, system: true, limit: 1 })
      for (; ; page = await sessions.messages({ sessionID, cursor: page.next })) {
        ids.push(...page.items.map(({ id }) => id))
        if (page.next === null) break
      }
      expectEqual(
        "ids",
        ids,
        whole.items.map(({ id }) => id),
      )
    },
  },
  {
    rule: "PG1",
    title: "messages can be read from either end",
    needs,
    run: async (stage) => {
      const { sessionID } = await answered(stage)
      const { sessions } = stage.client
      const oldest = await sessions.messages({ sessionID, order: "oldest-first" })
      const newest = await sessions.messages({ sessionID, order: "newest-first" })
      expectEqual(
        "the other order",
        newest.items.map(({ id }) => id),
        oldest.items.map(({ id }) => id).toReversed(),
      )
    },
  },
  {
    rule: "PG2",
    title: "a message is read alone as in its list, and only in its own Session",
    needs,
    run: async (stage) => {
      const { sessionID } = await answered(stage)
      const { items } = await stage.client.sessions.messages({ sessionID })
      const [first] = items
      assert(first !== undefined, "there is no message")
      expectEqual(
        "the message",
        await stage.client.sessions.message({ sessionID, messageID: first.id }),
        first,
      )
      const other = await stage.session()
      const foreign = stage.client.sessions.message({ sessionID: other.id, messageID: first.id })
      await expectFailure("a foreign message", foreign, "MessageNotFound")
    },
  },
]

const ledger: readonly Case[] = [
  {
    rule: "TU7",
    title: "every turn leaves a row with its request, tokens, attempts and duration",
    needs,
    run: async (stage) => {
      const { sessionID, result } = await answered(stage)
      const { items } = await stage.client.sessions.turns({ sessionID })
      expectEqual("rows", items.length, result.turns)
      for (const { started, settled: end } of items) {
        assert(end !== null, `the turn ${started.turn} has no end`)
        const { usage, attempts, durationMs, cost } = end.ledger
        expectTrue("the request has no hash", started.request.hash !== "")
        const numbers = [usage.input, usage.output, usage.cacheRead, usage.cacheWrite, durationMs]
        expectTrue(
          `not all are counts: ${show(numbers)}`,
          numbers.every((count) => Number.isFinite(count) && count >= 0),
        )
        expectTrue(`it has ${attempts.length} attempts`, attempts.length >= 1)
        expectTrue(`it costs ${show(cost)}`, cost === null || cost >= 0)
      }
    },
  },
  {
    rule: "TU7",
    title: "the rows add up to what the result says",
    needs,
    run: async (stage) => {
      const { sessionID, result } = await answered(stage)
      const { items } = await stage.client.sessions.turns({ sessionID })
      const sum = (field: "input" | "output") =>
        items.reduce((total, { settled: end }) => total + (end?.ledger.usage[field] ?? 0), 0)
      expectEqual(
        "tokens in and out",
        [result.usage.input, result.usage.output],
        [sum("input"), sum("output")],
      )
    },
  },
  {
    rule: "TU7",
    title: "a turn that breaks with the request before it says where and why",
    needs,
    run: async (stage) => {
      const { sessionID } = await answered(stage)
      await stage.client.sessions.prompt({ sessionID, text })
      await settled(stage.client, { sessionID })
      const { items } = await stage.client.sessions.turns({ sessionID })
      for (const { started } of items)
        expectTrue(
          `the break has no reason: ${show(started.break)}`,
          started.break === null || started.break.reason !== "",
        )
    },
  },
  {
    rule: "TU7",
    title: "the request of every turn, rebuilt, is the one that was sent",
    needs,
    run: async (stage) => {
      const { sessionID } = await answered(stage)
      const { items } = await stage.client.sessions.verify({ sessionID })
      expectTrue("no turn was verified", items.length > 0)
      expectEqual("verdicts", [...new Set(items.map(({ verdict }) => verdict.kind))], ["same"])
    },
  },
  {
    rule: "EV4",
    title: "the durable stream of a turn holds no fragments, and ends its turn",
    needs,
    run: async (stage) => {
      const { sessionID } = await answered(stage)
      const { items } = await stage.client.sessions.history({ sessionID, limit: 200 })
      const types = items.map(({ fact }) => fact.type as string)
      expectTrue(`there is one: ${show(types)}`, !types.some((type) => type.endsWith("-delta")))
      const count = (type: string) => types.filter((one) => one === type).length
      expectEqual("ends of turns", count("turn.settled"), count("turn.started"))
    },
  },
  {
    rule: "EV5",
    title: "the live stream shows the work of a Session of this instance",
    needs,
    run: async ({ client, session }) => {
      const { id: sessionID } = await session()
      const iterator = client.events.subscribe()[Symbol.asyncIterator]()
      try {
        await iterator.next()
        await client.sessions.prompt({ sessionID, text })
        for (;;) {
          const next = await iterator.next()
          assert(next.done !== true, "the live stream ended")
          if ("session" in next.value && next.value.session === sessionID) return
        }
      } finally {
        await iterator.return?.()
        await settled(client, { sessionID })
      }
    },
  },
]

export const turnCases: readonly Case[] = [...prompts, ...messages, ...ledger]
