/**
 * What a request will cost, told before it is sent, where the cache is cold or the prefix breaks.
 *
 * Sizes are estimates, corrected by what the provider counted for the last request. Only input is
 * priced: how long the answer will be, nobody knows.
 */
import type { Price } from "@holdfast/schema/model"
import type { PriceExpected } from "@holdfast/schema/fact/turn"
import type { RequestRecord } from "@holdfast/schema/turn"

export interface PriceQuestion {
  readonly request: RequestRecord
  readonly cacheExpected: number
  /** Of the last request that was sent; null if there was none. */
  readonly last: RequestRecord | null
  readonly breaks: boolean
  readonly price: Price | null
  /** What the provider counted for a token of our estimate. */
  readonly rate: number
}

/** Of a cache that has lapsed, less is not worth a word: providers do not cache less. */
const tokensNotable = 1_024

/** Null where the cache has what it can have. A break is priced however little it loses. */
export function priceExpected(question: PriceQuestion): PriceExpected | null {
  const { request, cacheExpected, last, breaks, price, rate } = question
  if (last === null) return null
  const tokens = request.tokensEstimated
  // Of an imported turn nobody knows what was sent: it may have been all of this.
  const warm = last.blocks === 0 ? tokens : Math.min(last.tokensEstimated, tokens)
  const tokensAgain = Math.round(Math.max(0, warm - cacheExpected) * rate)
  if (!breaks && tokensAgain < tokensNotable) return null
  const costFor = (read: number): number | null =>
    price && (read * price.cacheRead + (tokens - read) * writePrice(request, price)) * (rate / 1_000_000)
  return {
    cost: costFor(cacheExpected),
    costWarm: costFor(warm),
    tokensAgain,
    cause: breaks ? "break" : "cold",
  }
}

function writePrice({ markers }: RequestRecord, price: Price): number {
  const end = markers.at(-1)
  if (end === undefined) return price.input
  return end.lifetime === "1h" ? (price.cacheWrite1h ?? price.cacheWrite) : price.cacheWrite
}
