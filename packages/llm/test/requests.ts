/** Requests for tests: small builders, and generators of legal histories with awkward content. */
import * as fc from "fast-check"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import { plainOptions, type RequestOptions } from "../src/options.ts"
import type { Entry, EntryPart, Segments, Target, ToolDefinition } from "../src/segments.ts"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import type { Encoded } from "../src/wire.ts"
import { bodyText } from "./any-wire/images.ts"

export { bodyText } from "./any-wire/images.ts"

/** What most tests set of the options. */
export interface Settings {
  readonly thinkingTokens?: number | null
  readonly systemRole?: boolean
  readonly cacheTtl?: "5m" | "1h"
}

export const targetOf = (settings: Settings = {}, more: Partial<RequestOptions> = {}): Target => ({
  provider: "anthropic",
  model: "claude-test",
  endpoint: "https://api.example",
  options: { ...optionsOf(settings), ...more },
})

function optionsOf({ thinkingTokens = null, systemRole = false, cacheTtl = "5m" }: Settings): RequestOptions {
  return plainOptions(8_192, {
    model: {
      cacheTtl,
      ...(thinkingTokens === null ? {} : { reasoning: { kind: "budget", tokens: thinkingTokens } }),
    },
    traits: { systemRole },
  })
}

export const readTool: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}

export const segmentsOf = (tail: readonly Entry[], more: Partial<Segments> = {}): Segments => ({
  tools: [readTool],
  system: "You are an agent.",
  agent: "Build what is asked.",
  historyBaseline: [],
  historyDelta: [],
  tail,
  ...more,
})

export const user = (text: string): Entry => ({ kind: "user", text })
export const showing = (text: string, ...images: readonly Media[]): Entry => ({ kind: "user", text, images })
export const system = (text: string): Entry => ({ kind: "system", text })
export const notice = (text: string): Entry => ({ kind: "notice", text })
export const answer = (...parts: readonly EntryPart[]): Entry => ({ kind: "assistant", parts })
export const text = (value: string): EntryPart => ({ type: "text", text: value })

export const call = (id: number, more: Partial<Extract<EntryPart, { type: "call" }>> = {}): EntryPart => ({
  type: "call",
  call: `call_${id}` as CallId,
  name: "read",
  input: { path: "a.ts" },
  result: "content",
  failed: false,
  ...more,
})

export const thinking = (value: string, opaque?: Json, target: Target = targetOf()): EntryPart => ({
  type: "reasoning",
  text: value,
  native: {
    provider: target.provider,
    model: target.model,
    endpoint: target.endpoint,
    opaque: opaque ?? { type: "thinking", thinking: value, signature: `sig-${value.length}` },
  },
})

export interface WireMessage {
  readonly role: string
  readonly content: readonly Record<string, unknown>[]
}

export const messagesOf = (encoded: Encoded, target: Target): readonly WireMessage[] =>
  (JSON.parse(bodyText(anthropicMessages.place(encoded, target, 0))) as { messages: readonly WireMessage[] })
    .messages

/** Text with what breaks encoders: half pairs, tags, quotes, nothing at all. */
export const awkwardText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  fc.constantFrom(
    "",
    "  \n",
    "\ud800",
    "x\udc00y",
    '"\\',
    "</notice>",
    '<context-update from="runtime">',
    "\u2028",
    "😀",
  ),
)

/** The same value in other objects, so that nothing kept for the first is found. */
export const fresh = <A>(value: A): A => structuredClone(value)
