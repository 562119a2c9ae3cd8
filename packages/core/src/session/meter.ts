/**
 * Meter: what the attempts of a turn used, as far as it can be known (TU7).
 *
 *   refused, or never sent        nothing
 *   answered to its end           as the provider reported it
 *   broken off on the way         input as reported, output estimated from what had come
 *   not begun, or without counts  not known, and said to be
 *
 * An attempt that is made again was paid for all the same, so the row of a turn is the sum of all.
 */
import { estimateTokens } from "@holdfast/llm/size"
import type { ProviderFailure, StreamEvent } from "@holdfast/llm/wire"
import {
  addSpent,
  costOf,
  type Price,
  type Spent,
  spentNone,
  type Usage,
  usageNone,
} from "@holdfast/schema/model"
import type { Attempt, LedgerRow, Reason, RequestRecord } from "@holdfast/schema/turn"

/** What was heard of one attempt's answer. */
export interface Meter {
  usage: Usage
  /** What is written lives an hour, where the provider does not tell itself. */
  readonly long: boolean
  /** Whether anything of an answer came, and whether it came to its end. */
  began: boolean
  ended: boolean
  textBytes: number
  callBytes: number
}

/** `markers` are those of the request. */
export const makeMeter = (markers: RequestRecord["markers"] = []): Meter => ({
  usage: usageNone,
  long: markers.at(-1)?.lifetime === "1h",
  began: false,
  ended: false,
  textBytes: 0,
  callBytes: 0,
})

export function readMeter(meter: Meter, event: StreamEvent): void {
  if (event.type === "failure") return
  meter.began = true
  if (event.type === "start" || event.type === "finish") meter.usage = withLife(event.usage, meter.long)
  if (event.type === "finish") meter.ended = true
  if (event.type === "text-delta" || event.type === "reasoning-delta")
    meter.textBytes += Buffer.byteLength(event.text)
  if (event.type === "call-delta") meter.callBytes += event.bytes
}

/** documented: up to a marker for an hour, all that is written is written for an hour. */
const withLife = (usage: Usage, long: boolean): Usage =>
  long && usage.cacheWrite > 0 && usage.cacheWrite1h === undefined
    ? { ...usage, cacheWrite1h: usage.cacheWrite }
    : usage

/** `failure` is null where the answer came to its end, or was stopped from here. */
export function usedBy(
  meter: Meter,
  failure: Pick<ProviderFailure, "code" | "unsent"> | null,
): Pick<Attempt, "usage" | "accuracy"> {
  if (!meter.began) return failure !== null && isUnpaid(failure) ? {} : { accuracy: "incomplete" }
  const { usage } = meter
  const counted = usage.input + usage.cacheRead + usage.cacheWrite > 0
  if (meter.ended && counted) return { usage }
  const output = Math.max(usage.output, streamedTokens(meter))
  return { usage: { ...usage, output }, accuracy: counted ? "estimated" : "incomplete" }
}

/** A provider that refuses has not worked on the request; one that is not heard of may have. */
const isUnpaid = ({ code, unsent }: Pick<ProviderFailure, "code" | "unsent">): boolean =>
  unsent === true || !unheard.has(code)

const unheard: ReadonlySet<ProviderFailure["code"]> = new Set([
  "transport",
  "first_byte_timeout",
  "idle_timeout",
  "answer_timeout",
  "compressed_answer",
  "stream_cut",
  "malformed_stream",
])

const streamedTokens = ({ textBytes, callBytes }: Meter): number =>
  estimateTokens(textBytes, "prose") + estimateTokens(callBytes, "json")

/** One that was stopped from here on its way. */
export const stoppedAttempt = (meter: Meter, reason: Reason | null): Attempt => ({
  failure: reason,
  waitMs: 0,
  ...usedBy(meter, null),
})

/** All attempts of a turn together, as its row tells it. */
export function spentOn(
  attempts: readonly Attempt[],
  price: Price | null,
): Pick<LedgerRow, "usage" | "accuracy" | "cost" | "costKnown"> {
  const { accuracy, ...exact } = attempts.map((attempt) => priced(attempt, price)).reduce(addSpent, spentNone)
  const known = exact.cost === null ? (costOf(exact.usage, price) ?? 0) : 0
  return {
    ...exact,
    ...(accuracy === "exact" ? {} : { accuracy }),
    ...(known > 0 ? { costKnown: known } : {}),
  }
}

function priced({ usage = usageNone, accuracy = "exact" }: Attempt, price: Price | null): Spent {
  const known = accuracy !== "incomplete" || isFree(price)
  return { usage, accuracy, cost: known ? costOf(usage, price) : null }
}

/** What costs nothing costs nothing, however much of it there was. */
const isFree = (price: Price | null): boolean =>
  price !== null && Object.values(price).every((dollars) => dollars === 0)
