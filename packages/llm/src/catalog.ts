/**
 * The embedded catalog: limits, prices and abilities of known models (CA1).
 *
 * It works offline and user configuration wins. A fact that is not certain is left out: a price
 * that is null makes a turn's cost unknown, which is better than wrong. `documented` rows follow
 * the provider's published tables; `assumed` ones are safe guesses for models without one.
 */
import type { ModelRef, Price } from "@holdfast/schema/model"

export interface CatalogModel {
  readonly wire: "anthropic-messages"
  readonly contextTokensMax: number
  readonly outputTokensMax: number
  readonly price: Price | null
  /** The model takes instructions at their place in time (LL2). */
  readonly systemRole: boolean
  /** How thinking is asked for: by a budget, by letting the model decide, or not at all. */
  readonly thinking: "budget" | "adaptive" | "none"
  /** A shorter prefix is not cached. */
  readonly cacheTokensMin: number
  readonly source: "documented" | "assumed" | "configured"
}

/** What a user configures of a model; it wins over the embedded facts. */
export type CatalogOverride = Partial<Omit<CatalogModel, "source">>

/** Facts about a model: the embedded row or the default of its provider, then the user's. */
export function findModel(ref: ModelRef, override: CatalogOverride = {}): CatalogModel {
  const base = ref.provider === "anthropic" ? rowOf(aliasOf(ref.model)) : unknownModel
  return Object.keys(override).length === 0 ? base : { ...base, ...override, source: "configured" }
}

/** Names of the rows, for listings. */
export const catalogModels = (): readonly ModelRef[] =>
  Object.keys(rows).map((model) => ({ provider: "anthropic", model }))

/** documented: a dated id names the same model as its alias. */
const aliasOf = (model: string): string => model.replace(/-(?:\d{8}|latest)$/, "")

const rowOf = (name: string): CatalogModel =>
  (Object.hasOwn(rows, name) ? rows[name] : undefined) ?? unknownModel

/** documented: reading a cached prefix costs a tenth, writing it for five minutes a quarter more. */
const priced = (input: number, output: number): Price => ({
  input,
  output,
  cacheRead: input * 0.1,
  cacheWrite: input * 1.25,
})

const unknownModel: CatalogModel = {
  wire: "anthropic-messages",
  contextTokensMax: 200_000,
  outputTokensMax: 8_192,
  price: null,
  systemRole: false,
  thinking: "none",
  cacheTokensMin: 1_024,
  source: "assumed",
}

const row = (facts: CatalogOverride): CatalogModel => ({ ...unknownModel, source: "documented", ...facts })

/** Facts of a model of which only its cache rules and its roles are known here. */
const partly = (facts: CatalogOverride): CatalogModel => ({ ...row(facts), source: "assumed" })

const opusPrice = priced(5, 25)
const sonnetPrice = priced(3, 15)

const rows: Readonly<Record<string, CatalogModel>> = {
  "claude-opus-5": partly({
    outputTokensMax: 64_000,
    systemRole: true,
    thinking: "adaptive",
    cacheTokensMin: 512,
  }),
  "claude-fable-5-1": partly({
    outputTokensMax: 64_000,
    systemRole: true,
    thinking: "adaptive",
    cacheTokensMin: 512,
  }),
  "claude-mythos-5-1": partly({
    outputTokensMax: 64_000,
    systemRole: true,
    thinking: "adaptive",
    cacheTokensMin: 512,
  }),
  "claude-sonnet-5": partly({ outputTokensMax: 64_000, thinking: "adaptive" }),
  "claude-opus-4-8": row({
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    price: opusPrice,
    systemRole: true,
    thinking: "adaptive",
  }),
  "claude-opus-4-7": row({
    contextTokensMax: 1_000_000,
    outputTokensMax: 128_000,
    price: opusPrice,
    thinking: "adaptive",
    cacheTokensMin: 2_048,
  }),
  "claude-opus-4-6": row({
    outputTokensMax: 128_000,
    price: opusPrice,
    thinking: "budget",
    cacheTokensMin: 4_096,
  }),
  "claude-opus-4-5": row({
    outputTokensMax: 64_000,
    price: opusPrice,
    thinking: "budget",
    cacheTokensMin: 4_096,
  }),
  "claude-opus-4-1": row({ outputTokensMax: 32_000, price: priced(15, 75), thinking: "budget" }),
  "claude-opus-4": row({ outputTokensMax: 32_000, price: priced(15, 75), thinking: "budget" }),
  "claude-sonnet-4-6": row({ outputTokensMax: 64_000, price: sonnetPrice, thinking: "budget" }),
  "claude-sonnet-4-5": row({ outputTokensMax: 64_000, price: sonnetPrice, thinking: "budget" }),
  "claude-sonnet-4": row({ outputTokensMax: 64_000, price: sonnetPrice, thinking: "budget" }),
  "claude-haiku-4-5": row({
    outputTokensMax: 64_000,
    price: priced(1, 5),
    thinking: "budget",
    cacheTokensMin: 4_096,
  }),
  "claude-3-5-haiku": row({ outputTokensMax: 8_192, price: priced(0.8, 4), cacheTokensMin: 2_048 }),
}
