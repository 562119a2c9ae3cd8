/** Status of a Session: derived from its records and its lease, never stored (DR4). */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { SessionInfo, SessionStatus } from "@holdfast/schema/session"
import type { Reason } from "@holdfast/schema/turn"
import { emptySummary, isEligible, standingBlock, summarize } from "@holdfast/schema/state/summary"
import type { SessionRow } from "@holdfast/store/port"
import type { RuntimePorts } from "./ports.ts"
import { crashReason } from "./recovery.ts"
import { askingReason } from "./asking/ruling.ts"
import { interruptReason } from "./turn.ts"

/** Row and lease are two reads: where they do not fit each other, the log may have gone on between them. */
export const describeSession = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  active: () => readonly SessionId[],
  row: SessionRow,
): Effect.fn.Return<SessionInfo, StoreFailure> {
  const led = yield* isLed(ports, active, row.id)
  const isUnfinished = row.openTurn !== null || row.owing
  const newer = led || !isUnfinished ? null : yield* ports.store.session(row.id)
  if (newer === null || newer.seq === row.seq) return sessionInfo(row, deriveStatus(row, led))
  return sessionInfo(newer, deriveStatus(newer, yield* isLed(ports, active, row.id)))
})

const isLed = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  active: () => readonly SessionId[],
  session: SessionId,
): Effect.fn.Return<boolean, StoreFailure> {
  const lease = yield* ports.store.lease(session)
  if (lease === null) return false
  // A lease of our own counts only while we lead: a failing store may have kept us from giving it back.
  const isOurs = lease.owner.instance === ports.owner.instance
  return isOurs ? active().includes(session) : (yield* ports.ownerState(lease.owner)) !== "gone"
})

const sessionInfo = (row: SessionRow, status: SessionStatus): SessionInfo => {
  const { id, kind, parent, origin, location, title, model, agent, policy, onAsk, allow, budget, archived } =
    row
  const { createdAt, updatedAt, seq, turns, usage, accuracy, cost, costKnown } = row
  const said = {
    id,
    kind,
    parent,
    origin,
    location,
    title,
    model,
    agent,
    policy,
    onAsk,
    allow,
    budget,
    archived,
  }
  return { ...said, createdAt, updatedAt, seq, turns, usage, accuracy, cost, costKnown, status }
}

/** A Session as its creation left it. */
export function createdSession(
  session: SessionId,
  fact: FactOf<"session.created">,
  time: number,
  seq: SessionInfo["seq"],
): SessionInfo {
  return unledSession({ id: session, ...summarize(emptySummary, { seq, time, fact }) })
}

/** A Session that nobody can have begun to work on. */
export const unledSession = (row: SessionRow): SessionInfo => sessionInfo(row, deriveStatus(row, false))

export function deriveStatus(row: SessionRow, led: boolean): SessionStatus {
  // A notice that wakes nobody goes with the next prompt: nothing is to be done for it.
  const common = { owing: row.owing, pending: row.pending - row.quiet, asks: row.asks }
  // A wait inside a turn ends with its owner; one that a settled turn names stands.
  const waiting = led || row.openTurn === null ? row.waiting : null
  const waitingUntil = waiting?.until ?? null
  if (waiting !== null) return { ...common, state: "waiting", reason: waiting.reason, waitingUntil }
  if (led) return { ...common, state: "running", reason: null, waitingUntil }
  if (row.openTurn !== null) return { ...common, state: "interrupted", reason: crashReason, waitingUntil }
  if (row.asks > 0) return { ...common, state: "asking", reason: askingReason, waitingUntil }
  const blocked = standingBlock(row)
  if (blocked !== null) return { ...common, state: "blocked", reason: blocked, waitingUntil }
  // Nothing takes up what waits until somebody asks for it (DR3).
  if (row.stopped && isEligible(row))
    return { ...common, state: "interrupted", reason: interruptReason, waitingUntil }
  const last = row.lastTurn
  if (row.owing && (last?.status === "failed" || last?.status === "interrupted")) {
    return { ...common, state: endOf(last.status, last.reason), reason: last.reason, waitingUntil }
  }
  // Its asks are answered or withdrawn, and nobody has gone on since.
  if (row.owing && last?.status === "asking") {
    const reason = row.stopped ? interruptReason : answeredReason
    return { ...common, state: "interrupted", reason, waitingUntil }
  }
  return { ...common, state: "idle", reason: null, waitingUntil }
}

const answeredReason: Reason = {
  code: "answered",
  message: "What was asked is answered, and the work has not gone on since. Resume to carry on.",
}

const endedByOthers: ReadonlySet<string | undefined> = new Set([interruptReason.code, crashReason.code])

/** A turn that its own cause interrupted is tried again; where it was the last one, the work has failed (TU4). */
export const endOf = (status: "failed" | "interrupted", reason: Reason | null): "failed" | "interrupted" =>
  endedByOthers.has(reason?.code) ? status : "failed"
