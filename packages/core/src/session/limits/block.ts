/** Block: what keeps a turn from beginning, made visible and durable; what is pending stays pending (EP2). */
import { Effect } from "effect"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Fact } from "@holdfast/schema/event"
import { standingBlock } from "@holdfast/schema/state/summary"
import type { Reason } from "@holdfast/schema/turn"
import { append, endWakes, type Lead } from "../lead.ts"

export interface Blocked {
  readonly kind: "blocked"
  readonly reason: Reason
}

/** The Session has moved since the sources were asked; nothing of the boundary is written. */
export interface Moved {
  readonly kind: "moved"
}

/** By something that holds wherever the Session is. */
export const block = (lead: Lead, reason: Reason): Effect.Effect<Blocked, StoreFailure | LeaseLost> =>
  Effect.as(blockHere(lead, reason, null), { kind: "blocked", reason })

/** Makes a block visible and durable, once; the prompt stays pending (EP2). */
export const blockHere = Effect.fnUntraced(function* (
  lead: Lead,
  reason: Reason,
  movedAbove: number | null,
): Effect.fn.Return<Blocked | Moved, StoreFailure | LeaseLost> {
  endWakes(lead)
  const known = standingBlock(lead.loaded.state.summary)
  if (known?.code === reason.code && known.message === reason.message) return { kind: "blocked", reason }
  const fact: Fact = { type: "session.updated", blocked: reason }
  const end = yield* append(lead, [fact], { settling: true, movedAbove })
  return end.kind === "stale" ? { kind: "moved" } : { kind: "blocked", reason }
})
