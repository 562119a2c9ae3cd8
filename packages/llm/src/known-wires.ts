/**
 * The wires by name: what is known of each without it, and how it is loaded (LL1).
 *
 * Configuration and stored turns name wires; a process speaks one or two of them. So a wire is loaded
 * when it is first spoken, and what configuration must know of all of them stands here. One that is in
 * memory already, because somebody imports it, is found at once.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { Effect } from "effect"
import { hostedToolFault as faultOfMessages } from "./anthropic-messages/hosted-tool.ts"
import { hostedToolFault as faultOfConverse } from "./bedrock-converse/hosted-tool.ts"
import { hostedToolFault as faultOfGemini } from "./gemini/hosted-tool.ts"
import { lookUp } from "./json-fields.ts"
import { hostedToolFault as faultOfResponses } from "./openai-responses/hosted-tool.ts"
import type { Wire } from "./wire.ts"

export interface KnownWire {
  readonly load: () => Promise<Wire>
  /** What is wrong with a declaration of a hosted tool, or null; absent where the wire has none (LL8). */
  readonly hostedToolFault?: (declared: JsonObject) => string | null
  /** Whether requests can be signed as a whole. */
  readonly signs?: true
}

export const knownWires: Readonly<Record<string, KnownWire>> = {
  "anthropic-messages": {
    load: async () => (await import("./anthropic-messages/index.ts")).anthropicMessages,
    hostedToolFault: faultOfMessages,
  },
  "openai-responses": {
    load: async () => (await import("./openai-responses/index.ts")).openaiResponses,
    hostedToolFault: faultOfResponses,
  },
  "openai-chat": { load: async () => (await import("./openai-chat/index.ts")).openaiChat },
  gemini: { load: async () => (await import("./gemini/index.ts")).gemini, hostedToolFault: faultOfGemini },
  "bedrock-converse": {
    load: async () => (await import("./bedrock-converse/index.ts")).bedrockConverse,
    hostedToolFault: faultOfConverse,
    signs: true,
  },
  "ai-sdk": { load: async () => (await import("./ai-sdk/index.ts")).aiSdk },
}

/** The wire of this name; null if there is none. */
export const wireNamed = (name: string): Effect.Effect<Wire | null> =>
  Effect.suspend(() => {
    const wire = loadedWires.get(name)
    const known = lookUp(knownWires, name)
    return wire === undefined && known !== undefined
      ? Effect.promise(known.load)
      : Effect.succeed(wire ?? null)
  })

const loadedWires = new Map<string, Wire>()

/** Every wire of this package says here that it is loaded. */
export function loaded(wire: Wire): Wire {
  loadedWires.set(wire.name, wire)
  return wire
}
