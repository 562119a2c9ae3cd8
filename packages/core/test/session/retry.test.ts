import { expect, test } from "vitest"
import { type FailureCode, ProviderFailure } from "@holdfast/llm/wire"
import { planRetry, retryLimits } from "../../src/session/retry.ts"

const failure = (retryable: boolean, retryAfterMs: number | null = null, code: FailureCode = "overloaded") =>
  new ProviderFailure({ code, message: "", retryable, retryAfterMs, status: null })

test("[TU4] gives up at once on what a repeat cannot mend", () =>
  expect(planRetry(failure(false, 1_000), 1, 0, retryLimits)).toEqual({ kind: "give-up" }))

test("[TU4] doubles the wait up to its limit and spreads it by a fifth either way", () => {
  const limits = { ...retryLimits, attemptsMax: 100 }
  const waits = (random: number) =>
    [1, 2, 3, 6, 7, 20].map((attempt) => planRetry(failure(true), attempt, random, limits))
  const retry = (...ms: readonly number[]) => ms.map((waitMs) => ({ kind: "retry", waitMs }))
  expect(waits(0.5)).toEqual(retry(500, 1_000, 2_000, 16_000, 20_000, 20_000))
  expect(waits(0)).toEqual(retry(400, 800, 1_600, 12_800, 16_000, 16_000))
})

test("[TU4] waits as long as the provider asks, if that is longer", () => {
  expect(planRetry(failure(true, 7_000), 1, 0.5, retryLimits)).toEqual({ kind: "retry", waitMs: 7_000 })
  expect(planRetry(failure(true, 10), 1, 0.5, retryLimits)).toEqual({ kind: "retry", waitMs: 500 })
})

test("[TU4] makes five attempts and no more", () => {
  expect(planRetry(failure(true), 4, 0.5, retryLimits)).toMatchObject({ kind: "retry" })
  expect(planRetry(failure(true), 5, 0.5, retryLimits)).toEqual({ kind: "give-up" })
})

test("[TU4] names a wait that is too long instead of sleeping through it", () => {
  expect(planRetry(failure(true, 300_000), 1, 0.5, retryLimits)).toEqual({ kind: "retry", waitMs: 300_000 })
  expect(planRetry(failure(true, 300_001), 1, 0.5, retryLimits)).toEqual({
    kind: "too-long",
    waitMs: 300_001,
  })
})
