/** Targets of the OpenAI wires, and histories with what each wire may have left behind in them. */
import * as fc from "fast-check"
import type { Json } from "@holdfast/schema/json"
import { plainOptions, type RequestOptions } from "../../src/options.ts"
import { profiles } from "../../src/openai-chat/profiles.ts"
import type { Target } from "../../src/segments.ts"
import { historiesWith } from "../any-wire/histories.ts"

export { own } from "../any-wire/histories.ts"

export const responsesTarget = (more: Partial<RequestOptions> = {}): Target => ({
  provider: "openai",
  model: "gpt-test",
  endpoint: "https://api.openai.com/v1",
  options: plainOptions(8_192, { traits: { reasoning: true }, ...more }),
})

export const chatTarget = (profile: string, more: Partial<RequestOptions> = {}): Target => ({
  provider: profile,
  model: "chat-test",
  endpoint: "https://api.example/v1",
  options: plainOptions(4_096, { traits: { profile }, ...more }),
})

export const sealed = (id: string, words = "hm"): Json => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: words }],
  encrypted_content: `sealed-${id}`,
})

export const searched = (id: string): Json => ({
  type: "web_search_call",
  id,
  status: "completed",
  action: { type: "search", query: "weather" },
})

export const reasoned = (words: string, details: readonly Json[] = []): Json => ({
  type: "reasoning",
  field: "reasoning_content",
  text: words,
  details,
})

/** What a text says of a page that the provider found. */
export const cited = {
  type: "url_citation",
  start_index: 0,
  end_index: 4,
  url: "https://example.com/a",
  title: "A",
}

/** Ids of few values, so that they meet again. */
const itemId = fc.constantFrom("a_1", "a_2", "a_3", "a_4", "a_5", "a_6")

export const histories = historiesWith(
  fc.oneof(
    itemId.map((id) => sealed(id)),
    itemId.map((id): Json => ({ type: "reasoning", id, summary: [], encrypted_content: null })),
    itemId.map((id): Json => ({ type: "message", id, phase: "commentary" })),
    itemId.map((id): Json => ({ type: "message", id, annotations: [cited] })),
    fc.constant<Json>({ type: "message", annotations: [cited] }),
    itemId.map((id): Json => ({ type: "message", id, refusal: true })),
    itemId.map((id): Json => ({ type: "function_call", id })),
    itemId.map(searched),
    fc.constant(reasoned("hm", [{ type: "reasoning.text", text: "hm" }])),
    fc.constant<Json>({ type: "call", extra: { extra_content: { sign: "s" } } }),
  ),
)

const anyTraits = fc.record(
  {
    systemRole: fc.boolean(),
    reasoning: fc.boolean(),
    strictTools: fc.boolean(),
    cacheMarkers: fc.constantFrom("openai" as const, "anthropic" as const),
  },
  { requiredKeys: [] },
)

export const anyResponsesTarget: fc.Arbitrary<Target> = anyTraits.map((traits) => responsesTarget({ traits }))

export const anyChatTarget: fc.Arbitrary<Target> = fc
  .tuple(fc.constantFrom(...Object.keys(profiles)), anyTraits)
  .map(([profile, traits]) => chatTarget(profile, { traits: { ...traits, profile } }))
