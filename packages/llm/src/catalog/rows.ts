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

const anthropic = (facts: CatalogOverride): CatalogModel =>
  rowFor("anthropic")({ outputTokensMax: 64_000, reasoning: "budget", ...facts })
/** Models of which only cache rules and roles are known here. */
const partly = { outputTokensMax: 64_000, reasoning: "adaptive" } as const
const newest = rowFor("anthropic", "assumed")({ ...partly, systemRole: true, cacheTokensMin: 512 })
/** documented: what the latest models with a price have in common. */
const adaptive = { contextTokensMax: 1_000_000, outputTokensMax: 128_000, reasoning: "adaptive" } as const
const opus = claude(5, 25)
const sonnet = claude(3, 15)

const openai = (facts: CatalogOverride): CatalogModel =>
  rowFor("openai")({ reasoning: "effort", images: true, outputTokensMax: 128_000, ...facts })
/** documented: 272,000 tokens of input before the next price tier, and the output beside them. */
const firstTier = 400_000
/** documented: GPT-4.1 does not reason. */
const silent = { contextTokensMax: 1_047_576, outputTokensMax: 32_768, reasoning: "none" } as const
/** documented: from GPT-5.6 on a read ends at a breakpoint, which lives for half an hour. */
const breakpoints = { cache: "breakpoints", cacheLives: ["30m"], contextTokensMax: firstTier } as const
/** documented: a prefix stays in memory, or for a day where that is asked for. */
const keptLonger = { cacheLives: ["5m", "24h"] } as const
const deepseek = (facts: CatalogOverride): CatalogModel =>
  rowFor("deepseek")({ contextTokensMax: 1_000_000, outputTokensMax: 384_000, ...facts })

export const rows: Readonly<Record<string, CatalogModel>> = {
  "anthropic/claude-opus-5": newest,
  "anthropic/claude-fable-5-1": newest,
  "anthropic/claude-mythos-5-1": newest,
  "anthropic/claude-sonnet-5": rowFor("anthropic", "assumed")(partly),
  "anthropic/claude-opus-4-8": anthropic({ ...opus, ...adaptive, systemRole: true }),
  "anthropic/claude-opus-4-7": anthropic({ ...opus, ...adaptive, cacheTokensMin: 2_048 }),
  "anthropic/claude-opus-4-6": anthropic({ ...opus, outputTokensMax: 128_000, cacheTokensMin: 4_096 }),
  "anthropic/claude-opus-4-5": anthropic({ ...opus, cacheTokensMin: 4_096 }),
  "anthropic/claude-opus-4-1": anthropic({ ...claude(15, 75), outputTokensMax: 32_000 }),
  "anthropic/claude-opus-4": anthropic({ ...claude(15, 75), outputTokensMax: 32_000 }),
  "anthropic/claude-sonnet-4-6": anthropic(sonnet),
  "anthropic/claude-sonnet-4-5": anthropic(sonnet),
  "anthropic/claude-sonnet-4": anthropic(sonnet),
  "anthropic/claude-haiku-4-5": anthropic({ ...claude(1, 5), cacheTokensMin: 4_096 }),
  "anthropic/claude-3-5-haiku": rowFor("anthropic")({
    ...claude(0.8, 4),
    outputTokensMax: 8_192,
    cacheTokensMin: 2_048,
  }),
  // The price is documented, the limits are assumed to be no smaller than those of the models before.
  "openai/gpt-6-astra": { ...openai({ price: price(10, 50, 1, 12.5), ...breakpoints }), source: "assumed" },
  "openai/gpt-5.6-sol": openai({ price: price(2, 10, 0.2, 2.5), ...breakpoints }),
  "openai/gpt-5.6-terra": openai(breakpoints),
  "openai/gpt-5.6-luna": openai(breakpoints),
  "openai/gpt-5.5": openai({ contextTokensMax: firstTier, price: price(5, 30, 0.5), cacheLives: ["24h"] }),
  "openai/gpt-5.4": openai({ contextTokensMax: firstTier, price: price(2.5, 15, 0.25), ...keptLonger }),
  "openai/gpt-5.3-codex": openai({ contextTokensMax: 400_000, price: price(1.75, 14, 0.175), ...keptLonger }),
  "openai/gpt-5.2": openai({ contextTokensMax: 400_000, price: price(1.75, 14, 0.175), ...keptLonger }),
  "openai/gpt-5": openai({ contextTokensMax: 400_000, price: price(1.25, 10, 0.125), ...keptLonger }),
  "openai/gpt-5-mini": openai({ contextTokensMax: 400_000, price: price(0.25, 2, 0.025) }),
  "openai/o3": openai({ contextTokensMax: 200_000, outputTokensMax: 100_000, price: price(2, 8, 0.5) }),
  "openai/gpt-4.1": openai({ ...silent, price: price(2, 8, 0.5), ...keptLonger }),
  "openai/gpt-4.1-mini": openai(silent),
  "openai/gpt-4o-mini": rowFor("openai")({
    outputTokensMax: 16_384,
    images: true,
    price: price(0.15, 0.6, 0.075),
  }),
  // The price of the busy hours; it is halved in the others.
  "deepseek/deepseek-flash": deepseek({ images: true, price: price(0.3, 1.2, 0.006) }),
  "deepseek/deepseek-v4-pro": deepseek({ price: price(1.32, 3.96, 0.044) }),
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
