/** Sums of what turns used. Apart from their schema, because the fold adds them up where no effect is loaded. */
import type { Accuracy, Usage } from "../model.ts"
import type { LedgerRow } from "../turn.ts"

export const usageNone: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function addUsage(a: Usage, b: Usage): Usage {
  const cacheWrite1h = (a.cacheWrite1h ?? 0) + (b.cacheWrite1h ?? 0)
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...(cacheWrite1h > 0 && { cacheWrite1h }),
  }
}

/** Tokens and dollars, and how far they can be trusted. The cost is null where it is not known. */
export interface Spent {
  readonly usage: Usage
  readonly accuracy: Accuracy
  readonly cost: number | null
}

export const spentNone: Spent = { usage: usageNone, accuracy: "exact", cost: 0 }

/** What nobody can tell any more. */
const spentUnknown: Spent = { usage: usageNone, accuracy: "incomplete", cost: null }

/** A sum is no more accurate than any part of it. */
export const addSpent = (a: Spent, b: Spent): Spent => ({
  usage: addUsage(a.usage, b.usage),
  accuracy: leastAccurate(a.accuracy, b.accuracy),
  cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
})

/** What a settled turn used; one that is open is not counted yet. */
export const spentBy = (settled: { readonly ledger: LedgerRow } | null): Spent =>
  settled === null ? spentUnknown : spentIn(settled.ledger)

const spentIn = ({ usage, accuracy = "exact", cost }: LedgerRow): Spent => ({ usage, accuracy, cost })

/** Dollars that are known of: the cost, or the least that it can be. */
export const knownCost = ({ cost, costKnown = 0 }: Pick<LedgerRow, "cost" | "costKnown">): number =>
  cost ?? costKnown

const falling: readonly Accuracy[] = ["exact", "estimated", "incomplete"]

const leastAccurate = (a: Accuracy, b: Accuracy): Accuracy =>
  falling.indexOf(a) > falling.indexOf(b) ? a : b
