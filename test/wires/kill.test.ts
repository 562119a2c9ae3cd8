/**
 * A process is killed between any two frames of an answer, on every wire; the next one carries on,
 * on the same wire and on others (LL1, LL3, TU3, TU4).
 *
 * How many wires are tried after each kill: one in `npm test`, another for each frame; all of them
 * in `npm run prove`.
 */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Tool } from "@holdfast/core/tools/index"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import { modelOf, openWorld, wireNames, type WiresWorld } from "./world.ts"

const wiresAfter = Number(process.env["HOLDFAST_WIRES_AFTER_KILL"] ?? 1)
const run = Effect.runPromise

/** Thinks, speaks and calls two tools after the user's words; thinks and answers after results. */
function reply({ messages, callIndex }: RequestView): Reply {
  const last = messages.at(-1)?.blocks.at(-1)
  if (last?.type === "tool_result") {
    return { blocks: [{ type: "text", text: `It is done ✓, ${callIndex}, and well.` }] }
  }
  return {
    blocks: [
      { type: "thinking", text: `What is to be done, ${callIndex}?` },
      { type: "text", text: "I work ✓ on it." },
      { type: "tool_use", name: "work", input: { step: 1 } },
      { type: "tool_use", name: "work", input: { step: 2 } },
    ],
  }
}

interface Counted {
  readonly tool: Tool
  readonly started: Map<string, number>
}

function countedTool(): Counted {
  const started = new Map<string, number>()
  const tool: Tool = {
    name: "work",
    description: "Does the work.",
    inputSchema: { type: "object", properties: { step: { type: "integer" } }, required: ["step"] },
    repeatable: true,
    run: (_, { callId }) =>
      Effect.sync(() => {
        started.set(callId, (started.get(callId) ?? 0) + 1)
        return { text: "worked ✓" }
      }),
  }
  return { tool, started }
}

/** Kills the process before frame `frame` of the answers to one prompt; false if it ended before. */
async function killedAt(world: WiresWorld, session: string, frame: number): Promise<boolean> {
  const runtime = world.runtime()
  world.stalls.before(frame)
  await run(runtime.prompt({ sessionID: session, text: `Work ✓, to be killed at ${frame}.` }))
  const killed = await Promise.race([
    world.stalls.reached().then(() => true),
    run(runtime.settled(session)).then(() => false),
  ])
  world.stalls.end()
  if (killed) await world.reboot()
  return killed
}

test.each(wireNames)("[LL3 TU4] a kill between any two frames of %s leaves a legal history", async (wire) => {
  const { tool, started } = countedTool()
  const world = await openWorld(reply, [tool])
  try {
    let frame = 0
    for (; ; frame++) {
      const { id } = await run(world.runtime().create({ directory: world.directory, model: modelOf(wire) }))
      const killed = await killedAt(world, id, frame)
      if (!killed) break
      for (let n = 0; n < wiresAfter; n++) {
        const next = wireNames[(frame + n) % wireNames.length] ?? wire
        await run(world.runtime().switchModel(id, modelOf(next)))
        await run(world.runtime().prompt({ sessionID: id, text: `Carry on, ${n}.` }))
        const end = await run(world.runtime().settled(id))
        const error = world.providers.get(next)?.log.at(-1)?.error
        expect({ frame, next, end, error }).toEqual({ frame, next, end: { kind: "done" }, error: undefined })
      }
      const verified = await run(world.runtime().verify(id))
      expect(verified.filter(({ verdict }) => verdict.kind !== "same")).toEqual([])
    }
    expect(frame).toBeGreaterThan(framesMin)
    const refusals = [...world.providers.values()].flatMap(({ log }) =>
      log.filter(({ status }) => status !== 200),
    )
    expect(refusals).toEqual([])
    expect([...started.values()].filter((times) => times > 1)).toEqual([])
  } finally {
    await world.close()
  }
})

/** Two answers with a thought, words and two calls come in more frames than that on any wire. */
const framesMin = 5
