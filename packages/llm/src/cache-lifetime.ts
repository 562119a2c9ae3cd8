/**
 * How long the marked prefixes of a request are to live: five minutes or an hour (LL5).
 *
 * An hour costs more to write. documented: what a request reads is not paid for again, so a request
 * that reads nearly all of its prefix and marks its end for an hour pays the longer life only for what
 * is new in it, and the whole prefix has an hour from then on. Such an end is an anchor. Requests in
 * between are written for five minutes; after an idle time the next one reads up to the anchor.
 *
 * How often an anchor pays follows from the rhythm of the Session so far: `n` requests that each add
 * `d` tokens cost `d` of the longer life for one anchor, and an idle time, which comes after a request
 * with the chance `p`, loses half of `n · d` on average. The sum is least at n = √(2 · longer / (p · lost)).
 * Only the past is known, and no block changes: the same function serves the runtime and `replay`.
 */
import { markerTtl, type RequestOptions } from "./options.ts"

export type Lifetime = "5m" | "1h"

export interface Lifetimes {
  /** Of everything before the tail. */
  readonly standing: Lifetime
  readonly tail: Lifetime
}

export const lifetimeMs: Readonly<Record<Lifetime, number>> = { "5m": 5 * 60_000, "1h": 60 * 60_000 }

const shortLived: Lifetimes = { standing: "5m", tail: "5m" }
const longLived: Lifetimes = { standing: "1h", tail: "1h" }

export const allLiving = (lifetime: Lifetime): Lifetimes => (lifetime === "1h" ? longLived : shortLived)

/** As it is asked for, whatever the rhythm. */
export const lifetimesOf = (options: RequestOptions): Lifetimes => allLiving(markerTtl(options))

/** As the markers of a request say that were placed before. */
export const lifetimesPlaced = (
  markers: readonly { readonly block: number; readonly lifetime: string }[],
): Lifetimes => ({
  standing: markers.at(0)?.lifetime === "1h" ? "1h" : "5m",
  tail: markers.at(-1)?.lifetime === "1h" ? "1h" : "5m",
})

/** What tokens cost in parts of what plain input costs. */
export interface CacheMultipliers {
  readonly read: number
  readonly write5m: number
  readonly write1h: number
}

/** documented: a tenth for what is read; a quarter more for what is written, for an hour double. */
export const markerMultipliers: CacheMultipliers = { read: 0.1, write5m: 1.25, write1h: 2 }

/** What a Session has shown of its rhythm. */
export interface SeenGaps {
  /** Requests that another one followed. */
  readonly calls: number
  /** Of these, how many were followed only after more than five minutes and within an hour. */
  readonly idles: number
}

export interface LifetimeQuestion {
  readonly seen: SeenGaps
  /** Of the whole request. */
  readonly tokens: number
  /** Of these, what the cache still has; the rest is written. */
  readonly tokensRead: number
  /** The newest anchor that still lives in this prefix, by what was added behind it; null if there is none. */
  readonly anchor: { readonly blocksSince: number; readonly tokensSince: number } | null
  /** False where the provider was seen to forget what an anchor covers. */
  readonly anchorsHold: boolean
  readonly multipliers: CacheMultipliers
}

export function chooseLifetime(question: LifetimeQuestion): Lifetimes {
  const { tokens, tokensRead, anchor, anchorsHold, multipliers } = question
  const { read, write5m, write1h } = multipliers
  const longer = write1h - write5m
  const lost = write5m - read
  if (longer <= 0) return longLived
  if (lost <= 0) return shortLived
  const chance = idleChance(question.seen)
  const added = Math.max(0, tokens - tokensRead)
  // Without anchors, an hour has to be paid for all that is written, or for nothing.
  if (!anchorsHold) return allLiving(chance * lost * tokens > longer * added ? "1h" : "5m")
  const atRisk = anchor?.tokensSince ?? tokens
  const apart = Math.sqrt((2 * longer) / (chance * lost))
  // The next request could pay for less, if it comes in time.
  const isDue = atRisk >= added * apart || chance * lost * atRisk > longer * added
  // What is far from its anchor is as good as without one.
  const isFar = anchor !== null && anchor.blocksSince > anchorBlocksMax && tokens >= added * apart
  return allLiving(isDue || isFar ? "1h" : "5m")
}

/** documented: a cache is found up to 20 blocks before a marker; recorded: 99 of 100 requests add at most nine. */
const anchorBlocksMax = 10

/** recorded: about one request in 35 is followed by such a gap; a Session's own rhythm soon outweighs it. */
const priorIdles = 1
const priorCalls = 35

export const idleChance = ({ calls, idles }: SeenGaps): number => (idles + priorIdles) / (calls + priorCalls)

/** When a keep-warm request is due after the last use, so that it comes before the end of a life. */
export const warmMarginMs = 15_000

export interface WarmQuestion {
  /** Since the last request that was not for warmth. */
  readonly idleMs: number
  readonly lifetime: Lifetime
  readonly multipliers: CacheMultipliers
  /** Part of the prefix that the request would have to write again. */
  readonly writtenShare: number
}

/**
 * Whether one more life is worth its price, by the chance that somebody comes back within it.
 * recorded: of those who were away for a time, about `0.3 · ln(2)` come back within as much again.
 */
export function isWorthWarming({ idleMs, lifetime, multipliers, writtenShare }: WarmQuestion): boolean {
  const { read, write5m, write1h } = multipliers
  const write = lifetime === "1h" ? write1h : write5m
  const chance = returnRate * Math.log((idleMs + lifetimeMs[lifetime]) / Math.max(idleMs, 1))
  return chance * (write5m - read) > read + writtenShare * (write - read)
}

const returnRate = 0.3
