/**
 * Models of the AI SDK's own provider packages drive real Sessions over real HTTP; the strict
 * provider at the other end refuses what their provider would refuse.
 */
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { expect, test } from "vitest"
import { createProviderSim, listen, type Reply, type RequestView } from "../../provider-sim/src/index.ts"
import { type AiSdkModel, fromAiSdk, openHoldfast, settled } from "../src/index.ts"
import { makePlace } from "./place.ts"

/** Thinks and reads a file after the user's words, answers after the result. */
function reply({ messages }: RequestView): Reply {
  const last = messages.at(-1)?.blocks.at(-1)
  if (last?.type === "tool_result") return { blocks: [{ type: "text", text: "It greets ✓." }] }
  return {
    blocks: [
      { type: "thinking", text: "I should look." },
      { type: "text", text: "I look." },
      { type: "tool_use", name: "read", input: { path: "README.md" } },
    ],
  }
}

const makers: Readonly<Record<string, { readonly name: string; readonly make: (url: string) => unknown }>> = {
  "anthropic's Messages": {
    name: "claude-sonnet-4-5",
    make: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })("claude-sonnet-4-5"),
  },
  "openai's Responses": {
    name: "gpt-5.5",
    make: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" })("gpt-5.5"),
  },
  "openai's Chat": {
    name: "gpt-5.5",
    make: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" }).chat("gpt-5.5"),
  },
}

test.each(Object.entries(makers))("[EM2 LL1] %s through the AI SDK", async (_, { name, make }) => {
  const sim = createProviderSim({ models: { [name]: { reply, thinking: name.startsWith("gpt") } } })
  await using listening = await disposable(sim)
  await using place = await makePlace()
  const { model: __, ...options } = place.options
  const model = fromAiSdk(make(listening.url) as AiSdkModel, {
    limit: { context: 100_000, output: 4_096 },
    // Nothing of an answer is kept by the provider: what it sealed comes back with each request.
    providerOptions: { openai: { store: false } },
  })
  const holdfast = await openHoldfast({ ...options, models: { "sdk/model": model }, model: "sdk/model" })
  try {
    const { sessions } = holdfast
    const { id: sessionID } = await sessions.create()
    for (const text of ["What does it do?", "And what else ✓?"]) {
      await sessions.prompt({ sessionID, text })
      expect(await settled({ sessions }, { sessionID })).toMatchObject({
        status: "done",
        text: "It greets ✓.",
        turns: 2,
      })
    }
    expect(sim.log.map(({ status, error }) => ({ status, error }))).toEqual(
      Array.from({ length: 4 }, () => ({ status: 200, error: undefined })),
    )
    const { items } = await sessions.verify({ sessionID })
    expect(items.map(({ verdict }) => verdict.kind)).toEqual(["same", "same", "same", "same"])
  } finally {
    await holdfast.close()
  }
})

async function disposable(sim: ReturnType<typeof createProviderSim>) {
  const { url, close } = await listen(sim)
  return { url, [Symbol.asyncDispose]: () => close() }
}
