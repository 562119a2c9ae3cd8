/** A model drops what it has read, on every wire: the requests stay legal and stable, and nothing is lost. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { expandTool, reduceTool, type Tool, todoTool } from "@holdfast/core/tools/index"
import type { FactOf, FactType } from "@holdfast/schema/event"
import type { Reply, ReplyBlock, RequestView } from "@holdfast/provider-sim"
import { modelOf, openWorld, wireNames, type WiresWorld } from "./world.ts"

const callsEach = 11

const tool = (name: string): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { step: { type: "integer" } }, required: ["step"] },
  repeatable: true,
  run: (input) => Effect.succeed({ text: `worked on ${(input as { step: number }).step}` }),
})

/** Goes by the newest words of the user; after results it answers. */
function reply({ messages, callIndex }: RequestView): Reply {
  const blocks = messages.flatMap((message) => message.blocks)
  const own = blocks.filter((block) => block.type !== "text" || !block.text.startsWith("<notice"))
  const last = own.at(-1)
  if (last?.type !== "text") return { blocks: [{ type: "text", text: `Done, ${callIndex}.` }] }
  const [, words = "", given = ""] = /^§\d+§ (\w+) ?(.*)/s.exec(last.text) ?? []
  const calls: readonly ReplyBlock[] = {
    Work: Array.from({ length: callsEach }, (_, n) => use("work", { step: 100 * callIndex + n })),
    Reduce: [use("context_reduce", { drop: given })],
    Plan: [use("todo", { todos: [{ content: "Mend it", status: "in_progress" }] })],
    Expand: [use("context_expand", { part: given })],
  }[words] ?? [{ type: "text", text: "Yes." }]
  return {
    blocks: [
      { type: "thinking", text: `What now, ${callIndex}?` },
      { type: "text", text: "I see." },
      ...calls,
    ],
  }
}

const use = (name: string, input: object): ReplyBlock => ({ type: "tool_use", name, input }) as ReplyBlock

async function play(world: WiresWorld, wire: string, tools: Tool[]) {
  const run = Effect.runPromise
  const { id } = await run(world.runtime().create({ directory: world.directory, model: modelOf(wire) }))
  const provider = world.providers.get(wire)
  const say = async (text: string) => {
    await run(world.runtime().prompt({ sessionID: id, text }))
    const end = await run(world.runtime().settled(id))
    const refused = provider?.log.findLast(({ status }) => status !== 200)?.error
    expect({ wire, text, end, refused }).toEqual({ wire, text, end: { kind: "done" }, refused: undefined })
  }
  const facts = async <T extends FactType>(type: T) =>
    (await run(world.runtime().events(id, 0, 10_000, false))).flatMap(({ seq, fact }) =>
      fact.type === type ? [{ seq, ...(fact as unknown as FactOf<T>) }] : [],
    )
  const passes = async () => (await facts("turn.started")).map(({ pass }) => pass)
  await say("Plan")
  for (let n = 0; n < 2; n++) await say("Work")
  const tags = (await facts("part.recorded")).flatMap(({ seq, part }) =>
    part.type === "call" && part.name === "work" ? [seq] : [],
  )
  expect(tags).toHaveLength(2 * callsEach)
  const [, first] = (await facts("prompt.promoted")).map(({ seq }) => seq)
  for (let n = 0; n < 2; n++) await say("Work")
  await say(`Reduce ${first},${tags.at(0)}-${tags.at(-1)}`)
  expect((await facts("pass.applied")).flatMap(({ ops }) => ops)).toEqual([])
  // Another tool breaks the prefix, and what was queued goes with it.
  tools.push(tool("other"))
  await world.reboot()
  await say("On")
  const { ops, consumes, tokensBefore, tokensAfter } = (await facts("pass.applied")).at(-1)!
  const left = ops.flatMap((op) => (op.op === "drop" ? [op.leaves] : []))
  expect(left.filter((leaves) => leaves === "skeleton")).toHaveLength(20)
  expect(left.filter((leaves) => leaves === "nothing")).toHaveLength(2 + 2 * callsEach - 20)
  expect([consumes.length, tokensAfter < tokensBefore]).toEqual([1, true])
  expect(ops.at(-1)).toMatchObject({ op: "anchor-todo" })
  expect((await passes()).at(-1)).toBe("refresh")
  const before = (await passes()).length
  await say("On")
  await world.reboot()
  await say(`Expand §${tags[0]}§`)
  expect((await passes()).slice(before)).toEqual(Array.from({ length: 3 }, () => "hold"))
  const outputs = (await facts("call.settled")).map(({ outcome }) => outcome.output)
  expect(outputs.at(-1)).toMatch(/^#\d+ you\n\[work \{"step":\d+\}: done\]\nworked on \d+$/)
  const verified = await run(world.runtime().verify(id))
  expect(verified.filter(({ verdict }) => verdict.kind !== "same")).toEqual([])
  return {
    sent: await run(world.runtime().sentRequest(id, (await facts("turn.started")).at(-1)!.turn)),
    tags,
    first,
  }
}

test.each(wireNames)("[TG1 TG2 TG4 PS3 ND2] drops leave a legal and stable request on %s", async (wire) => {
  const tools = [tool("work"), expandTool, reduceTool, todoTool]
  const world = await openWorld(reply, tools)
  try {
    const { sent, tags, first } = await play(world, wire, tools)
    const body = sent.body ?? ""
    for (const tag of [first, tags.at(-1)]) expect(body).toContain(`[dropped §${tag}§]`)
    expect(body).not.toContain(`§${tags[0]}§ worked`)
    expect(body).toContain("1 of 1 open")
  } finally {
    await world.close()
  }
})
