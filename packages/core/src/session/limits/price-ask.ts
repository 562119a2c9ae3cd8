/**
 * A request that pays again for what was sent before is asked for, where its price is above the bound
 * that the user set; nothing of the boundary is written until somebody allows it (PE3, PE4).
 *
 *   allowed    the request goes out, once
 *   declined   the Session is blocked with the reason; what is pending stays so, and a later wake asks anew
 */
import { Effect } from "effect"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { PriceExpected } from "@holdfast/schema/fact/turn"
import type { AskId } from "@holdfast/schema/id"
import type { Ask } from "@holdfast/schema/state/items"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Reason } from "@holdfast/schema/turn"
import { askingReason } from "../asking/ruling.ts"
import { append, type Lead } from "../lead.ts"
import type { TurnSettings } from "../ports.ts"
import { block, type Blocked } from "./block.ts"

export type Heeded =
  | "go"
  /** Something was written; the boundary is planned anew. */
  | "again"
  | Blocked
  | { readonly kind: "asking"; readonly reason: Reason }

export const heedPrice = Effect.fnUntraced(function* (
  lead: Lead,
  started: FactOf<"turn.started">,
  { askAbove }: TurnSettings,
): Effect.fn.Return<Heeded, StoreFailure | LeaseLost> {
  const { priceExpected: price } = started
  if (askAbove === undefined || (price?.cost ?? 0) <= askAbove || price === undefined) return "go"
  const { state } = lead.loaded
  const known = newestPriceAsk(state)
  if (known?.answer?.decision === "allow") return "go"
  if (known !== null && state.summary.blockedSeq < (known.answeredSeq ?? 0))
    return yield* block(lead, declined(known))
  const raised = priceAsk(lead.ports.newId("ask") as AskId, price, askAbove, started.agent)
  const end = yield* append(lead, [raised, ...answersOf(state, raised.ask)])
  // An interrupt has its say at the commit of the boundary.
  if (end.kind !== "appended") return "go"
  return state.summary.onAsk === "wait" ? { kind: "asking", reason: askingReason } : "again"
})

/** Those that were answered end with the next turn, so the newest is about this request. */
function newestPriceAsk({ items }: SessionState): Ask | null {
  const asks = [...items.asks.values()]
  return asks.findLast(({ raised: { subject } }) => isPriceAsk(subject)) ?? null
}

const subjectName = "price"

const isPriceAsk = (subject: FactOf<"ask.raised">["subject"]): boolean =>
  subject.kind === "request" && subject.name === subjectName

function answersOf({ summary: { onAsk } }: SessionState, ask: AskId): readonly Fact[] {
  if (onAsk === "wait") return []
  const decision = onAsk === "allow" ? "allow" : "decline"
  return [{ type: "ask.answered", ask, decision, scope: "once", text: null, by: "on-ask" }]
}

function priceAsk(ask: AskId, price: PriceExpected, askAbove: number, agent: string): FactOf<"ask.raised"> {
  return {
    type: "ask.raised",
    ask,
    subject: { kind: "request", name: subjectName, detail: { ...price } },
    question: `Send a request whose input costs about ${dollars(price.cost)}? ${whyOf(price)}`,
    resources: [],
    rule: `cost.askAbove ${askAbove}`,
    agent,
    options: [],
  }
}

function whyOf(price: PriceExpected): string {
  const { cause, tokensAgain } = price
  const why = cause === "cold" ? "The provider's cache has lapsed" : "The beginning of the request changes"
  return `${why}, so about ${tokensAgain.toLocaleString("en-US")} tokens are paid for again${elseOf(price)}.`
}

/** What would be sent otherwise: without what the pass takes out, or with a cache that has not lapsed. */
function elseOf({ costWarm, costOtherwise }: PriceExpected): string {
  if (costOtherwise === null) return ""
  return costOtherwise === undefined
    ? `; from the cache it would be about ${dollars(costWarm)}`
    : `; left as it was, the request would cost about ${dollars(costOtherwise)}`
}

const dollars = (amount: number | null): string =>
  amount === null ? "an unknown price" : `$${amount >= 0.1 ? amount.toFixed(2) : amount.toPrecision(2)}`

const declined = ({ raised: { ask, subject, rule } }: Ask): Reason => {
  const detail = subject.kind === "request" ? (subject.detail as Partial<PriceExpected>) : {}
  const { cost = null } = detail
  const price = `about ${dollars(cost)} for its input, above the setting ${rule ?? "cost.askAbove"}`
  return {
    code: "price_declined",
    message: `A request was declined for its price: ${price} (${ask}). What is pending is kept. To be asked again, resume with --on-ask wait or send another prompt; to allow it, raise the setting: holdfast config set cost.askAbove AMOUNT`,
  }
}
