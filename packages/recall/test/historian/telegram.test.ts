/** A sentence in few words: those that tell it from others, in their order. */
import { expect, test } from "vitest"
import { telegram } from "../../src/historian/telegram.ts"

test("[HI1] a rule keeps its names and its negation, wherever they stand in it", () => {
  const rule =
    "Whenever you happen to be writing some of the code that belongs to this, never touch legacy_tabs.ini"
  const short = telegram(rule, 8)
  expect(short.length).toBeLessThan(rule.length / 2)
  expect(short).toMatch(/never.*legacy_tabs\.ini/)
  expect(telegram("Use tabs.", 8)).toBe("Use tabs.")
})
