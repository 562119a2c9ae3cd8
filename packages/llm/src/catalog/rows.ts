/**
 * Rows of known models. `documented`: the provider's published tables or the public models.dev
 * listing that cites them, read in November 2026. A price is null where it was not found. Where a
 * provider charges more for a long prompt, the window stops at the cheaper tier, so that the price
 * holds for every request that fits; configuration may raise it.
 */
import { bedrockRows } from "./bedrock-rows.ts"
import { googleRows } from "./google-rows.ts"
import type { CatalogModel, CatalogOverride } from "./model.ts"
import { claude, price, rowFor } from "./row.ts"

const anthropic = rowFor("anthropic")
/** Models of which only cache rules and roles are known here. */
const anthropicPartly = rowFor("anthropic", "assumed")
const opus = claude(5, 25)
const sonnet = claude(3, 15)

const openai = (facts: CatalogOverride): CatalogModel =>
  rowFor("openai")({ reasoning: "effort", images: true, outputTokensMax: 128_000, ...facts })
/** documented: from GPT-5.6 on a read ends at a breakpoint, which lives for half an hour. */
const breakpoints = { cache: "breakpoints", cacheLives: ["30m"] } as const
/** documented: a prefix stays in memory, or for a day where that is asked for. */
const keptLonger = { cacheLives: ["5m", "24h"] } as const
/** documented: 272,000 tokens of input before the next price tier, and the output beside them. */
const firstTier = 400_000
const deepseek = rowFor("deepseek")

export const rows: Readonly<Record<string, CatalogModel>> = {
  "anthropic/claude-opus-5": anthropicPartly({
    outputTokensMax: 64_000,
    systemRole: true,
    reasoning: "adaptive",
    cacheTokensMin: 512,
  }),
  "anthropic/claude-fable-5-1": anthropicPartly({
    outputTokensMax: 64_000,
    systemRole: true,
    reasoning: "adaptive",
    cacheTokensMin: 512,
  }),
  "anthropic/claude-mythos-5-1": anthropicPartly({
    outputTokensMax: 64_000,
    systemRole: true,
    reasoning: "adaptive",
    cacheTokensMin: 512,
  }),
  "anthropic/claude-sonnet-5": anthropicPartly({ outputTokensMax: 64_000, reasoning: "adaptive" }),
  "anthropic/claude-opus-4-8": anthropic({
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    ...opus,
    systemRole: true,
    reasoning: "adaptive",
  }),
  "anthropic/claude-opus-4-7": anthropic({
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    ...opus,
    reasoning: "adaptive",
    cacheTokensMin: 2_048,
  }),
  "anthropic/claude-opus-4-6": anthropic({
    outputTokensMax: 128_000,
    ...opus,
    reasoning: "budget",
    cacheTokensMin: 4_096,
  }),
  "anthropic/claude-opus-4-5": anthropic({
    outputTokensMax: 64_000,
    ...opus,
    reasoning: "budget",
    cacheTokensMin: 4_096,
  }),
  "anthropic/claude-opus-4-1": anthropic({
    outputTokensMax: 32_000,
    ...claude(15, 75),
    reasoning: "budget",
  }),
  "anthropic/claude-opus-4": anthropic({ outputTokensMax: 32_000, ...claude(15, 75), reasoning: "budget" }),
  "anthropic/claude-sonnet-4-6": anthropic({ outputTokensMax: 64_000, ...sonnet, reasoning: "budget" }),
  "anthropic/claude-sonnet-4-5": anthropic({ outputTokensMax: 64_000, ...sonnet, reasoning: "budget" }),
  "anthropic/claude-sonnet-4": anthropic({ outputTokensMax: 64_000, ...sonnet, reasoning: "budget" }),
  "anthropic/claude-haiku-4-5": anthropic({
    outputTokensMax: 64_000,
    ...claude(1, 5),
    reasoning: "budget",
    cacheTokensMin: 4_096,
  }),
  "anthropic/claude-3-5-haiku": anthropic({
    outputTokensMax: 8_192,
    ...claude(0.8, 4),
    cacheTokensMin: 2_048,
  }),
  // The price is documented, the limits are assumed to be no smaller than those of the models before.
  "openai/gpt-6-astra": {
    ...openai({ contextTokensMax: firstTier, price: price(10, 50, 1, 12.5), ...breakpoints }),
    source: "assumed",
  },
  "openai/gpt-5.6-sol": openai({
    contextTokensMax: firstTier,
    price: price(2, 10, 0.2, 2.5),
    ...breakpoints,
  }),
  "openai/gpt-5.6-terra": openai({ contextTokensMax: firstTier, ...breakpoints }),
  "openai/gpt-5.6-luna": openai({ contextTokensMax: firstTier, ...breakpoints }),
  "openai/gpt-5.5": openai({ contextTokensMax: firstTier, price: price(5, 30, 0.5), cacheLives: ["24h"] }),
  "openai/gpt-5.4": openai({ contextTokensMax: firstTier, price: price(2.5, 15, 0.25), ...keptLonger }),
  "openai/gpt-5.3-codex": openai({ contextTokensMax: 400_000, price: price(1.75, 14, 0.175), ...keptLonger }),
  "openai/gpt-5.2": openai({ contextTokensMax: 400_000, price: price(1.75, 14, 0.175), ...keptLonger }),
  "openai/gpt-5": openai({ contextTokensMax: 400_000, price: price(1.25, 10, 0.125), ...keptLonger }),
  "openai/gpt-5-mini": openai({ contextTokensMax: 400_000, price: price(0.25, 2, 0.025) }),
  "openai/o3": openai({ contextTokensMax: 200_000, outputTokensMax: 100_000, price: price(2, 8, 0.5) }),
  "openai/gpt-4.1": openai({
    contextTokensMax: 1_047_576,
    outputTokensMax: 32_768,
    reasoning: "none",
    price: price(2, 8, 0.5),
    ...keptLonger,
  }),
  "openai/gpt-4.1-mini": openai({ contextTokensMax: 1_047_576, outputTokensMax: 32_768, reasoning: "none" }),
  "openai/gpt-4o-mini": openai({
    outputTokensMax: 16_384,
    reasoning: "none",
    price: price(0.15, 0.6, 0.075),
  }),
  // The price of the busy hours; it is halved in the others.
  "deepseek/deepseek-flash": deepseek({
    contextTokensMax: 1_000_000,
    outputTokensMax: 384_000,
    images: true,
    price: price(0.3, 1.2, 0.006),
  }),
  "deepseek/deepseek-v4-pro": deepseek({
    contextTokensMax: 1_000_000,
    outputTokensMax: 384_000,
    price: price(1.32, 3.96, 0.044),
  }),
  "groq/openai/gpt-oss-120b": rowFor("groq")({
    contextTokensMax: 131_072,
    outputTokensMax: 65_536,
    reasoning: "effort",
    structuredOutput: true,
    price: price(0.15, 0.6, 0.075),
  }),
  // documented: 200,000 tokens before the next price tier.
  "xai/grok-4.7": rowFor(
    "xai",
    "assumed",
  )({
    contextTokensMax: 200_000,
    outputTokensMax: 32_000,
    reasoning: "effort",
    images: true,
    price: price(2, 6, 0.5),
  }),
  "mistral/mistral-large-4": rowFor("mistral", "assumed")({ reasoning: "effort" }),
  ...googleRows,
  ...bedrockRows,
}
