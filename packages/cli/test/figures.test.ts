import { expect, test } from "vitest"
import { count } from "../src/figures.ts"

test("a count has its digits in threes, as the locale of the texts writes them", () => {
  for (const amount of [0, 1, 12, 999, 1_000, 12_345, 999_999, 1_000_000, 1_234_567_890, -1_234])
    expect(count(amount)).toBe(amount.toLocaleString("en-US"))
  expect([count(1, "line"), count(1_000, "line")]).toEqual(["1 line", "1,000 lines"])
})
