/** Providers as data: which wire they speak, where, and what is safe to assume of their models (CA1). */
import type { CatalogModel } from "./model.ts"

/** Nothing is known: the smallest common promises. */
export const unknownModel: CatalogModel = {
  wire: "anthropic-messages",
  endpoint: null,
  contextTokensMax: 200_000,
  outputTokensMax: 8_192,
  price: null,
  cacheWriteByTtl: null,
  tools: true,
  images: false,
  structuredOutput: false,
  systemRole: false,
  reasoning: "none",
  cache: "unknown",
  cacheTokensMin: 1_024,
  cacheLives: [],
  profile: null,
  source: "assumed",
}

const compatible = (profile: string, endpoint: string, more: Partial<CatalogModel> = {}): CatalogModel => ({
  ...unknownModel,
  wire: "openai-chat",
  endpoint,
  contextTokensMax: 128_000,
  profile,
  ...more,
})

/** A model of a provider of which no row exists. */
export const providerDefaults: Readonly<Record<string, CatalogModel>> = {
  anthropic: {
    ...unknownModel,
    endpoint: "https://api.anthropic.com",
    cache: "markers",
    cacheLives: ["5m", "1h"],
    images: true,
  },
  openai: {
    ...unknownModel,
    wire: "openai-responses",
    endpoint: "https://api.openai.com/v1",
    contextTokensMax: 128_000,
    systemRole: true,
    structuredOutput: true,
    cache: "automatic",
    cacheLives: ["5m"],
    profile: "openai",
  },
  google: {
    ...unknownModel,
    wire: "gemini",
    endpoint: "https://generativelanguage.googleapis.com",
    contextTokensMax: 1_048_576,
    images: true,
    structuredOutput: true,
    cache: "automatic",
    cacheTokensMin: 4_096,
  },
  // The address depends on the region, what a model takes on its maker.
  bedrock: { ...unknownModel, wire: "bedrock-converse" },
  deepseek: compatible("deepseek", "https://api.deepseek.com", { cache: "automatic", reasoning: "effort" }),
  groq: compatible("groq", "https://api.groq.com/openai/v1", { cache: "automatic" }),
  openrouter: compatible("openrouter", "https://openrouter.ai/api/v1"),
  together: compatible("together", "https://api.together.xyz/v1"),
  fireworks: compatible("fireworks", "https://api.fireworks.ai/inference/v1", { cache: "automatic" }),
  mistral: compatible("mistral", "https://api.mistral.ai/v1"),
  xai: compatible("xai", "https://api.x.ai/v1", { cache: "automatic", systemRole: true }),
  ollama: compatible("ollama", "http://127.0.0.1:11434/v1", { contextTokensMax: 32_000 }),
  lmstudio: compatible("lmstudio", "http://127.0.0.1:1234/v1", { contextTokensMax: 32_000 }),
  vllm: compatible("vllm", "http://127.0.0.1:8000/v1", { contextTokensMax: 32_000, cache: "automatic" }),
}
