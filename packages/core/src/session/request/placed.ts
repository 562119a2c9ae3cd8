/**
 * A planned request as it goes out: with its markers, what the cache should have of it, and what its input costs beside
 * that of the request which would go out if the pass did nothing (TU7, LL5).
 */
import type { PlacedRequest } from "@holdfast/llm/wire"
import { countedRate, type Pass, type PlannedPass } from "@holdfast/recall"
import type { PriceExpected } from "@holdfast/schema/fact/turn"
import type { BoundaryView } from "../boundary.ts"
import { cacheExpected } from "./cache-expected.ts"
import { cacheLeft, multipliersOf, planLifetimes } from "./lifetimes.ts"
import { inputCost, priceExpected, type PricedRequest } from "./price-expected.ts"
import { type SelectionBlobs, windowLimits } from "./request.ts"

export interface PricedPlace {
  readonly placed: PlacedRequest
  readonly cacheExpected: number
  /** Dollars of its input; null where the price of the model is not known. */
  readonly costExpected: number | null
  readonly priceExpected: PriceExpected | null
}

export function placePriced(view: BoundaryView, pass: PlannedPass, blobs: SelectionBlobs): PricedPlace {
  const { placed, cacheExpected: expected } = placeFor(view, pass, blobs)
  const priced = { request: placed.record, cacheExpected: expected }
  return {
    placed,
    cacheExpected: expected,
    costExpected: inputCost(priced, view.spending?.price ?? null, rateOf(view)),
    priceExpected: priceFor(view, pass, priced, blobs),
  }
}

type Encoding = Pick<Pass, "encoded" | "break">

function placeFor(view: BoundaryView, pass: Encoding, blobs: SelectionBlobs) {
  const { selection, state } = view
  const blocksBefore = state.lastTurn?.started.request.blocks ?? 0
  const lifetimes = lifetimesFor(view, pass)
  const placed = selection.wire.place(pass.encoded, selection.target, blocksBefore, lifetimes)
  return { placed, cacheExpected: cacheExpected(view, pass, placed, blobs) }
}

/** By the rhythm so far, where that is asked for; the blocks are the same either way (LL5). */
function lifetimesFor({ state, spending, nowMs }: BoundaryView, { encoded, break: found }: Encoding) {
  if (spending === undefined || spending.lifetime === null) return undefined
  const last = state.lastTurn?.started.request ?? null
  const { rhythm } = state.summary
  const moment = { rhythm, last, break: found, blocks: encoded.blocks, nowMs }
  return planLifetimes(moment, spending.lifetime, multipliersOf(spending.price))
}

function priceFor(view: BoundaryView, pass: PlannedPass, priced: PricedRequest, blobs: SelectionBlobs) {
  const { state, spending } = view
  if (spending === undefined) return null
  const otherwise =
    pass.applied === null ? undefined : pass.otherwise && pricedOtherwise(view, pass.otherwise, blobs)
  return priceExpected({
    ...priced,
    last: state.lastTurn?.started.request ?? null,
    breaks: pass.break !== null,
    lapsedTokens: lapsedTokens(view, (pass.otherwise ?? pass).encoded),
    ...(otherwise !== undefined && { otherwise }),
    price: spending.price,
    rate: rateOf(view),
  })
}

function pricedOtherwise(view: BoundaryView, otherwise: Encoding, blobs: SelectionBlobs) {
  const { placed, cacheExpected: expected } = placeFor(view, otherwise, blobs)
  return { request: placed.record, cacheExpected: expected, breaks: otherwise.break !== null }
}

/** What time alone has taken of the last request's cache; of an imported turn nobody knows what was sent. */
function lapsedTokens({ state, nowMs }: BoundaryView, { blocks }: Pass["encoded"]): number {
  const last = state.lastTurn?.started.request ?? null
  if (last === null || last.blocks === 0) return 0
  const left = cacheLeft({ rhythm: state.summary.rhythm, last, break: null, blocks, nowMs })
  return left.alive ? 0 : last.tokensEstimated - left.tokens
}

const rateOf = ({ state, selection }: BoundaryView): number =>
  countedRate(windowLimits(state, selection).answered)
