/** What blocks say and which call they belong to: the same words on every wire, merged where a wire merges. */
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import type { BlockKind } from "@holdfast/schema/planned-request"
import { expect, test } from "vitest"
import type { EntryPart, Segments } from "../../src/segments.ts"
import type { Wire } from "../../src/wire.ts"
import { wires } from "../../src/wires.ts"
import { imageOfBytes } from "./images.ts"
import { targetOfWire } from "./targets.ts"
import { readTool } from "../requests.ts"

/** Reasoning as the provider of each wire wants it back. */
const seals: Readonly<Record<string, Json>> = {
  "anthropic-messages": { type: "thinking", thinking: "Hm.", signature: "s" },
  "openai-responses": { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "s" },
  "openai-chat": { type: "reasoning", field: "reasoning_content", text: "Hm.", details: [] },
  gemini: { type: "thought", text: "Hm.", thoughtSignature: "s" },
  "bedrock-converse": { type: "reasoning", text: "Hm.", signature: "s" },
  "ai-sdk": { type: "reasoning" },
}

const call = (id: string): EntryPart => ({
  type: "call",
  call: id as CallId,
  name: "read",
  input: { path: "a" },
  result: "found",
  failed: false,
})

function conversation(name: string): Segments {
  const { provider, model, endpoint } = targetOfWire(name)
  const native = { provider, model, endpoint, opaque: seals[name] as Json }
  return {
    tools: [readTool],
    system: "Baseline.",
    agent: "Agent.",
    historyBaseline: [],
    historyDelta: [],
    tail: [
      { kind: "user", text: "Look.", images: [imageOfBytes(300)] },
      {
        kind: "assistant",
        parts: [
          { type: "reasoning", text: "Hm.", native },
          { type: "text", text: "I read." },
          call("call_1"),
          call("call_2"),
        ],
      },
      { kind: "notice", text: "Something was cut." },
      { kind: "system", text: "The date is another." },
      { kind: "user", text: "Go on." },
    ],
  }
}

const opening: readonly BlockKind[] = ["tool", "system", "system"]
const closing: readonly BlockKind[] = ["notice", "system", "text"]
const apart: readonly BlockKind[] = ["image", "text", "reasoning", "text", "call", "call", "result", "result"]

/** What stands between, with what each wire keeps in one block. */
const expected: Readonly<Record<string, readonly BlockKind[]>> = {
  "anthropic-messages": apart,
  gemini: apart,
  "bedrock-converse": apart,
  // An image stands in the message of its words.
  "openai-responses": apart.toSpliced(1, 1),
  // And an answer is one message.
  "openai-chat": ["image", "call", "result", "result"],
  // And so are its results.
  "ai-sdk": ["image", "call", "result"],
}

test.each(Object.keys(wires))("[PG3] %s says what each block is, in the same words as any wire", (name) => {
  const { blocks } = (wires[name] as Wire).encode(
    conversation(name),
    targetOfWire(name, { systemRole: true }),
  )
  expect(blocks.map(({ kind }) => kind)).toEqual([...opening, ...(expected[name] ?? []), ...closing])
  const units = blocks.flatMap(({ kind, unit }) =>
    kind === "call" || kind === "result" || unit !== null ? [unit] : [],
  )
  const both = ["call_1", "call_2"]
  const merged: Readonly<Record<string, readonly (string | null)[]>> = {
    "openai-chat": [null, ...both],
    "ai-sdk": [null, null],
  }
  expect(units).toEqual(merged[name] ?? [...both, ...both])
})

test("[PG3] a block of one call belongs to it, also where answers are merged", () => {
  for (const [name, { encode }] of Object.entries(wires)) {
    const segments = {
      ...conversation(name),
      tail: [{ kind: "assistant", parts: [call("call_1")] } as const],
    }
    const said = encode(segments, targetOfWire(name)).blocks.slice(opening.length)
    expect([name, ...said.map(({ kind, unit }) => [kind, unit])]).toEqual([
      name,
      ["call", "call_1"],
      ["result", "call_1"],
    ])
  }
})
