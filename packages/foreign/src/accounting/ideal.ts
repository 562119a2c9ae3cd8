/**
 * What the same requests would have cost with a prefix that only grows and lives long enough (IM2).
 *
 * Each request reads all of the one before it and writes what is new, unless the gap between them is longer
 * than the life that was chosen; then it writes everything. The life is the one of those that the model
 * offers with which the session costs least. What no prefix can save stays as it was recorded: the first
 * request, one to another model, one behind a compaction, and those of a cache that nothing is known of.
 */
import { promptTokens, type Request, writtenTokens } from "./collect.ts"
import { lifeMs, type Prices } from "./price.ts"

/** Dollars of the input of these requests, which are all of one session and have a price. */
export function idealInput(requests: readonly Request[], prices: Prices): number {
  const lives = new Set(requests.flatMap(({ provider, model }) => livesOf(prices, provider, model)))
  const costs = [...lives].map((life) =>
    requests.reduce((sum, request) => sum + withLife(request, life, prices), 0),
  )
  return costs.length === 0 ? 0 : Math.min(...costs)
}

/** Of a cache that promises nothing, the shortest life is assumed. */
function livesOf(prices: Prices, provider: string, model: string): readonly string[] {
  const { cacheLives } = prices.factsOf(provider, model)
  return cacheLives.length === 0 ? ["5m"] : cacheLives
}

function withLife(request: Request, life: string, prices: Prices): number {
  const { previous, tokens, provider, model } = request
  const cost = prices.costOf(provider, model, tokens)
  if (cost === null) return 0
  const facts = prices.factsOf(provider, model)
  const offered = livesOf(prices, provider, model)
  const own = offered.includes(life) ? life : (offered[0] ?? "5m")
  const writeRate = prices.writeRate(facts, own)
  const kept = previous === null || previous.model !== model || request.changed.includes("compaction")
  if (kept || facts.cache === "unknown") {
    return tokens.cacheRead * cost.readRate + tokens.input * cost.listRate + writtenTokens(tokens) * writeRate
  }
  const gapMs = request.at === null || previous.at === null ? 0 : request.at - previous.at
  const prompt = promptTokens(tokens)
  const repeated = Math.max(tokens.cacheRead, Math.min(promptTokens(previous.tokens), prompt))
  const read = gapMs >= lifeMs(own) ? 0 : repeated
  return read * cost.readRate + (prompt - read) * writeRate
}
