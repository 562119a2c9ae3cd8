/**
 * What the provider's cache has left of a Session at a moment, and how long the next prefix is to live (LL5).
 *
 * The rhythm of the Session says when its cache was used last and where its anchor is; the record of
 * the last request says what lives how long. Pure, the same for a turn, a preview and a replay.
 */
import {
  allLiving,
  type CacheMultipliers,
  chooseLifetime,
  type Lifetime,
  lifetimeMs,
  type Lifetimes,
  markerMultipliers,
  warmMarginMs,
} from "@holdfast/llm/cache-lifetime"
import type { Block } from "@holdfast/llm/wire"
import { unmarkedLifetimeMs } from "@holdfast/recall"
import type { Price } from "@holdfast/schema/model"
import type { Anchor, Rhythm } from "@holdfast/schema/state/rhythm"
import type { Break, RequestRecord } from "@holdfast/schema/turn"

export interface CacheMoment {
  readonly rhythm: Rhythm
  /** Of the last request that was sent; null if there was none. */
  readonly last: RequestRecord | null
  readonly break: Break | null
  readonly blocks: readonly Pick<Block, "tokens">[]
  readonly nowMs: number
}

export interface CacheLeft {
  /** Whether the end of the last request still lives. */
  readonly alive: boolean
  /** Tokens of this request that should be there, by our estimate. */
  readonly tokens: number
  readonly anchor: Anchor | null
}

/** documented: from where a look-back begins, the anchor among them. */
const lookBackBlocks = 20

export function cacheLeft({ rhythm, last, break: found, blocks, nowMs }: CacheMoment): CacheLeft {
  if (last === null) return { alive: false, tokens: 0, anchor: null }
  const common = found?.block ?? last.blocks
  const anchor = rhythm.anchor !== null && isLiving(rhythm.anchor, rhythm, nowMs) ? rhythm.anchor : null
  const reached = anchor !== null && anchor.block < common ? anchor : null
  const end = last.markers.at(-1)?.lifetime
  const endMs = rhythm.warmedAt > rhythm.askedAt && anchor !== null ? lifetimeMs["1h"] : lifeMs(end)
  const alive = nowMs - Math.max(rhythm.askedAt, rhythm.warmedAt) < endMs
  if (alive) return { alive, tokens: tokensTo(blocks, common), anchor: reached }
  if (reached !== null && blocks.length - 1 - reached.block < lookBackBlocks)
    return { alive, tokens: tokensTo(blocks, reached.block + 1), anchor: reached }
  const standing = last.markers.at(0)
  const stands =
    standing?.lifetime === "1h" && standing.block < common && nowMs - rhythm.askedAt < lifetimeMs["1h"]
  return { alive, tokens: stands ? tokensTo(blocks, standing.block + 1) : 0, anchor: null }
}

const isLiving = ({ at }: Anchor, { warmedAt }: Rhythm, nowMs: number): boolean =>
  nowMs - Math.max(at, warmedAt) < lifetimeMs["1h"]

const lifeMs = (lifetime: string | undefined): number =>
  lifetime === "5m" || lifetime === "1h" ? lifetimeMs[lifetime] : unmarkedLifetimeMs

function tokensTo(blocks: CacheMoment["blocks"], end: number): number {
  let tokens = 0
  for (let i = 0; i < end; i++) tokens += blocks[i]?.tokens ?? 0
  return tokens
}

/** `auto` by the rhythm of the Session. */
export type LifetimeSetting = "auto" | Lifetime

export function planLifetimes(
  moment: CacheMoment,
  setting: LifetimeSetting,
  multipliers: CacheMultipliers,
): Lifetimes {
  if (setting !== "auto") return allLiving(setting)
  const { rhythm, blocks } = moment
  const { tokens: tokensRead, anchor } = cacheLeft(moment)
  const tokens = tokensTo(blocks, blocks.length)
  return chooseLifetime({
    seen: rhythm,
    tokens,
    tokensRead,
    anchor: anchor && {
      blocksSince: blocks.length - 1 - anchor.block,
      tokensSince: Math.max(0, tokens - tokensTo(blocks, anchor.block + 1)),
    },
    anchorsHold: rhythm.lapsed <= rhythm.held,
    multipliers,
  })
}

/** In parts of what plain input costs; as providers charge everywhere, where the price is not known. */
export function multipliersOf(price: Price | null): CacheMultipliers {
  if (price === null || price.input <= 0) return markerMultipliers
  const { input, cacheRead, cacheWrite, cacheWrite1h = cacheWrite } = price
  return { read: cacheRead / input, write5m: cacheWrite / input, write1h: cacheWrite1h / input }
}

/** When a request that only keeps the cache is due, and what it would have to write again. */
export interface Warming {
  readonly atMs: number
  readonly lifetime: Lifetime
  readonly tokensAgain: number
}

/** Shortly before the end of what lives longest; null where nothing has a known life. */
export function nextWarming(rhythm: Rhythm, last: RequestRecord): Warming | null {
  const end = last.markers.at(-1)
  if (end === undefined || (end.lifetime !== "5m" && end.lifetime !== "1h")) return null
  const { anchor, askedAt, warmedAt } = rhythm
  const warmed = warmedAt > askedAt
  const endMs = Math.max(askedAt, warmedAt) + lifetimeMs[end.lifetime]
  const anchorMs = anchor === null ? 0 : Math.max(anchor.at, warmedAt) + lifetimeMs["1h"]
  if (anchor === null || anchorMs < endMs || last.blocks - 1 - anchor.block >= lookBackBlocks)
    return { atMs: endMs - warmMarginMs, lifetime: end.lifetime, tokensAgain: 0 }
  const written = warmed ? 0 : last.tokensEstimated - anchor.tokens
  return { atMs: anchorMs - warmMarginMs, lifetime: "1h", tokensAgain: Math.max(0, written) }
}
