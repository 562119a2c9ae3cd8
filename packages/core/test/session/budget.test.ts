/** Whether a Session has spent what it may, and how that is said. */
import { expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import { budgetSpent, type Spending, withAttempts } from "../../src/session/limits/budget.ts"

const session = "ses_1" as SessionId
const spending = (more: Partial<Spending>): Spending => ({
  usage: { input: 40, output: 30, cacheRead: 20, cacheWrite: 10 },
  cost: 0.5,
  costKnown: 0.5,
  budget: { tokens: null, money: null },
  ...more,
})
const tokens = (limit: number) => ({ budget: { tokens: limit, money: null } })
const money = (limit: number) => ({ budget: { tokens: null, money: limit } })

test.each<readonly [string, Partial<Spending>, string | null]>([
  ["without a budget", {}, null],
  ["with tokens left", tokens(101), null],
  [
    "at the last token, whichever kind it was of",
    tokens(100),
    "The budget of 100 tokens is spent: 100 were used. Nothing more is sent. Raise it to go on: holdfast resume ses_1 --budget-tokens 200",
  ],
  ["with money left", money(0.51), null],
  [
    "at the last cent",
    money(0.5),
    "The budget of $0.5 is spent: $0.50 was used. Nothing more is sent. Raise it to go on: holdfast resume ses_1 --budget-money 1.0",
  ],
  ["with money left of what is known", { ...money(1), cost: null }, null],
  [
    "beyond the money, though not all of it is known",
    { ...money(0.02), cost: null, costKnown: 0.025 },
    "The budget of $0.02 is spent: $0.025 was used at least, as the price of some calls is not known. Nothing more is sent. Raise it to go on: holdfast resume ses_1 --budget-money 0.050",
  ],
])("[DR9] %s", (_, more, message) =>
  expect(budgetSpent(session, spending(more))).toEqual(
    message === null ? null : { code: "budget_spent", message },
  ),
)

test("[DR9] counts the attempts of an open turn, and of those without a count what is known", () => {
  const price = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
  const failure = { code: "stream_cut", message: "" }
  const attempts = [
    { failure, waitMs: 0, usage, accuracy: "estimated" as const },
    { failure, waitMs: 0, usage, accuracy: "incomplete" as const },
  ]
  expect(withAttempts(spending({}), attempts, price)).toMatchObject({
    usage: { input: 42, output: 32 },
    cost: null,
    costKnown: 2.5,
  })
  expect(withAttempts(spending({}), attempts, null)).toMatchObject({ cost: null, costKnown: 0.5 })
  expect(withAttempts(spending({}), [], price)).toMatchObject({ cost: 0.5, costKnown: 0.5 })
})
