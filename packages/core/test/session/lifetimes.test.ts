/** What a provider's cache has left at a moment, when it is kept warm, and what a request will cost: tables of pure values. */
import { describe, expect, test } from "vitest"
import type { Rhythm } from "@holdfast/schema/state/rhythm"
import { noRhythm } from "@holdfast/schema/state/rhythm"
import type { RequestRecord } from "@holdfast/schema/turn"
import { cacheLeft, nextWarming } from "../../src/session/request/lifetimes.ts"
import { priceExpected } from "../../src/session/request/price-expected.ts"

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
  ] as const)("%s", (_, minutes, rhythm, blocks, tokens) =>
    expect(left(minutes, rhythm, blocks)).toBe(tokens),
  )
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
    price,
    rate: 1,
  }

  test("counts what was sent before and is paid for again, as the provider counts", () => {
    expect(priceExpected(question)).toMatchObject({ tokensAgain: 28_000, cause: "cold", cost: 0.375 })
    expect(priceExpected({ ...question, rate: 1.5 })).toMatchObject({ tokensAgain: 42_000, cost: 0.5625 })
    expect(priceExpected({ ...question, breaks: true })).toMatchObject({ cause: "break" })
    expect(priceExpected(question)?.costWarm).toBeCloseTo(0.028 + 0.025, 9)
  })

  test("writes for an hour at the price of an hour", () => {
    expect(priceExpected({ ...question, request: request(30, "1h") })).toMatchObject({ cost: 0.6 })
  })

  test("takes all of it for paid again behind an imported turn, of which nobody knows what was sent", () => {
    const last = { ...request(0, "5m"), markers: [] }
    expect(priceExpected({ ...question, last, cacheExpected: 0, breaks: true })).toMatchObject({
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
    const small = { ...question, request: request(1, "5m"), breaks: true }
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
