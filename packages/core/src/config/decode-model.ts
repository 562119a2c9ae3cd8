/** Decoding of one model of a provider: limits, price, abilities, options and variants. */
import type { CatalogModel } from "@holdfast/llm"
import type { Price } from "@holdfast/schema/model"
import { choiceIn, faultAt, type Fields, numberIn, objectIn, truthIn } from "./document.ts"
import { type OptionTarget, optionsIn, variantsIn } from "./given-options.ts"
import type { ModelSettings } from "./settings.ts"

export const modelKeys = [
  "limit",
  "price",
  "thinkingTokens",
  "systemRole",
  "reasoning",
  "cache",
  "tools",
  "images",
  "structuredOutput",
  "options",
  "variants",
]
const limitKeys = ["context", "output"]
const priceKeys = ["input", "output", "cacheRead", "cacheWrite"]
const thinkingTokensMin = 1_024
export const reasoningKinds: readonly CatalogModel["reasoning"][] = ["budget", "effort", "adaptive", "none"]
export const cacheKinds: readonly CatalogModel["cache"][] = ["markers", "breakpoints", "automatic", "unknown"]

/** `known`: the catalog may know what is not said. `target`: whom options are for. */
export function decodeModel(fields: Fields, known: boolean, target: OptionTarget): ModelSettings {
  const limits = decodeLimits(fields, known)
  const given = {
    ...limits,
    thinkingTokens: decodeThinking(fields, limits.outputTokens),
    systemRole: truthIn(fields, "systemRole"),
    price: decodePrice(fields),
    reasoning: choiceIn(fields, "reasoning", reasoningKinds),
    cache: choiceIn(fields, "cache", cacheKinds),
    tools: truthIn(fields, "tools"),
    images: truthIn(fields, "images"),
    structuredOutput: truthIn(fields, "structuredOutput"),
    options: optionsIn(fields, "options", target),
    variants: fields.byKey.has("variants") ? variantsIn(fields, target) : undefined,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function decodeLimits(
  fields: Fields,
  known: boolean,
): { readonly contextTokens?: number; readonly outputTokens?: number } {
  const limit = objectIn(fields, "limit", limitKeys)
  if (limit === undefined) {
    if (!known) faultAt(fields, "limit", `is missing. Set it, as in {"context": 200000, "output": 8192}.`)
    return {}
  }
  const contextTokens = tokensIn(limit, "context", known)
  const outputTokens = tokensIn(limit, "output", known)
  if (contextTokens !== undefined && outputTokens !== undefined && outputTokens >= contextTokens) {
    faultAt(limit, "output", "must be below the context limit: the output is part of the window.")
  }
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  }
}

function tokensIn(limit: Fields, key: string, known: boolean): number | undefined {
  if (!limit.byKey.has(key) && !known) faultAt(limit, key, "is missing. It is a number of tokens.")
  return numberIn(limit, key, "count")
}

function decodeThinking(fields: Fields, outputTokens: number | undefined): number | undefined {
  const thinkingTokens = numberIn(fields, "thinkingTokens", "count")
  if (thinkingTokens !== undefined && thinkingTokens < thinkingTokensMin) {
    faultAt(fields, "thinkingTokens", `must be at least ${thinkingTokensMin}.`)
  }
  if (thinkingTokens !== undefined && outputTokens !== undefined && thinkingTokens >= outputTokens) {
    faultAt(fields, "thinkingTokens", "must be below the output limit: thinking is part of the output.")
  }
  return thinkingTokens
}

/** Dollars for a million tokens. */
function decodePrice(fields: Fields): Price | undefined {
  const price = objectIn(fields, "price", priceKeys)
  if (price === undefined) return undefined
  const amount = (key: string) => {
    if (!price.byKey.has(key)) faultAt(price, key, "is missing. It is dollars for a million tokens.")
    return numberIn(price, key, "amount") ?? 0
  }
  return {
    input: amount("input"),
    output: amount("output"),
    cacheRead: amount("cacheRead"),
    cacheWrite: amount("cacheWrite"),
  }
}
