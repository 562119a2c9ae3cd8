/** Whether somebody has spoken meanwhile: what they say begins anew, and the next boundary takes it in (DR7, DR8). */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { isNotice } from "@holdfast/schema/state/inbox"
import type { Reason } from "@holdfast/schema/turn"
import { catchUp, type Lead } from "../lead.ts"

export const heedLimit = Effect.fnUntraced(function* (lead: Lead, reason: Reason) {
  if (yield* isSteered(lead)) return { kind: "continue" } as const
  return { kind: "failed", reason } as const
})

export const isSteered = Effect.fnUntraced(function* (lead: Lead): Effect.fn.Return<boolean, StoreFailure> {
  const row = yield* lead.ports.store.session(lead.session)
  if (row !== null) yield* catchUp(lead, row.seq)
  return lead.loaded.state.inbox.some((input) => !isNotice(input) && input.delivery === "steer")
})
