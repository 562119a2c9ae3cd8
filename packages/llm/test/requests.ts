/** Requests for tests: small builders, and generators of legal histories with awkward content. */
import * as fc from "fast-check"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import { plainOptions, type RequestOptions } from "../src/options.ts"
import type { Entry, EntryPart, Segments, Target, ToolDefinition } from "../src/segments.ts"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import type { Encoded, PlacedRequest } from "../src/wire.ts"

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

export const bodyText = (placed: PlacedRequest): string => Buffer.concat(placed.body).toString("utf8")

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

const partWithoutId = fc.oneof(
  awkwardText.map(text),
  awkwardText.map((value) => thinking(value)),
  awkwardText.map((value) => thinking(value, { type: "redacted_thinking", data: "c2VhbGVk" })),
  awkwardText.map((value) => thinking(value, { type: "thinking", thinking: value, signature: "" })),
  awkwardText.map((value) => thinking(value, undefined, { ...targetOf(), model: "another" })),
  awkwardText.map((value): EntryPart => ({ type: "reasoning", text: value, native: null })),
  fc
    .record({
      name: awkwardText,
      input: fc.jsonValue() as fc.Arbitrary<Json>,
      result: awkwardText,
      failed: fc.boolean(),
    })
    .map((more) => call(0, more)),
)

/** Entries in any order; calls get ids of their own. */
const entries = (max: number): fc.Arbitrary<readonly Entry[]> =>
  fc
    .array(
      fc.oneof(awkwardText.map(user), awkwardText.map(system), awkwardText.map(notice), {
        weight: 3,
        arbitrary: fc.array(partWithoutId, { maxLength: 5 }).map((parts) => answer(...parts)),
      }),
      { maxLength: max },
    )
    .map(numberCalls)

function numberCalls(list: readonly Entry[]): readonly Entry[] {
  let next = 0
  const numbered = (part: EntryPart): EntryPart =>
    part.type === "call" ? { ...part, call: `call_${(next += 1)}` as CallId } : part
  return list.map((entry) => (entry.kind === "assistant" ? answer(...entry.parts.map(numbered)) : entry))
}

/** A history as the runtime keeps it: the user speaks first and last. */
export const history: fc.Arbitrary<readonly Entry[]> = entries(12).map((middle) => [
  user("begin"),
  ...middle,
  user("go on"),
])

export const anySegments: fc.Arbitrary<Segments> = fc
  .record({
    history,
    cuts: fc.tuple(fc.nat(14), fc.nat(14)),
    tools: fc.boolean(),
    system: awkwardText,
    agent: awkwardText,
  })
  .map(({ history: all, cuts, tools, system: prompt, agent }) => {
    const [from, to] = [Math.min(...cuts), Math.max(...cuts)]
    return {
      tools: tools ? [readTool] : [],
      system: prompt,
      agent,
      historyBaseline: all.slice(0, from),
      historyDelta: all.slice(from, to),
      tail: all.slice(to),
    }
  })

export const anyTarget: fc.Arbitrary<Target> = fc
  .record({
    thinkingTokens: fc.constantFrom(null, 2_048),
    systemRole: fc.boolean(),
    cacheTtl: fc.constantFrom("5m" as const, "1h" as const),
  })
  .map((settings) => targetOf(settings))

/** The same value in other objects, so that nothing kept for the first is found. */
export const fresh = <A>(value: A): A => structuredClone(value)
