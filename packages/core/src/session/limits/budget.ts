/**
 * Budget: whether a Session has spent what it may (DR9).
 *
 * It is asked before every request, so that at most the one under way goes beyond it. Where the price of
 * a call is not known, its tokens count, and of the money what is known does.
 */
import type { SessionId } from "@holdfast/schema/id"
import { addUsage, knownCost, type Price, type Usage } from "@holdfast/schema/model"
import type { Summary } from "@holdfast/schema/state/summary"
import type { Attempt, Reason } from "@holdfast/schema/turn"
import { spentOn } from "../meter.ts"

export type Spending = Pick<Summary, "usage" | "cost" | "costKnown" | "budget">

/** Why nothing more may be sent, or null where there is room. */
export function budgetSpent(session: SessionId, spending: Spending): Reason | null {
  const { usage, cost, costKnown, budget } = spending
  const used = tokensOf(usage)
  if (budget.tokens !== null && used >= budget.tokens) {
    const raised = `--budget-tokens ${2 * Math.max(used, budget.tokens)}`
    return reasonOf(session, `${budget.tokens} tokens is spent: ${used} were used.`, raised)
  }
  if (budget.money !== null && costKnown >= budget.money) {
    const least = cost === null ? " at least, as the price of some calls is not known" : ""
    const raised = `--budget-money ${(2 * Math.max(costKnown, budget.money)).toPrecision(2)}`
    return reasonOf(session, `$${budget.money} is spent: $${dollars(costKnown)} was used${least}.`, raised)
  }
  return null
}

/** The Session with what the attempts of its open turn used. */
export function withAttempts(
  { usage, cost, costKnown, budget }: Spending,
  attempts: readonly Attempt[],
  price: Price | null,
): Spending {
  const spent = spentOn(attempts, price)
  return {
    budget,
    usage: addUsage(usage, spent.usage),
    cost: cost === null || spent.cost === null ? null : cost + spent.cost,
    costKnown: costKnown + knownCost(spent),
  }
}

const tokensOf = ({ input, output, cacheRead, cacheWrite }: Usage): number =>
  input + output + cacheRead + cacheWrite

const dollars = (amount: number): string => (amount >= 0.1 ? amount.toFixed(2) : amount.toPrecision(2))

export const budgetSpentCode = "budget_spent"

const reasonOf = (session: SessionId, said: string, raised: string): Reason => ({
  code: budgetSpentCode,
  message: `The budget of ${said} Nothing more is sent. Raise it to go on: holdfast resume ${session} ${raised}`,
})
