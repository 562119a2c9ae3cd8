/**
 * A change of a Session by somebody who holds no lease: title, model, agent, restart policy, allowed tools,
 * budget, whether it is archived (CO4, DR5, DR9, SS1).
 *
 * Only what is different is written; the choice in force again changes nothing.
 */
import { Clock, Effect } from "effect"
import type { BudgetChange } from "@holdfast/schema/fact/budget"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { AllowRule } from "@holdfast/schema/fact/session"
import type { SessionRow, Store } from "@holdfast/store/port"
import { budgetSpentCode } from "../session/limits/budget.ts"

export type SessionChange = Pick<
  FactOf<"session.updated">,
  "title" | "titledBy" | "model" | "agent" | "policy" | "onAsk" | "allow" | "budget" | "blocked" | "archived"
>

/** The fact that makes the change, or null where nothing would differ. */
export function planChange(
  row: Pick<SessionRow, Exclude<keyof SessionChange, "titledBy">>,
  {
    title,
    model,
    agent,
    policy,
    onAsk,
    allow,
    budget,
    archived,
  }: Omit<SessionChange, "titledBy" | "blocked">,
): FactOf<"session.updated"> | null {
  const sameModel = row.model?.provider === model?.provider && row.model?.model === model?.model
  const changed: SessionChange = {
    ...(title !== undefined && title !== row.title && titled(title)),
    ...(model !== undefined && !sameModel && { model }),
    ...(agent !== undefined && agent !== row.agent && { agent }),
    ...(policy !== undefined && policy !== row.policy && { policy }),
    ...(onAsk !== undefined && onAsk !== row.onAsk && { onAsk }),
    ...(allow !== undefined && !sameTools(allow, row.allow) && { allow }),
    ...(budget !== undefined && rebudgeted(row, budget)),
    ...(archived !== undefined && archived !== row.archived && { archived }),
  }
  return Object.keys(changed).length === 0 ? null : { type: "session.updated", ...changed }
}

const sameTools = (some: readonly AllowRule[], others: readonly AllowRule[]): boolean =>
  new Set([...some, ...others]).size === new Set(some).size && others.length === some.length

/** What a spent budget held up waits for a resume alone then (DR9). */
function rebudgeted(row: Pick<SessionRow, "budget" | "blocked">, given: BudgetChange): SessionChange {
  const { tokens = row.budget.tokens, money = row.budget.money } = given
  const budget = {
    ...(tokens !== row.budget.tokens && { tokens }),
    ...(money !== row.budget.money && { money }),
  }
  if (Object.keys(budget).length === 0) return {}
  return { budget, ...(row.blocked?.code === budgetSpentCode && { blocked: null }) }
}

/** What a person says of the title stays, also that there is none (SS2). */
const titled = (title: string | null): SessionChange => ({ title, titledBy: "person" })

/** A Session that is gone by now is left to whoever reads it next. */
export const changeSession = Effect.fnUntraced(function* (
  store: Store,
  row: SessionRow,
  change: Parameters<typeof planChange>[1],
): Effect.fn.Return<void, StoreFailure> {
  const fact = planChange(row, change)
  if (fact === null) return
  const time = yield* Clock.currentTimeMillis
  yield* store.commit({ kind: "contribute", session: row.id, time, fact })
})
