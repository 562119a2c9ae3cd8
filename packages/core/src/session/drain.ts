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
import { Deferred, Effect, Random } from "effect"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Fact } from "@holdfast/schema/event"
import type { TurnId } from "@holdfast/schema/id"
import type { Reason } from "@holdfast/schema/turn"
import { openCalls, type SessionState } from "@holdfast/schema/state/state"
import { goesOn, isOpen, type Summary } from "@holdfast/schema/state/summary"
import type { Lease, SessionRow, SessionWindow } from "@holdfast/store/port"
import {
  append,
  catchUp,
  endWakes,
  type Fence,
  heedInterrupt,
  type Lead,
  leaseLost,
  type Loaded,
  raise,
  type Wakes,
} from "./lead.ts"
import { freeCalls } from "./asking/answers.ts"
import { askingReason } from "./asking/ruling.ts"
import { pathsOf } from "./effects/judge-plan.ts"
import type { Ahead } from "./look.ts"
import { planRecovery } from "./recovery.ts"
import type { RuntimePorts } from "./ports.ts"
import { lastBlocks } from "./request/rebuild.ts"
import { backoffMs } from "./retry.ts"
import { interruptReason, runTurn, type TurnEnd, type TurnMode } from "./turn.ts"

export type DrainEnd =
  /** Nothing is due any more. */
  | { readonly kind: "done" }
  /** Nothing runs until somebody answers (PE3). */
  | { readonly kind: "asking"; readonly reason: Reason }
  | { readonly kind: "failed"; readonly reason: Reason }
  | { readonly kind: "blocked"; readonly reason: Reason }
  | { readonly kind: "interrupted"; readonly reason: Reason }

export interface DrainMode {
  /** Run a turn on an owing Session even if nothing can be promoted (PR8). */
  readonly resume: boolean
  /** Only settle what a crash left; run no turn (DR5). */
  readonly recoverOnly: boolean
  /** Nobody hears how it ends: a store that fails it now is asked again. */
  readonly unasked?: boolean
}

/** Whether what is remembered is an earlier moment of this Session: one that was deleted may have come again under its id. */
const isBehind = ({ state, foldedSeq }: Loaded, { seq, createdAt }: SessionRow): boolean =>
  state.summary.createdAt === createdAt && seq >= foldedSeq && seq - foldedSeq <= catchUpMax

/** Runs under a granted lease. `remembered` is what this process knew when it last led; it may be old. */
export const runDrain = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  lease: Lease,
  fence: Fence,
  wakes: Wakes,
  mode: DrainMode & { readonly wokenAt: number | null },
  remembered: Loaded | null,
  ahead: Ahead | null,
): Effect.fn.Return<{ readonly end: DrainEnd; readonly loaded: Loaded }, StoreFailure | LeaseLost> {
  const lead = yield* takeLead(ports, lease, fence, wakes, mode.wokenAt, remembered)
  yield* ports.commands?.settleLeft(lead) ?? Effect.void
  lead.ahead = ahead
  const end = yield* Effect.scoped(
    Effect.gen(function* () {
      lead.scope = yield* Effect.scope
      yield* Effect.forkScoped(keepLease(lead))
      yield* Effect.forkScoped(heedInterrupts(lead))
      return mode.recoverOnly ? yield* giveUp(lead, { kind: "done" }) : yield* runTurns(lead, mode.resume)
    }),
  )
  // Not through the scope: a closed scope keeps its exit, and whoever keeps the scope would keep the history.
  return { end, loaded: lead.loaded }
})

const takeLead = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  lease: Lease,
  fence: Fence,
  wakes: Wakes,
  wokenAt: number | null,
  remembered: Loaded | null,
): Effect.fn.Return<Lead, StoreFailure | LeaseLost> {
  const nothingYet = { scope: null, ahead: null, caughtUp: null, leftOut: [] }
  const base = { session: lease.session, token: lease.token, ports, fence, wakes, ...nothingYet }
  const row = yield* ports.store.session(lease.session)
  if (row === null) return yield* leaseLost(lease.session)
  // One that was asked for elsewhere, while we waited for the lease, stands (DR3).
  const interruptedAbove = Math.min(row.interruptedSeq, wokenAt ?? row.interruptedSeq)
  const known = remembered !== null && isBehind(remembered, row) ? remembered : null
  if (known !== null && !isOpen(row)) {
    const lead: Lead = { ...base, loaded: known, interruptedAbove }
    const last = known.state.lastTurn?.started.turn
    yield* catchUp(lead, row.seq)
    const ledSince = lead.loaded.state.lastTurn?.started.turn !== last
    if (ledSince)
      lead.loaded = { ...lead.loaded, previousBlocks: yield* lastBlocks(ports, lead.loaded.state) }
    // Commands that a dead process left running are waited for before the first turn.
    else if (lead.loaded.state.items.commands.size === 0) lead.caughtUp = lead.loaded
    return lead
  }
  return yield* loadLead(base, interruptedAbove)
})

/** Events that are folded in rather than the window read anew. */
const catchUpMax = 1_000

/** From the store: the window, with what a dead process left open settled first (DR4). */
const loadLead = Effect.fnUntraced(function* (
  base: Omit<Lead, "loaded" | "interruptedAbove">,
  interruptedAbove: number,
): Effect.fn.Return<Lead, StoreFailure | LeaseLost> {
  const { ports, session } = base
  const window = yield* ports.store.window(session)
  if (window === null) return yield* leaseLost(session)
  const { state } = window
  const { location, agent, seq } = state.summary
  const loaded: Loaded = { state, foldedSeq: seq, ahead: new Set(), previousBlocks: null }
  const lead: Lead = { ...base, loaded, interruptedAbove }
  yield* Effect.forEach(openCalls(state), ({ part }) => ports.endCallProcesses(part.call), { discard: true })
  if (isOpen(state.summary)) {
    const { tools, declared = tools } = yield* ports.sample(location, agent)
    const hashes = yield* hashPlanned(ports, state)
    const facts = planRecovery(state, window.scratch, declared.get, hashes, yield* lastedMs(ports, window))
    if (facts.length > 0) yield* append(lead, facts, { settling: true, clearsScratch: "all" })
  }
  lead.loaded = { ...lead.loaded, previousBlocks: yield* lastBlocks(ports, lead.loaded.state) }
  return lead
})

/** Of a killed turn, looked at for its last sign of life. */
const recordsMax = 1_000

/** From the start of the open turn to what its process did last that is on record (TU7). */
const lastedMs = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  { session, state, checkpointedAt }: SessionWindow,
): Effect.fn.Return<number, StoreFailure> {
  const { openTurn } = state.summary
  const started = state.messages.findLast(
    (message) => message.kind === "assistant" && message.turn === openTurn,
  )
  if (openTurn === null || started === undefined) return 0
  const { events } = yield* store.events(session, started.seq - 1, recordsMax)
  const times = events.flatMap(({ time, fact }) => (isOfProcess(fact, openTurn) ? [time] : []))
  const [startedAt] = times
  return startedAt === undefined ? 0 : Math.max(0, Math.max(...times, checkpointedAt ?? 0) - startedAt)
})

/** Others settle calls too, without running them. */
const isOfProcess = (fact: Fact, turn: TurnId): boolean =>
  "turn" in fact &&
  fact.turn === turn &&
  !(fact.type === "call.settled" && fact.outcome.state === "interrupted")

/** Files that killed calls had planned to change, as they are now: they tell how far the calls came. */
const hashPlanned = Effect.fnUntraced(function* ({ endCallFiles }: RuntimePorts, { items }: SessionState) {
  const hashes: [string, string | null | undefined][] = []
  if (endCallFiles !== undefined)
    for (const [call, plan] of items.plans) hashes.push(...(yield* endCallFiles(call, pathsOf(plan))))
  return new Map(hashes)
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

const nextTurn: TurnMode = {
  continuing: false,
  resumes: null,
  refusal: null,
  switches: 0,
  breaks: { inRow: 0, withoutPart: 0 },
}

/** What a drain begins with: what is owed, where somebody asked for it or a queued prompt waits behind it (PR8). */
function firstTurn(summary: Summary, resume: boolean): TurnMode {
  const resumes = goesOn(summary, resume)
  return { ...nextTurn, continuing: resumes !== null, resumes }
}

const runTurns = Effect.fnUntraced(function* (
  lead: Lead,
  resume: boolean,
): Effect.fn.Return<DrainEnd, StoreFailure | LeaseLost> {
  const freed = yield* freeCalls(lead)
  if (freed === "asking") return yield* giveUp(lead, { kind: "asking", reason: askingReason })
  if (typeof freed !== "string") return yield* giveUp(lead, freed)
  let mode = firstTurn(lead.loaded.state.summary, resume || freed === "freed")
  let idleLooks = 0
  for (;;) {
    if (lead.fence.raised === "lost") return yield* leaseLost(lead.session)
    if (lead.fence.raised !== null)
      return yield* giveUp(lead, { kind: "interrupted", reason: interruptReason })
    const end: TurnEnd = yield* runTurn(lead, mode)
    lead.ports.turnSettled?.(lead.session, lead.loaded.state)
    switch (end.kind) {
      case "nothing":
      case "done":
        mode = nextTurn
        if ((end.kind === "done" && end.released) || (yield* releaseWhenIdle(lead))) return { kind: "done" }
        idleLooks = end.kind === "nothing" ? idleLooks + 1 : 0
        if (idleLooks >= idleLooksMax) return yield* giveUp(lead, yield* blockUnreadable(lead))
        break
      case "continue":
      case "strip": // at most once: what was refused stays left out (LL4)
        mode = { ...nextTurn, continuing: true }
        break
      case "switch":
        mode = { ...nextTurn, continuing: true, switches: mode.switches + 1 }
        break
      case "broken":
        // the cut is made: one overflow, one reduction (TU5)
        mode = { ...nextTurn, continuing: true, breaks: end.breaks }
        yield* pause(lead, end.breaks.inRow)
        break
      case "reduce":
        // Nothing of a job is cut: what was refused is its prompt (HI8).
        if (mode.refusal !== null || lead.loaded.state.summary.kind === "job")
          return yield* giveUp(lead, { kind: "failed", reason: end.refusal.reason })
        mode = { ...nextTurn, continuing: true, switches: mode.switches, refusal: end.refusal }
        break
      case "stopped":
        return yield* giveUp(lead, { kind: "interrupted", reason: end.reason })
      case "asking": // an answer that came meanwhile has woken the next drain
      case "blocked":
      case "failed":
        return yield* giveUp(lead, end)
    }
  }
})

/** How often nothing can be promoted although input is pending, before it counts as unreadable. */
const idleLooksMax = 3

const blockUnreadable = Effect.fnUntraced(function* (lead: Lead) {
  const reason: Reason = {
    code: "input_unreadable",
    message:
      "A pending prompt is damaged in storage and cannot be read. Send it again; `holdfast doctor` names the record.",
  }
  endWakes(lead)
  yield* append(lead, [{ type: "session.updated", blocked: reason }], { settling: true })
  return { kind: "blocked", reason } as const
})

/** The wait before a turn is opened again after a broken stream (TU4); an interrupt ends it. */
const pause = Effect.fnUntraced(function* (lead: Lead, breaksInRow: number) {
  const wait = backoffMs(breaksInRow, yield* Random.next, lead.ports.limits.retry)
  yield* Effect.raceFirst(Effect.sleep(wait), Effect.asVoid(Deferred.await(lead.fence.signal)))
})

/** True when the lease is given back; false when input came in meanwhile. */
const releaseWhenIdle = Effect.fnUntraced(function* (lead: Lead) {
  const { session, token } = lead
  const outcome = yield* lead.ports.store.commit({ kind: "release", session, token, whenIdle: true })
  return outcome.kind !== "pending"
})

/** Ends the drain whatever is pending: only a wake since the reason was made known starts another (DR11). */
const giveUp = Effect.fnUntraced(function* (lead: Lead, end: DrainEnd) {
  const { session, token } = lead
  yield* lead.ports.store.commit({ kind: "release", session, token, whenIdle: false })
  return end
})
