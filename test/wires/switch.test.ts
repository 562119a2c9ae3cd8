/** One Session moves between all wires, with calls, reasoning and results behind it. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Tool } from "@holdfast/core/tools/index"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import { png, takeImage } from "../stage/png.ts"
import { modelOf, openWorld, wireNames } from "./world.ts"

const work: Tool = {
  name: "work",
  description: "Does the work.",
  inputSchema: { type: "object", properties: { step: { type: "integer" } }, required: ["step"] },
  repeatable: true,
  run: (input) =>
    Effect.map(takeImage(picture((input as { step: number }).step)), (image) => ({
      text: "worked ✓",
      images: [image],
    })),
}

/** Thinks and calls two tools after the user's words, answers after their results. */
function reply({ messages, callIndex }: RequestView): Reply {
  // On some wires images follow the results that they belong to, with words of the runtime.
  const last = messages
    .flatMap(({ blocks }) => blocks)
    .findLast(
      (block) => block.type !== "image" && !(block.type === "text" && block.text.startsWith("<notice")),
    )
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

const promptWidthMin = 10
const picture = (width: number) => ({ bytes: png(width, 5), name: `${width}.png` })

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

test("[LL1 LL3 LL4 LL7 EP10] a Session moves between every two wires, and no provider refuses a request", async () => {
  const way = everyPair(wireNames)
  expect(way).toHaveLength(wireNames.length * (wireNames.length - 1) + 1)
  const world = await openWorld(reply, [work])
  try {
    const { directory, providers } = world
    const runtime = world.runtime()
    const run = Effect.runPromise
    const { id } = await run(runtime.create({ directory, model: modelOf(way[0] ?? "") }))
    for (const [step, wire] of way.entries()) {
      await run(runtime.switchModel(id, modelOf(wire)))
      const images = step % 4 === 0 ? [picture(promptWidthMin + step)] : []
      await run(runtime.prompt({ sessionID: id, text: `Step ${step} ✓ on ${wire}.`, images }))
      const end = await run(runtime.settled(id))
      const refused = providers.get(wire)?.log.at(-1)?.error
      expect({ step, wire, end, refused }).toEqual({ step, wire, end: { kind: "done" }, refused: undefined })
    }
    const refusals = [...providers.values()].flatMap(({ log }) => log.filter(({ status }) => status !== 200))
    expect(refusals).toEqual([])
    // Every wire was shown what came with prompts, which is wide, and with results, which is not.
    for (const [wire, { log }] of providers) {
      const widths = log.flatMap(({ images = [] }) => images.map(({ width }) => width))
      expect({ wire, wide: widths.some((width) => width >= promptWidthMin) }).toEqual({ wire, wide: true })
      expect({ wire, narrow: widths.some((width) => width < promptWidthMin) }).toEqual({ wire, narrow: true })
    }
    const verified = await run(runtime.verify(id))
    expect(verified).toHaveLength(2 * way.length)
    expect(verified.filter(({ verdict }) => verdict.kind !== "same")).toEqual([])
    const events = await run(runtime.events(id, 0, 10_000, false))
    expect(events.filter(({ fact }) => fact.type === "epoch.started")).toHaveLength(1)
    const turns = await run(runtime.turns(id))
    expect(new Set(turns.map(({ started }) => started.model.provider))).toEqual(new Set(wireNames))
  } finally {
    await world.close()
  }
})
