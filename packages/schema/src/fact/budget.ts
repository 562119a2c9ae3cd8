/** Budgets: what a Session may spend before it waits for a person (DR9). */
import { Schema } from "effect"

/** All that models read and wrote, from a cache or not. */
const Tokens = Schema.Int.check(Schema.isGreaterThan(0))

const Dollars = Schema.Finite.check(Schema.isGreaterThan(0))

/** Null where there is no limit. */
export const Budget = Schema.Struct({ tokens: Schema.NullOr(Tokens), money: Schema.NullOr(Dollars) })
export type Budget = typeof Budget.Type

/** A limit that is left out stays as it is; null takes it away. */
export const BudgetChange = Schema.Struct({
  tokens: Schema.optionalKey(Schema.NullOr(Tokens)),
  money: Schema.optionalKey(Schema.NullOr(Dollars)),
})
export type BudgetChange = typeof BudgetChange.Type
