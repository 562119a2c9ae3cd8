/** Hosted tools beside the plain exchange: declared otherwise, paused, and asked of a wire without any. */
import { expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { ExchangeStage } from "./exchange.ts"
import { hostedBlocks } from "./frames.ts"
import { work } from "./plays.ts"
import { hostedTools, speakerOf } from "./speakers.ts"
import type { WireName } from "./scenarios.ts"

const changes: Readonly<Partial<Record<WireName, readonly JsonObject[]>>> = {
  "anthropic-messages": [{ type: "web_search_20250305", name: "web_search", max_uses: 1 }],
  "openai-responses": [{ type: "web_search", search_context_size: "low" }],
  gemini: [{ googleSearch: {} }],
}

test.each(Object.keys(changes) as WireName[])("[TU7 CA2] %s: another declaration is a break", (wire) => {
  let declared = hostedTools[wire] ?? []
  const { options, ...speaker } = speakerOf("text", wire)
  const stage = new ExchangeStage(
    {
      ...speaker,
      get options() {
        return { ...options, model: { ...options.model, hostedTools: declared } }
      },
    },
    [work],
  )
  try {
    expect(stage.converse("one")).toEqual({ kind: "done" })
    expect(stage.converse("two")).toEqual({ kind: "done" })
    declared = changes[wire] ?? []
    expect(stage.converse("three")).toEqual({ kind: "done" })
    const breaks = stage.turns().map(({ started }) => started.break)
    // The function stays, so what is repeated ends behind it.
    expect(breaks).toEqual([null, null, { block: 1, segment: "tools", reason: "options_changed" }])
    expect(stage.verdicts().filter((verdict) => verdict !== "same")).toEqual([])
  } finally {
    stage.close()
  }
})

test("[LL8 TU3] an answer that pauses among its searches goes on with them", () => {
  const wire = "anthropic-messages"
  const stage = new ExchangeStage(speakerOf("hosted tool", wire), [work])
  const used = (hostedBlocks[wire] ?? []).map(
    (native) => ({ type: "hosted", native: { ...native } }) as const,
  )
  const lead = { type: "text", text: "I search." } as const
  stage.replies.push({ blocks: [lead, ...used], stopReason: "pause_turn" })
  stage.replies.push({ blocks: [{ type: "text", text: "It is so." }] })
  try {
    expect(stage.converse("Search")).toEqual({ kind: "done" })
    const { messages } = JSON.parse(stage.exchanges[1]?.interaction.request.body ?? "") as {
      messages: readonly { readonly role: string; readonly content: unknown }[]
    }
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    expect(messages[1]?.content).toEqual([lead, ...(hostedBlocks[wire] ?? [])])
  } finally {
    stage.close()
  }
})

test.each([
  ["openai-chat", "remove hostedTools"],
  ["bedrock-converse", 'such as {"systemTool"'],
] as const)("[LL3 LL8] %s: nothing is sent, and it says %s", (wire, said) => {
  const speaker = speakerOf("text", wire)
  const model = { ...speaker.options.model, hostedTools: [{ type: "web_search" }] }
  const stage = new ExchangeStage({ ...speaker, options: { ...speaker.options, model } }, [work])
  try {
    expect(stage.converse("one")).toMatchObject({
      kind: "failed",
      reason: { message: expect.stringContaining(said) },
    })
    expect(stage.exchanges).toEqual([])
  } finally {
    stage.close()
  }
})
