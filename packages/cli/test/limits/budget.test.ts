/** What a Session may spend, as it is said to a person. */
import { expect, test } from "vitest"
import type { ModelInfo } from "@holdfast/sdk"
import { budgetChange, whatItMaySpend, unpricedNotice } from "../../src/sessions/budget.ts"

test.each([
  [{}, {}],
  [{ budgetTokens: 5 }, { budget: { tokens: 5 } }],
  [{ budgetTokens: "none", budgetMoney: 1.5 } as const, { budget: { tokens: null, money: 1.5 } }],
])("[DR9] the options %j change %j", (options, change) => expect(budgetChange(options)).toEqual(change))

test.each([
  [{ tokens: null, money: null }, "may spend without a limit"],
  [{ tokens: 12_000, money: null }, "may spend 12,000 tokens in all"],
  [{ tokens: 1, money: 1.5 }, "may spend 1 token and $1.50 in all"],
])("[DR9] the budget %j is told as %j", (budget, text) => expect(whatItMaySpend(budget)).toBe(text))

test("[DR9] says that money is not counted where the price is not known", () => {
  const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }
  const model = { provider: "local", model: "small", price } as unknown as ModelInfo
  const money = { tokens: null, money: 1.5 }
  expect(unpricedNotice(model, money)).toBeNull()
  expect(unpricedNotice({ ...model, price: null }, { tokens: 5, money: null })).toBeNull()
  expect(unpricedNotice({ ...model, price: null }, money)).toContain(
    "The price of local/small is not known, so the budget of $1.50 does not count what it costs.",
  )
})
