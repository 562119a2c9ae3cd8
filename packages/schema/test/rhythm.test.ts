/** How the requests of a Session follow each other, as its log tells it. */
import { expect, test } from "vitest"
import type { FactOf } from "../src/event.ts"
import { answeredOnce, askedAgain, noRhythm, type Rhythm, warmedOnce } from "../src/state/rhythm.ts"

const minute = 60_000
const start = 1_000_000

const started = (blocks: number, lifetime: "5m" | "1h", more: Partial<FactOf<"turn.started">> = {}) =>
  ({
    request: { blocks, tokensEstimated: blocks * 1_000, markers: [{ block: blocks - 1, lifetime }] },
    break: null,
    ...more,
  }) as unknown as FactOf<"turn.started">
const settled = (cacheRead: number) =>
  ({
    ledger: {
      attempts: [{ failure: null, waitMs: 0, usage: { input: 0, output: 1, cacheRead, cacheWrite: 100 } }],
    },
  }) as unknown as FactOf<"turn.settled">
const warmed = (inRow: number, cost: number) => ({ inRow, cost }) as unknown as FactOf<"cache.warmed">

/** Requests of five blocks more each, by the minutes between them. */
const asked = (gaps: readonly number[], lifetime: "5m" | "1h" = "5m"): Rhythm => {
  let at = start
  return gaps.reduce(
    (rhythm, gap, k) => askedAgain(rhythm, started(5 * (k + 2), lifetime), (at += gap * minute)),
    askedAgain(noRhythm, started(5, lifetime), start),
  )
}

test("[LL5] counts the pauses that five minutes do not outlast and an hour does", () => {
  expect(asked([1, 4.9, 5, 59, 60, 700])).toMatchObject({ calls: 6, idles: 2, anchor: null })
})

test("[LL5] older requests count half after a while", () => {
  const { calls, idles } = asked([
    ...Array.from({ length: 40 }, () => 10),
    ...Array.from({ length: 216 }, () => 1),
  ])
  expect([calls, idles]).toEqual([128, 20])
})

test("[LL5] the newest end that lives an hour is the anchor, until the prefix breaks at or before it", () => {
  const anchored = askedAgain(asked([1]), started(15, "1h"), start + 2 * minute)
  expect(anchored.anchor).toEqual({ block: 14, tokens: 15_000, at: start + 2 * minute })
  const broken = (block: number) =>
    askedAgain(
      anchored,
      started(20, "5m", { break: { block, segment: "tail", reason: "cut_ceiling" } }),
      start + 3 * minute,
    ).anchor
  expect(broken(15)).toEqual(anchored.anchor)
  expect(broken(14)).toBeNull()
})

test("[LL5] learns whether anchors hold from requests that only an anchor can have served", () => {
  const anchored = asked([1], "1h")
  const after = (gap: number, cacheRead: number) => {
    const late = askedAgain(anchored, started(15, "5m"), start + (1 + gap) * minute)
    const { held, lapsed } = answeredOnce(late, settled(cacheRead))
    return [held, lapsed]
  }
  expect(after(2, 10_000)).toEqual([0, 0])
  expect(after(20, 10_000)).toEqual([1, 0])
  expect(after(20, 0)).toEqual([0, 1])
  expect(after(70, 0)).toEqual([0, 0])
})

test("[LL5] an anchor that a late request read lives an hour from then on, and half of it read is held", () => {
  const anchored = asked([1], "1h")
  const late = askedAgain(anchored, started(15, "5m"), start + 41 * minute)
  expect(late).toMatchObject({ tried: true, anchor: { block: 9, at: start + 41 * minute } })
  const later = askedAgain(late, started(20, "5m"), start + 81 * minute)
  expect(later).toMatchObject({ tried: true, anchor: { block: 9, at: start + 81 * minute } })
  expect(answeredOnce(late, settled(5_000))).toMatchObject({ held: 1, lapsed: 0, tried: false })
  expect(answeredOnce(late, settled(40))).toMatchObject({ held: 0, lapsed: 1, tried: false })
})

test("[LL5 DR9] sums what keeps the cache, in any order with turns", () => {
  const turn = (rhythm: Rhythm) => askedAgain(rhythm, started(10, "5m"), start + 20 * minute)
  const warm = (rhythm: Rhythm) => warmedOnce(rhythm, warmed(1, 0.25), start + 4 * minute)
  const first = asked([], "1h")
  expect(turn(warm(first))).toEqual(warm(turn(first)))
  expect(warmedOnce(warm(first), warmed(2, 0.5), start + 9 * minute)).toMatchObject({
    warmedAt: start + 9 * minute,
    warmedInRow: 2,
    warmedCost: 0.75,
  })
})

test("[LL5] a turn that sent nothing says nothing of whether an anchor holds", () => {
  const tried = { ...asked([1], "1h"), tried: true }
  const nothing = {
    ledger: { attempts: [{ usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }] },
  } as unknown as FactOf<"turn.settled">
  expect(answeredOnce(tried, nothing)).toMatchObject({ held: 0, lapsed: 0, tried: false })
})

test("[LL5] of two requests that kept a cache the later one counts, whichever is read first", () => {
  const late = warmedOnce(noRhythm, warmed(2, 1), start + minute)
  expect(warmedOnce(late, warmed(1, 1), start)).toMatchObject({
    warmedAt: start + minute,
    warmedInRow: 2,
    warmedCost: 2,
  })
})
