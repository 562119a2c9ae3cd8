/** Decay and the sizes that it works with: golden values of the curve, and what must hold for any. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { archived, decay, type Decaying, pressureOf, tierOf } from "@holdfast/recall/history/decay"
import { historyBudget, protectedTail, workingWindow } from "@holdfast/recall/history/tail"

/** The highest position, counted from 1 for the newest, that still has each tier. */
const lastOfTiers = (importance: number, pressure: number): readonly number[] =>
  [0, 1, 2, 3].map((tier) => {
    let last = 0
    for (let age = 0; age < 1_000; age++) if (tierOf(age, importance, pressure) === tier) last = age + 1
    return last
  })

const costs = [322, 109, 35, 20] as const

test("[DK1] gives the tiers of the golden curve", () => {
  expect(lastOfTiers(50, 1)).toEqual([5, 18, 32, 63])
  expect(lastOfTiers(50, 2)).toEqual([3, 9, 16, 32])
  expect(lastOfTiers(75, 1)).toEqual([10, 35, 64, 125])
  expect(lastOfTiers(100, 1)).toEqual([20, 70, 127, 249])
  expect(lastOfTiers(1, 1)).toEqual([2, 5, 9, 16])
  expect(lastOfTiers(50, 0.1)).toEqual([49, 175, 318, 621])
  expect(lastOfTiers(50, 0.01)).toEqual([49, 175, 318, 621])
  const hundred = Array.from({ length: 100 }, (): Decaying => ({ importance: 50, costs }))
  expect(pressureOf(hundred, 10_000)).toBeCloseTo(0.4137, 4)
  expect([pressureOf(hundred, 0), pressureOf([], 10_000)]).toEqual([1, 0.1])
})

test("[DK1] history may take nearly a quarter of the working window", () => {
  expect([workingWindow(200_000), historyBudget(200_000), historyBudget(-5)]).toEqual([150_000, 35_250, 0])
})

test("[TA1] sizes the protected tail by the window and its use", () => {
  const sizes = (limit: number, ...usages: readonly number[]) =>
    usages.map((usage) => protectedTail(workingWindow(limit, 0.65), usage))
  expect(sizes(128_000, 0, 0.65, 0.8)).toEqual([24_960, 8_736, 6_656])
  expect(sizes(200_000, 0, 0.65, 0.8)).toEqual([39_000, 13_650, 10_400])
  expect(sizes(1_000_000, 0, 0.65, 0.8)).toEqual([96_000, 68_250, 39_000])
  expect(sizes(8_000, 0, 1, 2)).toEqual([2_000, 2_000, 2_000])
})

test("[TA1] the protected tail never grows with use, and keeps to its floor and its ceiling", () => {
  const share = fc.double({ min: 0, max: 1.5, noNaN: true })
  fc.assert(
    fc.property(fc.nat(2_000_000), share, share, (limit, one, other) => {
      const usable = workingWindow(limit)
      const [less, more] = [Math.min(one, other), Math.max(one, other)]
      expect(protectedTail(usable, more)).toBeLessThanOrEqual(protectedTail(usable, less))
      const ceiling = Math.min(96_000, 0.4 * usable)
      const floor = Math.min(ceiling, Math.min(12_000, Math.max(2_000, 0.08 * usable)))
      expect(protectedTail(usable, less)).toBeLessThanOrEqual(Math.round(ceiling))
      expect(protectedTail(usable, more)).toBeGreaterThanOrEqual(Math.round(floor))
    }),
  )
})

describe("whatever there is to decay", () => {
  const importance = fc.integer({ min: 1, max: 100 })
  const pressure = fc.double({ min: 0.01, max: 50, noNaN: true })

  test("[DK1] older, less important and more pressure never show more", () => {
    fc.assert(
      fc.property(fc.nat(800), importance, pressure, fc.nat(50), (age, value, under, more) => {
        const tier = tierOf(age, value, under)
        expect(tierOf(age + more, value, under)).toBeGreaterThanOrEqual(tier)
        expect(tierOf(age, Math.min(100, value + more), under)).toBeLessThanOrEqual(tier)
        expect(tierOf(age, value, under * (1 + more))).toBeGreaterThanOrEqual(tier)
      }),
    )
  })

  test("[DK1] what is shown is within the budget, and of equal ones the older is never fuller", () => {
    const equal = fc.record({
      count: fc.nat(200),
      importance,
      budget: fc.nat(20_000),
    })
    fc.assert(
      fc.property(equal, ({ count, importance: value, budget }) => {
        const tiers = decay(
          Array.from({ length: count }, () => ({ importance: value, costs })),
          budget,
        )
        const tokens = tiers.reduce<number>((sum, tier) => sum + (tier === archived ? 0 : costs[tier]), 0)
        expect(tokens).toBeLessThanOrEqual(budget)
        expect(tiers).toEqual(tiers.toSorted((a, b) => a - b))
      }),
    )
  })
})
