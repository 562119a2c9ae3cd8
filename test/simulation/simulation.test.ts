/**
 * Seeds of the whole-system simulation. What they check stands in invariants.ts; a failing seed is
 * repeated with `npm run sim -- --seed S --trace`.
 */
import { expect, test } from "vitest"
import { runSeed } from "./seed.ts"

const seeds = Number(process.env["HOLDFAST_SIM_SEEDS"] ?? 100)
const from = Number(process.env["HOLDFAST_SIM_FROM"] ?? 1)
const batch = 50

/** Seeds that once failed, kept for ever. */
const onceFailed: readonly number[] = [9, 52]

const rules = "[PR1 PR2 PR3 PR4 PR6 PR7 PR8 DR1 DR3 DR4 EP5 TU1 TU2 TU3 TU7 LL3]"

function problemsOf(range: readonly number[]): readonly string[] {
  return range.flatMap((seed) => runSeed(seed).problems.map((problem) => `seed ${seed}: ${problem}`))
}

test("[DR10] the same seed gives the same trace, 50 times over", { timeout: 120_000 }, () => {
  const hashes = (range: readonly number[]) => range.map((seed) => runSeed(seed).hash)
  const range = Array.from({ length: 50 }, (_, at) => from + at)
  expect(hashes(range)).toEqual(hashes(range))
  expect(new Set(hashes(range)).size).toBe(range.length)
})

test(`${rules} holds on seeds that once failed`, { timeout: 60_000 }, () => {
  expect(problemsOf(onceFailed)).toEqual([])
})

for (let start = from; start < from + seeds; start += batch) {
  const end = Math.min(start + batch, from + seeds)
  test(`${rules} holds on seeds ${start} to ${end - 1}`, { timeout: 120_000 }, () => {
    expect(problemsOf(Array.from({ length: end - start }, (_, at) => start + at))).toEqual([])
  })
}
