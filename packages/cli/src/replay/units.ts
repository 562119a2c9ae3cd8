/** Cost units of counted tokens: what they weigh against input that no cache had (IM2). */
import type { CacheMultipliers, ReplayedRequest } from "@holdfast/sdk/replay"
import type { Counted } from "./oracle.ts"

/** By the prices of the model; where none is known, as its kind of cache is charged for everywhere. */
export function replayMultipliers({
  price,
  cacheWriteByTtl,
  cache,
}: ReplayedRequest["facts"]): CacheMultipliers {
  if (price !== null && price.input > 0) {
    const write5m = (cacheWriteByTtl?.["5m"] ?? price.cacheWrite) / price.input
    const write1h = (cacheWriteByTtl?.["1h"] ?? price.cacheWrite) / price.input
    return { read: price.cacheRead / price.input, write5m, write1h }
  }
  return assumed[cache]
}

/** documented: a tenth for what is read; what is written costs a quarter more, for an hour double, where it is asked for. */
const assumed: Readonly<Record<ReplayedRequest["facts"]["cache"], CacheMultipliers>> = {
  markers: { read: 0.1, write5m: 1.25, write1h: 2 },
  breakpoints: { read: 0.1, write5m: 1.25, write1h: 1.25 },
  automatic: { read: 0.1, write5m: 1, write1h: 1 },
  unknown: { read: 1, write5m: 1, write1h: 1 },
}

export const costUnits = (counted: Counted, { read, write5m, write1h }: CacheMultipliers): number =>
  counted.input + counted.cacheRead * read + counted.cacheWrite5m * write5m + counted.cacheWrite1h * write1h
