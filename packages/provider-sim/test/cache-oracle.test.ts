/** Cache oracle: what is read, written and forgotten. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../src/index.ts"
import type { ProviderSim } from "../src/index.ts"
import { body, post, readTool } from "./requests.ts"

const marked = { cache_control: { type: "ephemeral" } }
const markedLong = { cache_control: { type: "ephemeral", ttl: "1h" } }
const system = (more: object = marked) => [{ type: "text", text: "rule ".repeat(1_200), ...more }]

function cacheSim(): ProviderSim {
  const model = scripted(() => textReply("Hi."), { thinking: true, systemRole: true })
  return createProviderSim({ models: { plain: model, other: model } })
}

function send(sim: ProviderSim, changes: object, nowMs: number) {
  const response = sim.respond(post(body(changes)), nowMs)
  expect(response.status).toBe(200)
  return sim.log.at(-1)?.cache ?? { read: -1, write: -1, input: -1 }
}

/** A conversation of so many user messages, the last of them marked. */
function talk(count: number, more: object = marked): object[] {
  const messages: object[] = []
  for (let index = 0; index < count; index++) {
    const last = index === count - 1 ? more : {}
    messages.push({ role: "user", content: [{ type: "text", text: `Question ${index}`, ...last }] })
    if (index < count - 1) messages.push({ role: "assistant", content: `Answer ${index}` })
  }
  return messages
}

test("reads exactly what the previous request read and wrote while a conversation grows", () => {
  const sim = cacheSim()
  let before = send(sim, { system: system(), messages: talk(1) }, 0)
  expect(before.read).toBe(0)
  expect(before.write).toBeGreaterThan(1_024)
  for (let count = 2; count < 12; count++) {
    const now = send(sim, { system: system(), messages: talk(count) }, count * 60_000)
    expect(now.read).toBe(before.read + before.write)
    expect(now.write).toBeGreaterThan(0)
    before = now
  }
})

test("caches nothing without a marker or under the minimum", () => {
  const sim = cacheSim()
  for (const changes of [{ system: system({}) }, { system: [{ type: "text", text: "short", ...marked }] }]) {
    send(sim, changes, 0)
    const again = send(sim, changes, 1)
    expect(again).toMatchObject({ read: 0, write: 0 })
  }
})

test("reports the three parts of a prompt so that they add up", () => {
  const sim = cacheSim()
  const first = send(sim, { system: system() }, 0)
  const second = send(sim, { system: system() }, 1)
  expect(first.read + first.write + first.input).toBe(second.read + second.write + second.input)
  expect(second).toEqual({ read: first.write, write: 0, input: first.input })
})

test("forgets after five minutes from the start of the last use", () => {
  const sim = cacheSim()
  const written = send(sim, { system: system() }, 0).write
  expect(send(sim, { system: system() }, 299_999).read).toBe(written)
  expect(send(sim, { system: system() }, 299_999 + 299_999).read).toBe(written)
  expect(send(sim, { system: system() }, 299_999 + 299_999 + 300_000)).toMatchObject({
    read: 0,
    write: written,
  })
})

test("keeps a long entry for an hour and prices both lives apart", () => {
  const sim = cacheSim()
  const changes = { system: system(markedLong), messages: talk(1) }
  const response = sim.respond(post(body(changes)), 0)
  const [frame] = response.frames
  const message = JSON.parse(
    new TextDecoder().decode(frame?.kind === "bytes" ? frame.bytes : new Uint8Array()),
  ) as {
    usage: { cache_creation: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number } }
  }
  const { ephemeral_1h_input_tokens: long, ephemeral_5m_input_tokens: short } = message.usage.cache_creation
  expect(long).toBeGreaterThan(1_024)
  expect(short).toBeGreaterThan(0)
  expect(send(sim, changes, 3_599_999)).toMatchObject({ read: long, write: short })
})

test("looks back twenty blocks from a marker and no further", () => {
  const grown = (blocks: number) => [
    {
      role: "user",
      content: Array.from({ length: blocks }, (_, index) => ({
        type: "text",
        text: `part ${index}`,
        ...(index === blocks - 1 ? marked : {}),
      })),
    },
  ]
  const near = cacheSim()
  const written = send(near, { system: system({}), messages: grown(1) }, 0).write
  expect(send(near, { system: system({}), messages: grown(20) }, 1).read).toBe(written)
  const far = cacheSim()
  send(far, { system: system({}), messages: grown(1) }, 0)
  expect(send(far, { system: system({}), messages: grown(21) }, 1).read).toBe(0)
})

test("reads only where an entry was written, not at any common prefix", () => {
  const sim = cacheSim()
  const content = (tail: string) => [
    {
      role: "user",
      content: [
        { type: "text", text: "x ".repeat(4_000) },
        { type: "text", text: tail, ...marked },
      ],
    },
  ]
  send(sim, { messages: content("one") }, 0)
  expect(send(sim, { messages: content("two") }, 1).read).toBe(0)
})

const invalidations: readonly (readonly [string, object, "all" | "messages"])[] = [
  ["the model", { model: "other" }, "all"],
  ["a tool", { tools: [{ ...readTool, description: "Another" }] }, "all"],
  ["the system", { system: [{ type: "text", text: "law ".repeat(1_500), ...marked }] }, "all"],
  ["the tool choice", { tool_choice: { type: "any" } }, "messages"],
  ["thinking", { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 2_000 }, "messages"],
  ["the effort", { output_config: { effort: "low" } }, "messages"],
]

test.each(invalidations)("loses the right part of the cache when %s changes", (_, change, lost) => {
  const sim = cacheSim()
  const base = { tools: [readTool], system: system(), messages: talk(2) }
  const whole = send(sim, base, 0).write
  expect(send(sim, base, 1).read).toBe(whole)
  const { read } = send(sim, { ...base, ...change }, 2)
  if (lost === "all") expect(read).toBe(0)
  else expect(read).toBeGreaterThan(1_024)
  expect(read).toBeLessThan(whole)
})

test("keeps the prefix when a system message is appended", () => {
  const sim = cacheSim()
  const written = send(sim, { system: system(), messages: talk(1) }, 0).write
  const messages = [
    ...talk(1, {}),
    { role: "system", content: [{ type: "text", text: "Be brief", ...marked }] },
  ]
  expect(send(sim, { system: system(), messages }, 1).read).toBe(written)
})

test("does not mind where markers stand or how a text is written", () => {
  const sim = cacheSim()
  const text = "x ".repeat(4_000)
  const written = send(
    sim,
    { messages: [{ role: "user", content: [{ type: "text", text, ...marked }] }] },
    0,
  ).write
  const again = [
    { role: "user", content: text },
    { role: "user", content: [{ type: "text", text: "more", ...marked }] },
  ]
  expect(send(sim, { messages: again }, 1).read).toBe(written)
})

test("minds the order of keys inside an input schema", () => {
  const sim = cacheSim()
  const tool = (properties: object) => ({ ...readTool, input_schema: { type: "object", properties } })
  const a = { type: "string" }
  send(sim, { tools: [tool({ a, b: a })], system: system() }, 0)
  expect(send(sim, { tools: [tool({ b: a, a })], system: system() }, 1).read).toBe(0)
})

test("shows an entry only once the answer to its request has begun", () => {
  const slow = scripted(() => ({ ...textReply("Hi."), firstByteMs: 500 }))
  const sim = createProviderSim({ models: { plain: slow } })
  const written = send(sim, { system: system() }, 0).write
  expect(send(sim, { system: system() }, 499).read).toBe(0)
  expect(send(sim, { system: system() }, 500).read).toBe(written)
})

test("writes nothing for a request that fails", () => {
  const failing = scripted([
    { blocks: [], fault: { kind: "overloaded" } },
    { blocks: [], fault: { kind: "stall" } },
    textReply("Hi."),
  ])
  const sim = createProviderSim({ models: { plain: failing } })
  sim.respond(post(body({ system: system() })), 0)
  sim.respond(post(body({ system: system() })), 1)
  expect(send(sim, { system: system() }, 2).read).toBe(0)
})

test("honours a marker on the request itself", () => {
  const sim = cacheSim()
  const changes = { system: system({}), ...marked }
  const written = send(sim, changes, 0).write
  expect(written).toBeGreaterThan(1_024)
  expect(send(sim, changes, 1)).toMatchObject({ read: written, input: 0 })
})
