/** Who answers in a scenario: one model for each wire, under a name that its provider could have. */
import { plainOptions } from "@holdfast/llm/options"
import type { JsonObject } from "@holdfast/schema/json"
import type { Speaker } from "./exchange.ts"
import type { ScenarioName, WireName } from "./scenarios.ts"

const outputTokensMax = 4_000
const budget = { kind: "budget", tokens: 1_024 } as const
const effort = { kind: "effort", effort: "medium" } as const
const marked = { reasoning: true, cacheMarkers: "openai" } as const

/** All of them reason; those of OpenAI take marks of the cache and tell what they wrote. */
const speakers: Readonly<Record<WireName, Omit<Speaker, "wire">>> = {
  "anthropic-messages": {
    url: "https://api.anthropic.com",
    model: "claude-sonnet-4-5",
    options: plainOptions(outputTokensMax, { model: { reasoning: budget }, traits: { reasoning: true } }),
  },
  "openai-responses": {
    url: "https://api.openai.com",
    model: "gpt-5.6",
    options: plainOptions(outputTokensMax, {
      model: { reasoning: effort, reasoningSummary: "auto" },
      traits: marked,
    }),
  },
  "openai-chat": {
    url: "https://api.openai.com",
    model: "gpt-5.6",
    options: plainOptions(outputTokensMax, {
      model: { reasoning: effort },
      traits: { ...marked, profile: "openai" },
    }),
  },
  gemini: {
    url: "https://generativelanguage.googleapis.com",
    model: "gemini-3-pro",
    options: plainOptions(outputTokensMax, { model: { reasoning: budget }, traits: { reasoning: true } }),
  },
  "bedrock-converse": {
    url: "https://bedrock-runtime.us-east-1.amazonaws.com",
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    options: plainOptions(outputTokensMax, { model: { reasoning: budget }, traits: { reasoning: true } }),
  },
}

/** OpenAI's own Chat shows no reasoning; of its compatible servers one that wants it back is asked. */
const reasoningChat: Omit<Speaker, "wire"> = {
  url: "https://openrouter.ai/api",
  model: "some/reasoner",
  options: plainOptions(outputTokensMax, {
    model: { reasoning: effort },
    traits: { reasoning: true, profile: "openrouter" },
  }),
  dialect: "openrouter",
}

/** documented: how a provider wants its own tools declared; Converse declares its by other means. */
export const hostedTools: Readonly<Partial<Record<WireName, readonly JsonObject[]>>> = {
  "anthropic-messages": [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }],
  "openai-responses": [{ type: "web_search" }],
  gemini: [{ codeExecution: {} }],
}

export function speakerOf(scenario: ScenarioName, wire: WireName): Speaker {
  if (scenario === "reasoning and its continuation" && wire === "openai-chat") {
    return { wire, ...reasoningChat }
  }
  const speaker = { wire, ...speakers[wire] }
  const declared = scenario === "hosted tool" ? hostedTools[wire] : undefined
  if (declared === undefined) return speaker
  const { options } = speaker
  return { ...speaker, options: { ...options, model: { ...options.model, hostedTools: declared } } }
}
