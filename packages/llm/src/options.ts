/**
 * Options of one request, in three domains that never mix (CA2), and the facts that encoding needs.
 *
 *   generation  Generation Controls: mean the same to every provider
 *   model       Model Request Options: provider-semantic settings, encoded only by the wire
 *   body        compatibility body fields: copied to the top of the body as they are
 *   traits      no option but facts of the model and its server, frozen with the turn (TU1)
 *
 * The whole value is stored with the turn. A setting that is absent is not sent, so a new kind of
 * setting does not change the bytes of old requests.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"

export interface RequestOptions {
  readonly generation: GenerationControls
  readonly model: ModelRequestOptions
  readonly body: JsonObject
  readonly traits: ModelTraits
}

/** Provider-neutral sampling and output settings. */
export interface GenerationControls {
  readonly outputTokensMax: number
  readonly temperature?: number
  readonly topP?: number
  readonly stop?: readonly string[]
  readonly toolChoice?: ToolChoice
  readonly structured?: StructuredOutput
}

/**
 * What is reserved for an answer where nobody asks for another amount. Models may say far more, and hardly ever do;
 * whatever is reserved is lost to the input.
 */
export const outputTokensReserved = 32_000

export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string }

/** The answer's text is JSON of this schema. */
export interface StructuredOutput {
  readonly name: string
  readonly schema: JsonObject
}

/** Provider-semantic settings of a model, before encoding. */
export interface ModelRequestOptions {
  readonly reasoning?: Reasoning
  /** What the provider tells of its reasoning, such as `auto` or `detailed`. */
  readonly reasoningSummary?: string
  readonly verbosity?: string
  /** How long a cached prefix lives: `5m` and `1h` with markers, `24h` and `in_memory` without. */
  readonly cacheTtl?: CacheTtl
  /** Requests with the same key are sent to the same cache. Derived from the prompt if absent. */
  readonly cacheKey?: string
  readonly serviceTier?: string
  readonly parallelCalls?: boolean
  /** Tools that the provider runs itself, each as the provider wants it declared, in this order (LL8). */
  readonly hostedTools?: readonly JsonObject[]
}

export type CacheTtl = "5m" | "1h" | "24h" | "in_memory"

/** How much a model reasons: by a budget, by an effort, as it sees fit, or not at all. */
export type Reasoning =
  | { readonly kind: "budget"; readonly tokens: number }
  | { readonly kind: "effort"; readonly effort: string }
  | { readonly kind: "adaptive"; readonly effort?: string }
  | { readonly kind: "off" }

/** Facts of a model and its server on which the bytes depend. */
export interface ModelTraits {
  /** Instructions are taken at their place in time (LL2). */
  readonly systemRole?: boolean
  /** The model reasons, so what it sealed comes back to it. */
  readonly reasoning?: boolean
  /** The provider refused what it had sealed: this request is sent without it (LL4). */
  readonly withoutNative?: boolean
  /** The model reads no images: a line of text stands for each (LL7). */
  readonly withoutImages?: boolean
  /** Name of a server profile of the wire. */
  readonly profile?: string
  /** What kind of cache marker the model takes; none if absent (LL5). */
  readonly cacheMarkers?: "anthropic" | "openai"
  /** Schemas that allow it are enforced by the provider. */
  readonly strictTools?: boolean
}

/** Options with nothing set but the output limit. */
export const plainOptions = (
  outputTokensMax: number,
  more: Partial<Omit<RequestOptions, "generation">> = {},
): RequestOptions => ({ generation: { outputTokensMax }, model: {}, body: {}, traits: {}, ...more })

/** How long a marked prefix lives: the shorter life unless an hour is asked for. */
export const markerTtl = ({ model }: RequestOptions): "5m" | "1h" => (model.cacheTtl === "1h" ? "1h" : "5m")

/** How long a prefix lives that is cached without markers, where that is asked for. */
export const retentionOf = ({ model: { cacheTtl } }: RequestOptions): string | undefined =>
  cacheTtl === "24h" || cacheTtl === "in_memory" ? cacheTtl : undefined

/** The effort that is asked for, whatever else is. */
export const effortOf = (reasoning: Reasoning | undefined): string | undefined =>
  reasoning?.kind === "effort" || reasoning?.kind === "adaptive" ? reasoning.effort : undefined

/** The same where not to reason at all is an effort, too. */
export const effortOrNone = (reasoning: Reasoning | undefined): string | undefined =>
  reasoning?.kind === "off" ? "none" : effortOf(reasoning)

/** The members that say something: what is not set is not written, nor what is empty. */
export const given = (members: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) =>
      typeof value === "object" && value !== null ? Object.keys(value).length > 0 : (value ?? null) !== null,
    ),
  ) as JsonObject

/** Settings with the compatibility fields behind them: what a wire writes itself is not overwritten. */
export function withBodyFields(
  written: JsonObject,
  body: JsonObject,
  denied: ReadonlySet<string> = new Set(),
): JsonObject {
  const passed = Object.entries(body).filter(([name]) => !denied.has(name) && !Object.hasOwn(written, name))
  return { ...written, ...Object.fromEntries(passed) }
}
