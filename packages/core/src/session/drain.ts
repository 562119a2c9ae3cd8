/**
 * The drain: one process's run of turns on one Session until nothing is due (DR1).
 *
 *   acquire ─▶ recover ─▶ turn ─▶ … ─▶ release when idle
 *                          │
 *                          └─▶ failed | blocked | interrupted: release, take no more input (DR11)
 *
 * A drain has no durable identity and leaves no mark in the transcript (DR10). It keeps its lease
 * alive while it runs; if the lease is lost it stops at once and writes nothing more.
 */
import { Effect } from "effect"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Reason } from "@holdfast/schema/turn"
import type { Lease } from "@holdfast/store/port"
import { append, type Fence, heedInterrupt, type Lead, leaseLost, type Memory, raise, type Wakes } from "./lead.ts"
import { planRecovery } from "./recovery.ts"
import type { RuntimePorts } from "./ports.ts"
import { rememberBlocks } from "./rebuild.ts"
import { openCalls, stateFromWindow } from "./state.ts"
import { interruptReason, runTurn, type TurnEnd } from "./turn.ts"

export type DrainEnd =
  /** Nothing is due any more. */
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly reason: Reason }
  | { readonly kind: "blocked"; readonly reason: Reason }
  | { readonly kind: "interrupted"; readonly reason: Reason }

export interface DrainMode {
  /** Run a turn on an owing Session even if nothing can be promoted (PR8). */
  readonly resume: boolean
  /** Only settle what a crash left; run no turn (DR5). */
  readonly recoverOnly: boolean
}

/** Runs under a granted lease. `remembered` is the memory of the lease just before this one. */
export const runDrain = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  lease: Lease,
  fence: Fence,
  wakes: Wakes,
  mode: DrainMode,
  remembered: Memory | null,
): Effect.fn.Return<{ readonly end: DrainEnd; readonly memory: Memory }, StoreFailure | LeaseLost> {
  const lead = yield* takeLead(ports, lease, fence, wakes, remembered)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.forkScoped(keepLease(lead))
      yield* Effect.forkScoped(heedInterrupts(lead))
      const end = mode.recoverOnly ? yield* giveUp(lead, { kind: "done" }) : yield* runTurns(lead, mode.resume)
      return { end, memory: lead.memory }
    }),
  )
})

const takeLead = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  lease: Lease,
  fence: Fence,
  wakes: Wakes,
  remembered: Memory | null,
): Effect.fn.Return<Lead, StoreFailure | LeaseLost> {
  const base = { session: lease.session, token: lease.token, ports, fence, wakes }
  if (remembered !== null) {
    const row = yield* ports.store.session(lease.session)
    if (row === null) return yield* leaseLost(lease.session)
    return { ...base, memory: remembered, interruptedAbove: row.interruptedSeq }
  }
  const window = yield* ports.store.window(lease.session)
  if (window === null) return yield* leaseLost(lease.session)
  const memory: Memory = { state: stateFromWindow(window), previousBlocks: null }
  const lead: Lead = { ...base, memory, interruptedAbove: window.session.interruptedSeq }
  yield* Effect.forEach(openCalls(memory.state), ({ part }) => ports.endCallProcesses(part.call), { discard: true })
  const facts = planRecovery(memory.state, window.scratch, (name) => ports.tools.get(name)?.repeatable ?? false)
  if (facts.length > 0) yield* append(lead, facts, { settling: true, clearsScratch: "all" })
  lead.memory = yield* rememberBlocks(ports, lead.memory)
  return lead
})

/** Renews while the drain lives. A lost lease raises the fence. */
const keepLease = (lead: Lead): Effect.Effect<never> =>
  Effect.gen(function* () {
    yield* Effect.sleep(lead.ports.limits.renewMs)
    const { session, token } = lead
    // A store that cannot answer now does not mean that the lease is lost: the next commit tells.
    const outcome = yield* Effect.orElseSucceed(
      lead.ports.store.commit({ kind: "renew", session, token }),
      () => ({ kind: "renewed" }) as const,
    )
    if (outcome.kind === "lost") yield* raise(lead.fence, "lost")
  }).pipe(Effect.forever)

/** How long another process's interrupt may go unnoticed between two commits; DR3 allows a second. */
const interruptPollMs = 500

/** Looks for an interrupt that was stored by another process. */
const heedInterrupts = (lead: Lead): Effect.Effect<never> =>
  Effect.gen(function* () {
    yield* Effect.sleep(interruptPollMs)
    // A store that cannot answer now may answer the next time; the next commit asks it anyway.
    const row = yield* Effect.orElseSucceed(lead.ports.store.session(lead.session), () => null)
    if (row !== null && row.interruptedSeq > lead.interruptedAbove) yield* heedInterrupt(lead)
  }).pipe(Effect.forever)

const runTurns = Effect.fnUntraced(function* (
  lead: Lead,
  resume: boolean,
): Effect.fn.Return<DrainEnd, StoreFailure | LeaseLost> {
  let continuing = resume && lead.memory.state.owing
  let forcedReduction = false
  let reopens = 0
  for (;;) {
    if (lead.fence.raised === "lost") return yield* leaseLost(lead.session)
    if (lead.fence.raised !== null) return yield* giveUp(lead, { kind: "interrupted", reason: interruptReason })
    const end: TurnEnd = yield* runTurn(lead, { continuing, forcedReduction })
    switch (end.kind) {
      case "nothing":
      case "done":
        continuing = false
        forcedReduction = false
        reopens = 0
        if (yield* releaseWhenIdle(lead)) return { kind: "done" }
        break
      case "continue":
        continuing = true
        forcedReduction = false
        reopens = 0
        break
      case "broken":
        reopens = end.progressed ? 1 : reopens + 1
        if (reopens > lead.ports.limits.retry.reopensMax || allowanceSpent(lead)) {
          return yield* giveUp(lead, { kind: "failed", reason: end.reason })
        }
        continuing = true
        break
      case "reduce":
        if (forcedReduction) return yield* giveUp(lead, { kind: "failed", reason: end.reason })
        continuing = true
        forcedReduction = true
        break
      case "stopped":
        return yield* giveUp(lead, { kind: "interrupted", reason: end.reason })
      case "blocked":
      case "failed":
        return yield* giveUp(lead, end)
    }
  }
})

const allowanceSpent = (lead: Lead): boolean =>
  (lead.memory.state.lastTurn?.started.allowanceUsed ?? 0) >= lead.ports.limits.turnsMax

/** True when the lease is given back; false when input came in meanwhile. */
const releaseWhenIdle = Effect.fnUntraced(function* (lead: Lead) {
  const { session, token } = lead
  const outcome = yield* lead.ports.store.commit({ kind: "release", session, token, whenIdle: true })
  return outcome.kind !== "pending"
})

/**
 * Ends the drain whatever is pending. After a failure or a block only a wake from now on starts
 * another (DR11); an interrupt has ended earlier wakes itself, and recovery looked at no input.
 */
const giveUp = Effect.fnUntraced(function* (lead: Lead, end: DrainEnd) {
  const { session, token, wakes } = lead
  if (end.kind === "failed" || end.kind === "blocked") wakes.again = wakes.resume = false
  yield* lead.ports.store.commit({ kind: "release", session, token, whenIdle: false })
  return end
})

