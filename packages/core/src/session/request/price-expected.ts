/**
 * What the input of a request will cost, told before it is sent: always for whoever looks, and on record where the cache
 * is cold or the prefix breaks, beside what it would cost otherwise.
 *
 * Sizes are estimates, corrected by what the provider counted for the last request. Only input is
 * priced: how long the answer will be, nobody knows.
 */
import type { Price } from "@holdfast/schema/model"
import type { PriceExpected } from "@holdfast/schema/fact/turn"
import type { RequestRecord } from "@holdfast/schema/turn"

/** A request, and how much of it the provider should have in its cache. */
export interface PricedRequest {
  readonly request: Pick<RequestRecord, "tokensEstimated" | "markers">
  readonly cacheExpected: number
}

export interface PriceQuestion extends PricedRequest {
  /** Of the last request that was sent; null if there was none. */
  readonly last: Pick<RequestRecord, "tokensEstimated" | "blocks"> | null
  readonly breaks: boolean
  /** Tokens of the last request that the cache would not have any more if nothing broke. */
  readonly lapsedTokens: number
  /** What would be sent if the pass did nothing, which may break all the same; null if nothing else could be sent. Unless given, this one would. */
  readonly otherwise?: (PricedRequest & { readonly breaks: boolean }) | null
  readonly price: Price | null
  /** What the provider counted for a token of our estimate. */
  readonly rate: number
}

/** Of a cache that has lapsed, less is not worth a word: providers do not cache less. */
const tokensNotable = 1_024

/** Null where the cache has what it can have. A break is priced however little it loses. */
export function priceExpected(question: PriceQuestion): PriceExpected | null {
  const { request, cacheExpected, last, breaks, lapsedTokens, price, rate } = question
  if (last === null) return null
  // Of an imported turn nobody knows what was sent: it may have been all of this.
  const sentOf = (tokens: number) => (last.blocks === 0 ? tokens : Math.min(last.tokensEstimated, tokens))
  const tokensAgain = Math.round(Math.max(0, sentOf(request.tokensEstimated) - cacheExpected) * rate)
  if (!breaks && tokensAgain < tokensNotable) return null
  const otherwise = breaks ? differing(question) : undefined
  const whole = otherwise?.request ?? request
  return {
    cost: inputCost(question, price, rate),
    costWarm: inputCost({ request: whole, cacheExpected: sentOf(whole.tokensEstimated) }, price, rate),
    ...(otherwise !== undefined && { costOtherwise: otherwise && inputCost(otherwise, price, rate) }),
    tokensAgain,
    cause: breaks && lapsedTokens < tokensNotable ? "break" : "cold",
  }
}

/** Dollars; null where the price of the model is not known. */
export function inputCost(
  { request, cacheExpected }: PricedRequest,
  price: Price | null,
  rate: number,
): number | null {
  if (price === null) return null
  const written = Math.max(0, request.tokensEstimated - cacheExpected)
  return (cacheExpected * price.cacheRead + written * writePrice(request, price)) * (rate / 1_000_000)
}

/** What breaks by itself, and is hardly any longer, is no other request. */
function differing({ request, otherwise }: PriceQuestion): PriceQuestion["otherwise"] {
  if (otherwise === undefined || otherwise === null || !otherwise.breaks) return otherwise
  const apart = Math.abs(otherwise.request.tokensEstimated - request.tokensEstimated)
  return apart < tokensNotable ? undefined : otherwise
}

function writePrice({ markers }: PricedRequest["request"], price: Price): number {
  const end = markers.at(-1)
  if (end === undefined) return price.input
  return end.lifetime === "1h" ? (price.cacheWrite1h ?? price.cacheWrite) : price.cacheWrite
}
