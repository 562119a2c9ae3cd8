/** Targets of the Converse wire, what it keeps with parts, and its bodies. */
import * as fc from "fast-check"
import type { Json } from "@holdfast/schema/json"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { plainOptions, type RequestOptions } from "../../src/options.ts"
import type { Segments, Target } from "../../src/segments.ts"
import { historiesWith } from "../any-wire/histories.ts"
import { bodyText } from "../requests.ts"

export const bedrockTarget = (
  more: Partial<RequestOptions> = {},
  model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
): Target => ({
  provider: "amazon-bedrock",
  model,
  endpoint: "https://bedrock-runtime.us-east-1.amazonaws.com",
  options: plainOptions(8_192, more),
})

export const novaTarget = (more: Partial<RequestOptions> = {}): Target =>
  bedrockTarget(more, "us.amazon.nova-micro-v1:0")
export const otherTarget = (more: Partial<RequestOptions> = {}): Target =>
  bedrockTarget(more, "meta.llama3-3-70b-instruct-v1:0")

export const signed = (text: string, signature: string): Json => ({ type: "reasoning", text, signature })
export const redacted = (data: string): Json => ({ type: "redacted", data })
export const searchUse: Json = {
  toolUse: { toolUseId: "srv-1", name: "nova_grounding", type: "server_tool_use", input: { q: "x" } },
}
export const searchResult: Json = {
  toolResult: { toolUseId: "srv-1", type: "nova_grounding_result", content: [{ text: "found" }] },
}

export const histories = historiesWith(
  fc.constantFrom<Json>(
    signed("hm", "c2ln"),
    signed("hm", ""),
    { type: "reasoning", text: "hm" },
    redacted("c2VhbGVk"),
    redacted(""),
    searchUse,
    searchResult,
    { toolResult: { toolUseId: "srv-2", content: [] } },
  ),
)

export const anyTarget: fc.Arbitrary<Target> = fc
  .tuple(
    fc.constantFrom(
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "anthropic.claude-3-sonnet-20240229-v1:0",
      "us.amazon.nova-micro-v1:0",
      "meta.llama3-3-70b-instruct-v1:0",
    ),
    fc.constantFrom<Partial<RequestOptions>>(
      {},
      { model: { reasoning: { kind: "budget", tokens: 2_048 } } },
      { model: { cacheTtl: "1h", reasoning: { kind: "adaptive" } } },
    ),
  )
  .map(([model, more]) => bedrockTarget(more, model))

type Content = readonly Record<string, unknown>[]

export interface ConverseBody {
  readonly inferenceConfig: Record<string, unknown>
  readonly additionalModelRequestFields?: Record<string, unknown>
  readonly toolConfig?: { readonly tools: Content; readonly toolChoice?: unknown }
  readonly system?: Content
  readonly messages?: readonly { readonly role: string; readonly content: Content }[]
}

export const bodyOf = (segments: Segments, target: Target, previous = 0): ConverseBody =>
  JSON.parse(
    bodyText(bedrockConverse.place(bedrockConverse.encode(segments, target), target, previous)),
  ) as ConverseBody

export const isCachePoint = (block: Record<string, unknown>): boolean => block["cachePoint"] !== undefined

/** Messages without cache points. */
export const messagesOf = (segments: Segments, target: Target) =>
  (bodyOf(segments, target).messages ?? []).map(({ role, content }) => ({
    role,
    content: content.filter((block) => !isCachePoint(block)),
  }))
