/** One target for each wire, for tests that hold on all of them. */
import { plainOptions, type ModelTraits } from "../../src/options.ts"
import type { Target } from "../../src/segments.ts"

const models: Readonly<Record<string, readonly [provider: string, model: string, endpoint: string]>> = {
  "anthropic-messages": ["anthropic", "claude-test", "https://api.anthropic.com"],
  "openai-responses": ["openai", "gpt-test", "https://api.openai.com/v1"],
  "openai-chat": ["openai", "gpt-test", "https://api.openai.com/v1"],
  gemini: ["google", "gemini-2.5-flash", "https://generativelanguage.googleapis.com"],
  "bedrock-converse": [
    "amazon-bedrock",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "https://bedrock-runtime.us-east-1.amazonaws.com",
  ],
  "ai-sdk": ["mine", "large", "ai-sdk:somebody/large-1"],
}

export function targetOfWire(wire: string, traits: ModelTraits = {}): Target {
  const [provider, model, endpoint] = models[wire] as (typeof models)[string]
  return { provider, model, endpoint, options: plainOptions(1_000, { traits }) }
}
