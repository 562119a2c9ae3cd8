/** Cache of OpenAI through its wires; the rules themselves have their tables in `cache-rules`. */
import { expect, test } from "vitest"
import { chat, openaiSim, postTo, responses } from "./requests.ts"
import type { OpenAiPath } from "./requests.ts"

const long = "rule ".repeat(1_200)
const schema = { type: "object", properties: {}, additionalProperties: false }
const through: readonly (readonly [OpenAiPath, (changes?: object) => object])[] = [
  ["/v1/responses", (changes) => responses({ instructions: long, ...changes })],
  [
    "/v1/chat/completions",
    (changes) =>
      chat({
        messages: [
          { role: "system", content: long },
          { role: "user", content: "Hello" },
        ],
        ...changes,
      }),
  ],
]

test.each(through)("reports on %s what was read, and writes only where they are paid for", (path, body) => {
  const sim = openaiSim()
  const send = (changes: object, nowMs: number) => {
    sim.respond(postTo(path, body(changes)), nowMs)
    return sim.log.at(-1)?.cache
  }
  expect(send({}, 0)).toMatchObject({ read: 0, write: 0 })
  const again = send({}, 1)
  expect(again?.read).toBeGreaterThanOrEqual(1_408)
  expect((again?.read ?? 1) % 128).toBe(0)
  expect(send({ prompt_cache_key: "another" }, 2)?.read).toBe(0)
  expect(send({}, 300_001 + 1)?.read).toBe(0)
  const kept = { prompt_cache_retention: "24h", prompt_cache_key: "kept" }
  send(kept, 0)
  expect(send(kept, 86_399_999)?.read).toBeGreaterThan(0)
  const first = send({ model: "gpt-5.6" }, 0)
  expect(first?.write).toBeGreaterThan(1_408)
  expect(send({ model: "gpt-5.6" }, 1)).toMatchObject({ read: first?.write, write: 0 })
})

test.each(through)("lets tools and the output schema be part of the prefix on %s", (path, body) => {
  const isChat = path === "/v1/chat/completions"
  const tool = (name: string) =>
    isChat ? { type: "function", function: { name } } : { type: "function", name }
  const format = (name: string) =>
    isChat
      ? { response_format: { type: "json_schema", json_schema: { name, schema } } }
      : { text: { format: { type: "json_schema", name, schema } } }
  for (const [before, after] of [
    [{ tools: [tool("a")] }, { tools: [tool("b")] }],
    [format("a"), format("b")],
  ]) {
    const sim = openaiSim()
    sim.respond(postTo(path, body(before)), 0)
    sim.respond(postTo(path, body(after)), 1)
    sim.respond(postTo(path, body(before)), 2)
    expect(sim.log.map((record) => (record.cache?.read ?? 0) > 0)).toEqual([false, false, true])
  }
})

test("counts DeepSeek's hits in units of 64 tokens and Groq's not at all", () => {
  const body = chat({ messages: [{ role: "user", content: "x".repeat(1_000) }] })
  const reads = (dialect: "deepseek" | "groq") => {
    const sim = openaiSim(undefined, dialect)
    for (const nowMs of [0, 1]) sim.respond(postTo("/chat/completions", body), nowMs)
    return sim.log.map((record) => record.cache?.read)
  }
  expect(reads("deepseek")).toEqual([0, 256])
  expect(reads("groq")).toEqual([0, 0])
})
