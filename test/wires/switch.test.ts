/** One Session moves between all wires, with calls, reasoning and results behind it. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Tool } from "@holdfast/core/tools/index"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import { modelOf, openWorld, wireNames } from "./world.ts"

const work: Tool = {
  name: "work",
  description: "Does the work.",
  inputSchema: { type: "object", properties: { step: { type: "integer" } }, required: ["step"] },
  repeatable: true,
  run: () => Effect.succeed({ text: "worked ✓" }),
}

/** Thinks and calls two tools after the user's words, answers after their results. */
function reply({ messages, callIndex }: RequestView): Reply {
  const last = messages.at(-1)?.blocks.at(-1)
  if (last?.type === "tool_result") return { blocks: [{ type: "text", text: `Done, ${callIndex}.` }] }
  return {
    blocks: [
      { type: "thinking", text: `What is to be done, ${callIndex}?` },
      { type: "text", text: "I work." },
      { type: "tool_use", name: "work", input: { step: 1 } },
      { type: "tool_use", name: "work", input: { step: 2 } },
    ],
  }
}

/** A way that takes every ordered pair of different names once. */
function everyPair(names: readonly string[]): readonly string[] {
  const left = new Map(names.map((name) => [name, names.filter((other) => other !== name)]))
  const way: string[] = []
  const stack = names.slice(0, 1)
  for (let name = stack.at(-1); name !== undefined; name = stack.at(-1)) {
    const next = left.get(name)?.pop()
    if (next === undefined) way.push(stack.pop() ?? name)
    else stack.push(next)
  }
  return way.toReversed()
}

test("[LL1 LL3 LL4] a Session moves between every two wires, and no provider refuses a request", async () => {
  const way = everyPair(wireNames)
  expect(way).toHaveLength(wireNames.length * (wireNames.length - 1) + 1)
  const world = await openWorld(reply, [work])
  try {
    const { runtime, directory, providers } = world
    const run = Effect.runPromise
    const { id } = await run(runtime.create({ directory, model: modelOf(way[0] ?? "") }))
    for (const [step, wire] of way.entries()) {
      await run(runtime.switchModel(id, modelOf(wire)))
      await run(runtime.prompt({ sessionID: id, text: `Step ${step} ✓ on ${wire}.` }))
      const end = await run(runtime.settled(id))
      const refused = providers.get(wire)?.log.at(-1)?.error
      expect({ step, wire, end, refused }).toEqual({ step, wire, end: { kind: "done" }, refused: undefined })
    }
    const refusals = [...providers.values()].flatMap(({ log }) => log.filter(({ status }) => status !== 200))
    expect(refusals).toEqual([])
    const verified = await run(runtime.verify(id))
    expect(verified).toHaveLength(2 * way.length)
    expect(verified.filter(({ verdict }) => verdict.kind !== "same")).toEqual([])
    const turns = await run(runtime.turns(id))
    expect(new Set(turns.map(({ started }) => started.model.provider))).toEqual(new Set(wireNames))
  } finally {
    await world.close()
  }
})
