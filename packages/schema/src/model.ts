/** Which model a turn speaks to, and what it costs. */
import { Schema } from "effect"

/** `provider/model` split at the first slash. */
export const ModelRef = Schema.Struct({
  provider: Schema.String.check(Schema.isMinLength(1)),
  model: Schema.String.check(Schema.isMinLength(1)),
})
export type ModelRef = typeof ModelRef.Type

export function parseModelRef(text: string): ModelRef | null {
  const slash = text.indexOf("/")
  if (slash <= 0 || slash === text.length - 1) return null
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) }
}

export const formatModelRef = (ref: ModelRef): string => `${ref.provider}/${ref.model}`

const Tokens = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Tokens of a request and its answer, or of several. `input` counts what was neither read from nor written to a cache. */
export const Usage = Schema.Struct({
  input: Tokens,
  output: Tokens,
  cacheRead: Tokens,
  cacheWrite: Tokens,
  /** Of what was written, what is to live an hour; absent where none is. */
  cacheWrite1h: Schema.optionalKey(Tokens),
})
export type Usage = typeof Usage.Type

/**
 * How far counts can be trusted: as the provider reported them; with our estimate of what had come of
 * an answer that broke off; or without what nobody knows, so that they are the least it can be.
 */
export const Accuracy = Schema.Literals(["exact", "estimated", "incomplete"])
export type Accuracy = typeof Accuracy.Type

export { addSpent, addUsage, knownCost, type Spent, spentBy, spentNone, usageNone } from "./state/usage.ts"

/** Prices in dollars for a million tokens. */
export const Price = Schema.Struct({
  input: Schema.Finite,
  output: Schema.Finite,
  cacheRead: Schema.Finite,
  cacheWrite: Schema.Finite,
  /** For an hour; absent where it costs the same. */
  cacheWrite1h: Schema.optionalKey(Schema.Finite),
})
export type Price = typeof Price.Type

export const costOf = (usage: Usage, price: Price | null): number | null =>
  price === null
    ? null
    : (usage.input * price.input +
        usage.output * price.output +
        usage.cacheRead * price.cacheRead +
        usage.cacheWrite * price.cacheWrite +
        (usage.cacheWrite1h ?? 0) * ((price.cacheWrite1h ?? price.cacheWrite) - price.cacheWrite)) /
      1_000_000

/** A model as a surface shows it. */
export const ModelInfo = Schema.Struct({
  provider: Schema.String,
  model: Schema.String,
  baseUrl: Schema.String,
  /** Not on this machine: requests may cost money. */
  paid: Schema.Boolean,
  contextTokens: Tokens,
  /** Whether it is shown images; else they are named to it. */
  images: Schema.Boolean,
  price: Schema.NullOr(Price),
  /** The model that was asked for, where it rests after a failure and this one answers for it (CA3). */
  insteadOf: Schema.optionalKey(Schema.Struct({ model: ModelRef, until: Tokens })),
})
export type ModelInfo = typeof ModelInfo.Type
