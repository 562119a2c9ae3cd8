/** What a Session may spend (DR9): how it is said on the command line, and to a person. */
import type { ModelInfo, Session } from "@holdfast/sdk"
import { count, money } from "../figures.ts"

/** As a command line has it: a number, or the word that takes the limit away. */
export type GivenLimit = number | "none"

export interface BudgetOptions {
  readonly budgetTokens?: GivenLimit
  readonly budgetMoney?: GivenLimit
}

type Budget = Session["budget"]

/** What the options change about the budget, if they do. */
export function budgetChange({ budgetTokens, budgetMoney }: BudgetOptions): {
  readonly budget?: Partial<Budget>
} {
  if (budgetTokens === undefined && budgetMoney === undefined) return {}
  return {
    budget: {
      ...(budgetTokens !== undefined && { tokens: limitOf(budgetTokens) }),
      ...(budgetMoney !== undefined && { money: limitOf(budgetMoney) }),
    },
  }
}

const limitOf = (given: GivenLimit): number | null => (given === "none" ? null : given)

/** What is said of a Session with this budget, after its name. */
export function whatItMaySpend({ tokens, money: dollars }: Budget): string {
  const limits = [
    ...(tokens === null ? [] : [count(tokens, "token")]),
    ...(dollars === null ? [] : [money(dollars)]),
  ]
  return limits.length === 0 ? "may spend without a limit" : `may spend ${limits.join(" and ")} in all`
}

/** Where a budget of money cannot count what is about to be spent. */
export const unpricedNotice = ({ provider, model, price }: ModelInfo, budget: Budget): string | null =>
  price !== null || budget.money === null
    ? null
    : `The price of ${provider}/${model} is not known, so the budget of ${money(budget.money)} does not count what it costs. ` +
      "Set its price in holdfast.jsonc, or give a budget in tokens: --budget-tokens."
