/** What a provider's cache has left at a moment, when it is kept warm, and what a request will cost: tables of pure values. */
import { describe, expect, test } from "vitest"
import type { Rhythm } from "@holdfast/schema/state/rhythm"
import { noRhythm } from "@holdfast/schema/state/rhythm"
import type { RequestRecord } from "@holdfast/schema/turn"
import { cacheLeft, multipliersOf, nextWarming, planLifetimes } from "../../src/session/request/lifetimes.ts"
import { inputCost, priceExpected } from "../../src/session/request/price-expected.ts"

const minute = 60_000
const asked = 1_000 * minute

const request = (blocks: number, lifetime: "5m" | "1h"): RequestRecord =>
  ({
    blocks,
    tokensEstimated: blocks * 1_000,
    markers: [{ block: blocks - 1, lifetime }],
  }) as unknown as RequestRecord
const blocksOf = (count: number) => Array.from({ length: count }, () => ({ tokens: 1_000 }))
const anchored = (block: number, more: Partial<Rhythm> = {}): Rhythm => ({
  ...noRhythm,
  askedAt: asked,
  anchor: { block, tokens: (block + 1) * 1_000, at: asked },
  ...more,
})

describe("[LL5] what the cache has left", () => {
  const left = (minutes: number, rhythm: Rhythm, blocks = 32) =>
    cacheLeft({
      rhythm,
      last: request(30, "5m"),
      break: null,
      blocks: blocksOf(blocks),
      nowMs: asked + minutes * minute,
    }).tokens

  test.each([
    ["all of the last request within five minutes", 4, anchored(19), 32, 30_000],
    ["up to the anchor within the hour", 20, anchored(19), 32, 20_000],
    ["an anchor that is twenty blocks back or more is not found", 20, anchored(11), 32, 0],
    ["one that is nineteen blocks back is", 20, anchored(12), 32, 13_000],
    ["nothing behind the hour", 60, anchored(19), 32, 0],
    ["all that was kept warm", 50, anchored(19, { warmedAt: asked + 30 * minute }), 32, 30_000],
    ["and beyond the first hour", 100, anchored(19, { warmedAt: asked + 59 * minute }), 32, 30_000],
  ] as const)("%s", (_, minutes, rhythm, blocks, tokens) =>
    expect(left(minutes, rhythm, blocks)).toBe(tokens),
  )
})

describe("[LL5] behind a break the cache has left", () => {
  const left = (minutes: number, rhythm: Rhythm, block: number, standing: number | null) => {
    const last = request(24, "5m")
    const markers = [...(standing === null ? [] : [{ block: standing, lifetime: "1h" }]), ...last.markers]
    return cacheLeft({
      rhythm,
      last: { ...last, markers },
      break: { block, segment: "tail", reason: "cut_asked" },
      blocks: blocksOf(25),
      nowMs: asked + minutes * minute,
    }).tokens
  }
  const bare = { ...noRhythm, askedAt: asked }

  test.each([
    ["within five minutes what stands before it", 4, anchored(19), 12, null, 12_000],
    ["within the hour an anchor right before it", 20, anchored(11), 12, null, 12_000],
    ["no anchor in the place of which something else stands", 20, anchored(12), 12, null, 0],
    ["what was written for an hour, where it ends right before it", 20, bare, 5, 4, 5_000],
    ["nothing of that where it ends with what changes", 20, bare, 4, 4, 0],
    ["nor behind the hour", 60, bare, 5, 4, 0],
  ] as const)("%s", (_, minutes, rhythm, block, standing, tokens) =>
    expect(left(minutes, rhythm, block, standing)).toBe(tokens),
  )
})

test.each([
  ["as long as anchors held as often as they lapsed, a close one is enough", 1, "5m"],
  ["once they lapsed more often, only what is written can be kept", 2, "1h"],
] as const)("[LL5] %s", (_, lapsed, tail) => {
  const rhythm = anchored(28, { held: 1, lapsed })
  const moment = { rhythm, last: request(30, "5m"), break: null, blocks: blocksOf(31) }
  const planned = planLifetimes({ ...moment, nowMs: asked + minute }, "auto", multipliersOf(null))
  expect(planned.tail).toBe(tail)
})

describe("[LL5] when a request that keeps the cache is due, and what it writes again", () => {
  const due = (rhythm: Rhythm, blocks = 30) => {
    const found = nextWarming(rhythm, request(blocks, "5m"))
    return found && [Math.ceil((found.atMs - asked) / minute), found.lifetime, found.tokensAgain]
  }
  const bare = { ...noRhythm, askedAt: asked }

  test.each([
    ["without an anchor, before five minutes", bare, 30, [5, "5m", 0]],
    ["with one, before the hour, with what was added since", anchored(24), 30, [60, "1h", 5_000]],
    [
      "again before the next hour, and nothing was added",
      anchored(24, { warmedAt: asked + 59 * minute }),
      30,
      [119, "1h", 0],
    ],
    ["one that is too far back is none", anchored(9), 30, [5, "5m", 0]],
  ] as const)("%s", (_, rhythm, blocks, expected) => expect(due(rhythm, blocks)).toEqual(expected))
})

describe("[TU7] the price that is expected", () => {
  const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 12.5, cacheWrite1h: 20 }
  const question = {
    request: request(30, "5m"),
    cacheExpected: 0,
    last: request(28, "5m"),
    breaks: false,
    lapsedTokens: 28_000,
    price,
    rate: 1,
  }
  const breaking = { ...question, breaks: true, lapsedTokens: 0 }

  test("counts what was sent before and is paid for again, as the provider counts", () => {
    expect(priceExpected(question)).toMatchObject({ tokensAgain: 28_000, cause: "cold", cost: 0.375 })
    expect(priceExpected({ ...question, rate: 1.5 })).toMatchObject({ tokensAgain: 42_000, cost: 0.5625 })
    expect(priceExpected(breaking)).toMatchObject({ cause: "break" })
    expect(priceExpected(question)?.costWarm).toBeCloseTo(0.028 + 0.025, 9)
  })

  const unfolded = { request: request(80, "5m"), cacheExpected: 79_000, breaks: false }
  const folded = { ...breaking, last: request(79, "5m"), otherwise: unfolded }

  test("stands beside that of the request which would be sent otherwise: longer, and from the cache", () => {
    const told = priceExpected(folded)
    expect(told).toMatchObject({ cost: 0.375, cause: "break" })
    expect(told?.costOtherwise).toBeCloseTo(0.079 + 0.0125, 9)
    expect(told?.costWarm).toBeCloseTo(0.079 + 0.0125, 9)
  })

  test("behind a lapsed cache stands beside that of the same longer request, without a cache as well", () => {
    const cold = { ...folded, lapsedTokens: 79_000, otherwise: { ...unfolded, cacheExpected: 0 } }
    const told = priceExpected(cold)
    expect(told).toMatchObject({ cost: 0.375, costOtherwise: 1, cause: "cold" })
    expect(told?.costWarm).toBeCloseTo(0.079 + 0.0125, 9)
  })

  test("stands alone where nothing else could be sent, or where what breaks by itself is hardly longer", () => {
    expect(priceExpected({ ...folded, otherwise: null })).toMatchObject({ costOtherwise: null })
    const alike = { request: request(31, "5m"), cacheExpected: 0, breaks: true }
    expect(priceExpected({ ...folded, otherwise: alike })).not.toHaveProperty("costOtherwise")
    const longer = { ...alike, request: request(40, "5m") }
    expect(priceExpected({ ...folded, otherwise: longer })).toMatchObject({ costOtherwise: 0.5 })
  })

  test("writes for an hour at the price of an hour", () => {
    expect(priceExpected({ ...question, request: request(30, "1h") })).toMatchObject({ cost: 0.6 })
  })

  test("takes all of it for paid again behind an imported turn, of which nobody knows what was sent", () => {
    const last = { ...request(0, "5m"), markers: [] }
    expect(priceExpected({ ...breaking, last })).toMatchObject({
      tokensAgain: 30_000,
      cause: "break",
      cost: 0.375,
    })
  })

  test("is silent where the cache has what it can have, or hardly less", () => {
    expect(priceExpected({ ...question, last: null })).toBeNull()
    expect(priceExpected({ ...question, cacheExpected: 28_000 })).toBeNull()
    expect(priceExpected({ ...question, cacheExpected: 27_000 })).toBeNull()
    expect(priceExpected({ ...question, cacheExpected: 26_000 })).not.toBeNull()
  })

  test("prices every break, however little is paid for again", () => {
    const small = { ...breaking, request: request(1, "5m") }
    expect(priceExpected({ ...small, cacheExpected: 900 })).toMatchObject({
      tokensAgain: 100,
      cause: "break",
    })
    expect(priceExpected({ ...small, cacheExpected: 1_000 })).toMatchObject({
      tokensAgain: 0,
      cause: "break",
    })
  })
})

test("[LL5] of a model that costs nothing, lives are chosen as providers charge everywhere", () => {
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  expect(multipliersOf(free)).toEqual(multipliersOf(null))
  expect(Object.values(multipliersOf(free)).every((part) => part > 0)).toBe(true)
})

test("[TU7] where nothing marks what is cached, what is not read costs what plain input does", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
  const unmarked = { tokensEstimated: 1_000_000, markers: [] }
  expect(inputCost({ request: unmarked, cacheExpected: 0 }, price, 1)).toBeCloseTo(3, 9)
  expect(inputCost({ request: unmarked, cacheExpected: 500_000 }, price, 2)).toBeCloseTo(3.3, 9)
})
