/** A model object of the AI SDK's interface drives a real Session, from the prompt to the proof. */
import { describe, expect, test } from "vitest"
import { type AiSdkModel, fromAiSdk, type HoldfastOptions, openHoldfast, settled } from "../src/index.ts"
import { makePlace } from "./place.ts"

interface Call {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[]
  readonly tools?: readonly { readonly name: string }[]
  readonly abortSignal?: AbortSignal
}

type Part = Readonly<Record<string, unknown>>

/** A hand-written model: each call is answered by the script, and kept. */
function makeModel(script: (call: Call, at: number) => readonly Part[] | Error | "hang") {
  const calls: Call[] = []
  const model: AiSdkModel = {
    specificationVersion: "v3",
    provider: "somebody.chat",
    modelId: "large-1",
    doStream: async (given) => {
      const call = given as unknown as Call
      calls.push(call)
      const answer = script(call, calls.length - 1)
      if (answer instanceof Error) throw answer
      return { stream: streamOf(answer) }
    },
  }
  return { model, calls }
}

const streamOf = (answer: readonly Part[] | "hang"): ReadableStream<Part> =>
  new ReadableStream({
    start: (controller) => {
      const parts = answer === "hang" ? [{ type: "text-delta", id: "0", delta: "Half" }] : answer
      for (const part of parts) controller.enqueue(part)
      if (answer !== "hang") controller.close()
    },
  })

const usage = {
  inputTokens: { total: 50, noCache: 20, cacheRead: 30, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}
const finish = (unified: string): Part => ({ type: "finish", finishReason: { unified, raw: unified }, usage })
const says = (text: string): readonly Part[] => [
  { type: "text-start", id: "0" },
  { type: "text-delta", id: "0", delta: text },
  { type: "text-end", id: "0" },
]
const metadata = { somebody: { signature: "sealed" } }
const reads: readonly Part[] = [
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "I should look." },
  { type: "reasoning-end", id: "r", providerMetadata: metadata },
  { type: "tool-call", toolCallId: "own-1", toolName: "read", input: '{"path":"README.md"}' },
  finish("tool-calls"),
]

const limit = { context: 100_000, output: 4_096 }

async function openWith(model: AiSdkModel, more: Partial<HoldfastOptions> = {}) {
  const place = await makePlace()
  const { model: _, ...options } = place.options
  const given = fromAiSdk(model, { limit, price: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 } })
  const holdfast = await openHoldfast({ ...options, models: { "mine/large": given }, ...more })
  return {
    place,
    holdfast,
    sessions: holdfast.sessions,
    [Symbol.asyncDispose]: async () => {
      await holdfast.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

describe("[EM2] a model object", () => {
  test("[TU1 TU2 LL4] answers, calls a tool, continues, and every request can be proven", async () => {
    const { model, calls } = makeModel((_, at) =>
      at === 0 ? reads : [...says("It greets."), finish("stop")],
    )
    await using opened = await openWith(model, { model: "mine/large" })
    const { sessions } = opened
    const { id: sessionID } = await sessions.create()
    await sessions.prompt({ sessionID, text: "What does it do?" })
    const result = await settled({ sessions }, { sessionID })
    expect(result).toMatchObject({
      status: "done",
      text: "It greets.",
      turns: 2,
      model: { provider: "mine" },
    })
    expect(result.usage).toEqual({ input: 40, output: 10, cacheRead: 60, cacheWrite: 0 })
    expect(result.cost).toBeCloseTo(60 / 1_000_000)

    const offered = [
      "apply_patch",
      "bash",
      "bash_kill",
      "bash_output",
      "context_expand",
      "context_memory",
      "context_note",
      "context_reduce",
      "context_search",
      "context_status",
      "edit",
      "glob",
      "grep",
      "list",
      "question",
      "read",
      "skill",
      "todo",
      "webfetch",
      "write",
    ]
    expect(calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([offered, offered])
    const [first, second] = calls.map(({ prompt }) => prompt) as [Call["prompt"], Call["prompt"]]
    expect(second.slice(0, first.length)).toEqual(first)
    expect(second.slice(first.length)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "I should look.", providerOptions: metadata },
          { type: "tool-call", toolCallId: "own-1", toolName: "read", input: { path: "README.md" } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "own-1",
            toolName: "read",
            output: { type: "text", value: expect.stringContaining("Greeter") },
          },
        ],
      },
    ])
    const { items } = await sessions.verify({ sessionID })
    expect(items.map(({ verdict }) => verdict.kind)).toEqual(["same", "same"])
    const { items: turns } = await sessions.turns({ sessionID })
    expect(turns.map(({ started }) => [started.endpoint, started.request.encoder])).toEqual([
      ["ai-sdk:somebody.chat/large-1", "ai-sdk/1"],
      ["ai-sdk:somebody.chat/large-1", "ai-sdk/1"],
    ])
  })

  test("[TU4] is asked again after an error that passes, and fails with one that does not", async () => {
    const refusal = (statusCode: number, message: string) =>
      Object.assign(new Error(message), {
        name: "AI_APICallError",
        statusCode,
        responseHeaders: { "retry-after-ms": "1" },
        responseBody: JSON.stringify({ error: { message } }),
        requestBodyValues: { secret: "never told" },
      })
    const { model, calls } = makeModel((_, at) =>
      at === 0 ? refusal(529, "Overloaded") : refusal(401, "bad key sk-test-0123456789abcdef"),
    )
    await using opened = await openWith(model)
    const { id: sessionID } = await opened.sessions.create()
    await opened.sessions.prompt({ sessionID, text: "Hello" })
    const { status, reason } = await settled(opened, { sessionID })
    expect([status, reason?.code]).toEqual(["failed", "authentication"])
    expect(reason?.message).not.toMatch(/0123456789|never told/)
    expect(calls.length).toBe(2)
    const { items } = await opened.sessions.turns({ sessionID })
    expect(items[0]?.settled?.ledger.attempts.map(({ failure }) => failure?.code)).toEqual([
      "overloaded",
      "authentication",
    ])
  })

  test("[TU3 DR3] is aborted by an interrupt, and what it had said is kept", async () => {
    const { model, calls } = makeModel(() => "hang")
    await using opened = await openWith(model)
    const { sessions, holdfast } = opened
    const { id: sessionID } = await sessions.create()
    const live = holdfast.events.subscribe()[Symbol.asyncIterator]()
    const heard = (async () => {
      for (;;) {
        const { value, done } = await live.next()
        if (done === true || value.type === "text-delta") return
      }
    })()
    await sessions.prompt({ sessionID, text: "Talk." })
    await heard
    await live.return?.()
    expect(calls[0]?.abortSignal?.aborted).toBe(false)
    await sessions.interrupt({ sessionID })
    expect(await settled({ sessions }, { sessionID })).toMatchObject({ status: "interrupted" })
    expect(calls[0]?.abortSignal?.aborted).toBe(true)
    const { items } = await sessions.messages({ sessionID })
    expect(items[1]).toMatchObject({ parts: [{ part: { type: "text", text: "Half", interrupted: true } }] })
  })

  test("is the default if it is the only one given, beside models of the configuration", async () => {
    const { model } = makeModel(() => [...says("Hi."), finish("stop")])
    await using opened = await openWith(model)
    const { models } = opened.holdfast
    expect(await models.get()).toMatchObject({
      provider: "mine",
      model: "large",
      baseUrl: "ai-sdk:mine/large",
      paid: true,
      contextTokens: 100_000,
    })
    expect(await models.get({ model: "offline/agent" })).toMatchObject({ provider: "offline" })
  })

  test("lives in its process: another one knows the Session, not the model", async () => {
    const { model } = makeModel(() => [...says("Hi."), finish("stop")])
    await using opened = await openWith(model)
    const { id: sessionID } = await opened.sessions.create({ model: "mine/large" })
    await opened.sessions.prompt({ sessionID, text: "Hello" })
    await settled(opened, { sessionID })
    await opened.holdfast.close()
    await using other = await opened.place.open()
    const { items } = await other.sessions.verify({ sessionID })
    expect(items.map(({ verdict }) => verdict.kind)).toEqual(["same"])
    await other.sessions.prompt({ sessionID, text: "Again" })
    expect(await settled(other, { sessionID })).toMatchObject({
      status: "blocked",
      reason: { code: "model_not_found" },
    })
  })
})

test.each<readonly [string, unknown, string]>([
  ["nothing", null, "It is not an object."],
  ["a name", "openai/gpt", "It is not an object."],
  ["an older version", { specificationVersion: "v1" }, 'specificationVersion is "v1"'],
  ["no stream", { specificationVersion: "v3", provider: "a", modelId: "b" }, "It has no doStream."],
])("fromAiSdk refuses %s", (_, value, message) =>
  expect(() => fromAiSdk(value as AiSdkModel, { limit })).toThrow(message),
)

test("names without a provider, and limits that cannot hold, are refused", async () => {
  const { model } = makeModel(() => [])
  expect(() => fromAiSdk(model, { limit: { context: 10, output: 10 } })).toThrow(
    "an output below the context",
  )
  await using place = await makePlace()
  const opened = openHoldfast({ ...place.options, models: { large: fromAiSdk(model, { limit }) } })
  await expect(opened).rejects.toMatchObject({ _tag: "ConfigurationInvalid" })
})
