/** Status of a Session: derived from its records and its lease, never stored (DR4). */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { SessionInfo, SessionStatus } from "@holdfast/schema/session"
import type { SessionRow } from "@holdfast/store/port"
import type { RuntimePorts } from "./ports.ts"
import { crashReason } from "./recovery.ts"

export const describeSession = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  active: readonly SessionId[],
  row: SessionRow,
): Effect.fn.Return<SessionInfo, StoreFailure> {
  const lease = yield* ports.store.lease(row.id)
  // A lease of our own counts only while we lead: a failing store may have kept us from giving it back.
  const ours = lease?.owner.instance === ports.owner.instance
  const led =
    lease !== null && (ours ? active.includes(row.id) : (yield* ports.ownerState(lease.owner)) !== "gone")
  const { id, location, title, model, policy, createdAt, updatedAt, seq, turns } = row
  return {
    id,
    location,
    title,
    model,
    policy,
    createdAt,
    updatedAt,
    seq,
    turns,
    status: deriveStatus(row, led),
  }
})

/** A Session as its creation left it. */
export const createdSession = (
  given: Pick<SessionInfo, "id" | "location" | "title" | "model" | "policy">,
  time: number,
  seq: SessionInfo["seq"],
): SessionInfo => ({
  ...given,
  createdAt: time,
  updatedAt: time,
  seq,
  turns: 0,
  status: { owing: false, pending: 0, state: "idle", reason: null, waitingUntil: null },
})

export function deriveStatus(row: SessionRow, led: boolean): SessionStatus {
  const common = { owing: row.owing, pending: row.pending }
  // A wait inside a turn ends with its owner; one that a settled turn names stands.
  const waiting = led || row.openTurn === null ? row.waiting : null
  const waitingUntil = waiting?.until ?? null
  if (waiting !== null) return { ...common, state: "waiting", reason: waiting.reason, waitingUntil }
  if (led) return { ...common, state: "running", reason: null, waitingUntil }
  if (row.openTurn !== null) return { ...common, state: "interrupted", reason: crashReason, waitingUntil }
  if (row.blocked !== null) return { ...common, state: "blocked", reason: row.blocked, waitingUntil }
  const last = row.lastTurn
  if (row.owing && (last?.status === "failed" || last?.status === "interrupted")) {
    return { ...common, state: last.status, reason: last.reason, waitingUntil }
  }
  return { ...common, state: "idle", reason: null, waitingUntil }
}
