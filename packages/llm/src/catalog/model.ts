/** What is known of a model: the shape of a catalog row, and what it means for a request. */
import type { Price } from "@holdfast/schema/model"
import type { ModelTraits } from "../options.ts"

export type WireName =
  | "anthropic-messages"
  | "openai-responses"
  | "openai-chat"
  | "gemini"
  | "bedrock-converse"

export interface CatalogModel {
  readonly wire: WireName
  /** Where the provider is reached unless configured; null if nowhere in particular. */
  readonly endpoint: string | null
  readonly contextTokensMax: number
  readonly outputTokensMax: number
  /** A cache write counts as one for five minutes; see `cacheWriteByTtl` for others. */
  readonly price: Price | null
  /** Dollars for a million tokens written to a cache, by how long it lives. */
  readonly cacheWriteByTtl: Readonly<Record<string, number>> | null
  readonly tools: boolean
  readonly images: boolean
  readonly structuredOutput: boolean
  /** The model takes instructions at their place in time (LL2). */
  readonly systemRole: boolean
  /** How reasoning is asked for: by a budget, by an effort, by letting the model decide, or not at all. */
  readonly reasoning: "budget" | "effort" | "adaptive" | "none"
  /** Prefixes are cached where they are marked, by themselves, or it is not known. */
  readonly cache: "markers" | "breakpoints" | "automatic" | "unknown"
  /** A shorter prefix is not cached. */
  readonly cacheTokensMin: number
  /** How long a cached prefix can live without use, the shortest first; none where nothing is promised. */
  readonly cacheLives: readonly string[]
  /** Server profile of the openai-chat wire. */
  readonly profile: string | null
  readonly source: "documented" | "recorded" | "assumed" | "configured"
}

/** What a user configures of a model; it wins over the embedded facts. */
export type CatalogOverride = Partial<Omit<CatalogModel, "source">>

/** The facts on which a request's bytes depend, as they are frozen with a turn (TU1). */
export const traitsOf = (facts: CatalogModel): ModelTraits => ({
  systemRole: facts.systemRole,
  ...(facts.images ? {} : { withoutImages: true }),
  ...(facts.wire === "anthropic-messages" ? {} : { reasoning: facts.reasoning !== "none" }),
  ...(facts.wire === "openai-chat" && facts.profile !== null ? { profile: facts.profile } : {}),
  ...(facts.wire !== "anthropic-messages" && facts.cache === "breakpoints"
    ? { cacheMarkers: "openai" as const }
    : {}),
  ...(facts.wire === "openai-chat" && facts.cache === "markers"
    ? { cacheMarkers: "anthropic" as const }
    : {}),
})

/** The price when prefixes live that long; null if it is not known. */
export function priceFor({ price, cacheWriteByTtl }: CatalogModel, ttl: string): Price | null {
  if (price === null) return null
  const { [ttl]: cacheWrite, "1h": cacheWrite1h } = cacheWriteByTtl ?? {}
  return {
    ...price,
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWrite1h !== undefined && { cacheWrite1h }),
  }
}
