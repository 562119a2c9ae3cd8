/**
 * Coordinator: which Sessions this process drains, and who waits for them.
 *
 *   idle ──admit──▶ draining ──end──▶ idle
 *                    │  ▲ a wake while draining: looked at once more when the drain ends
 *                    └─ interrupt: fence up, then committed, then acknowledged (DR3)
 *
 * Wakes are advisory and coalesce (PR5). Where nothing runs yet, the lease comes with the admission,
 * which saves a commit before the first turn. `active` lists these drains (DR6). Memory of a Session is
 * kept between drains as long as the lease tokens show that nobody led it in between.
 */
import { Cause, Clock, Deferred, Effect, Exit, Option, Schedule, type Scope } from "effect"
import { LeaseLost, NothingOwed, SessionNotFound, StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { Admit, Lease, OutcomeOf } from "@holdfast/store/port"
import { type DrainEnd, type DrainMode, runDrain } from "./drain.ts"
import { acquireLease, type Patience } from "./lease.ts"
import { type Fence, makeFence, type Memory, raise, type Wakes } from "./lead.ts"
import type { RuntimePorts } from "./ports.ts"

export interface Coordinator {
  /** Admits, and runs a drain if something can be promoted; never waits for it (PR5). */
  readonly admit: (command: Admit) => Effect.Effect<OutcomeOf<Admit>, StoreFailure>
  /** Runs a turn on an owing Session without promoting anything (PR8). */
  readonly resume: (session: SessionId) => Effect.Effect<void, SessionNotFound | NothingOwed | StoreFailure>
  readonly interrupt: (session: SessionId) => Effect.Effect<void, SessionNotFound | StoreFailure>
  /** How the current drain ends, or how the last one did; null if none ran here. */
  readonly settled: (session: SessionId) => Effect.Effect<DrainEnd | null>
  readonly active: () => readonly SessionId[]
  /** Settles what dead processes left open; continues where the policy says so (DR4, DR5). */
  readonly recover: () => Effect.Effect<void, StoreFailure>
  /** Settles what a dead process left open in one Session; whoever is at work there is left alone (DR4). */
  readonly settleDead: (session: SessionId) => Effect.Effect<void, StoreFailure>
}

interface Running {
  fence: Fence
  readonly ended: Deferred.Deferred<DrainEnd>
  readonly wakes: Wakes
  /** Holds the lease; before that it only waits for another process. */
  leading: boolean
  /** Interrupts above this sequence came after the last wake, wherever they were asked for; null if none woke it. */
  wokenAt: number | null
}

interface Remembered {
  readonly token: number
  readonly memory: Memory
}

const rememberedMax = 64
/** Opening waits for what only has to be settled, not for a lease that its beat must judge. */
const recoveryWaitMs = 2_000
/** How often a store that fails is asked again. By then our beat stands still for everybody, and ours is free to us. */
const storeLooksMax = 1_000

export const makeCoordinator = (ports: RuntimePorts): Effect.Effect<Coordinator, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const running = new Map<SessionId, Running>()
    const lastEnds = new Map<SessionId, DrainEnd>()
    const remembered = new Map<SessionId, Remembered>()

    /** Synchronous, as is the look that found the place free: two fibers must not both take it. */
    const enter = (session: SessionId): Running => {
      const ended = Deferred.makeUnsafe<DrainEnd>()
      const entry: Running = {
        fence: makeFence(),
        ended,
        wakes: { again: false, resume: false },
        leading: false,
        wokenAt: null,
      }
      running.set(session, entry)
      return entry
    }

    const start = (session: SessionId, mode: DrainMode, wokenAt: number | null): Effect.Effect<void> =>
      Effect.suspend(() => {
        const entry = enter(session)
        entry.wokenAt = wokenAt
        return Effect.asVoid(Effect.forkIn(lead(session, entry, mode, null), scope))
      })

    /** Drains, and again as long as input came in behind the last look; then tells who waits. */
    const lead = Effect.fnUntraced(function* (
      session: SessionId,
      entry: Running,
      mode: DrainMode,
      granted: Lease | null,
    ) {
      let [next, lease] = [mode, granted]
      for (;;) {
        const end = endOf(yield* Effect.exit(drainOnce(session, entry, next, lease)))
        lease = null
        const reason = "reason" in end ? end.reason : null
        ports.live.publish({ session, type: "drain-end", status: end.kind, reason })
        if (entry.wakes.again || entry.wakes.resume) {
          entry.fence = makeFence()
          entry.leading = false
          next = { resume: entry.wakes.resume, recoverOnly: false }
          entry.wakes.resume = false
          continue
        }
        running.delete(session)
        lastEnds.set(session, end)
        trim(lastEnds, rememberedMax)
        yield* Deferred.succeed(entry.ended, end)
        return
      }
    })

    const drainOnce = Effect.fnUntraced(function* (
      session: SessionId,
      entry: Running,
      mode: DrainMode,
      granted: Lease | null,
    ) {
      // Waiting for input looks at the inbox itself. What is asked for behind its last look, or while we only
      // meant to settle, stays asked: whoever leads may only settle too, and not look before it lets go.
      if (!mode.recoverOnly) entry.wakes.again = false
      const lease =
        granted ?? (yield* mode.unasked === true ? acquireAtLast(session, mode) : acquire(session, mode))
      if (lease === null) return { kind: "done" } as const
      entry.leading = true
      // A drain that will look at the inbox answers the wakes so far; any other leaves them.
      if (!mode.recoverOnly && entry.fence.raised === null) entry.wakes.again = false
      const known = remembered.get(session)
      remembered.delete(session)
      const memory = known !== undefined && known.token === lease.token - 1 ? known.memory : null
      const { end, memory: after } = yield* runDrain(
        ports,
        lease,
        entry.fence,
        entry.wakes,
        { ...mode, wokenAt: entry.wokenAt },
        memory,
      ).pipe(Effect.tapError(() => Effect.forkIn(giveBack(session, lease.token), scope)))
      remembered.set(session, { token: lease.token, memory: after })
      trim(remembered, rememberedMax)
      return end
    })

    const acquire = (session: SessionId, mode: DrainMode) => acquireLease(ports, session, patienceOf(mode))

    /** What a dead process left must not wait for somebody to ask (DR4). */
    const acquireAtLast = (session: SessionId, mode: DrainMode) => {
      const schedule = Schedule.spaced(ports.limits.watchMs)
      return Effect.retry(acquire(session, mode), { schedule, times: storeLooksMax })
    }

    /** A store that failed a drain could not take its lease back either: it gets it once it answers again. */
    const giveBack = Effect.fnUntraced(function* (session: SessionId, token: number) {
      for (let looks = 0; looks < storeLooksMax; looks++) {
        yield* Effect.sleep(ports.limits.watchMs)
        const release = ports.store.commit({ kind: "release", session, token, whenIdle: false })
        if (Option.isSome(yield* Effect.option(release))) return
      }
    })

    const admit = (command: Admit): Effect.Effect<OutcomeOf<Admit>, StoreFailure> =>
      Effect.suspend(() => {
        const { session } = command
        const entry = running.get(session)
        if (entry === undefined) return Effect.uninterruptible(admitAndLead(command, enter(session)))
        return Effect.tap(ports.store.commit(command), (outcome) =>
          Effect.suspend(() => (isPending(outcome) ? wake(session, wokenBy(outcome)) : Effect.void)),
        )
      })

    /** The place is taken before the commit, so that nobody else here starts to drain meanwhile. */
    const admitAndLead = Effect.fnUntraced(function* (command: Admit, entry: Running) {
      const { session } = command
      const admitted = yield* Effect.exit(ports.store.commit({ ...command, leads: ports.owner }))
      const outcome = Exit.isSuccess(admitted) ? admitted.value : null
      const lease = outcome?.kind === "admitted" ? outcome.lease : null
      entry.wokenAt ??= outcome === null ? null : wokenBy(outcome)
      const { again, resume: resumes } = entry.wakes
      if ((outcome !== null && isPending(outcome)) || again || resumes) {
        entry.wakes.resume = false
        yield* Effect.forkIn(lead(session, entry, { resume: resumes, recoverOnly: false }, lease), scope)
      } else {
        running.delete(session)
        const last: DrainEnd = lastEnds.get(session) ?? { kind: "done" }
        yield* Deferred.succeed(entry.ended, last)
      }
      return yield* admitted
    })

    const wake = (session: SessionId, wokenAt: number | null): Effect.Effect<void> =>
      Effect.suspend(() => {
        const entry = running.get(session)
        if (entry === undefined) return start(session, { resume: false, recoverOnly: false }, wokenAt)
        entry.wakes.again = true
        entry.wokenAt = wokenAt
        return Effect.void
      })

    const resume = Effect.fnUntraced(function* (session: SessionId) {
      const row = yield* ports.store.session(session)
      if (row === null) return yield* sessionNotFound(session)
      if (!row.owing && row.pending === 0) {
        return yield* new NothingOwed({
          session,
          message: `Session ${session} owes nothing: its newest input is answered. Send a prompt instead.`,
        })
      }
      const entry = running.get(session)
      if (entry === undefined) yield* start(session, { resume: true, recoverOnly: false }, row.interruptedSeq)
      else {
        entry.wakes.resume = true
        entry.wokenAt = row.interruptedSeq
      }
    })

    const interrupt = Effect.fnUntraced(function* (session: SessionId) {
      const entry = running.get(session)
      if (entry !== undefined && entry.fence.raised === null) entry.fence.raised = "interrupted"
      const time = yield* Clock.currentTimeMillis
      // Also where it cannot be stored the work here stops; the caller hears that it may go on elsewhere.
      // The fence as it is then: another drain of the same place may have begun behind the first.
      const stop = entry === undefined ? Effect.void : Effect.suspend(() => raise(entry.fence, "interrupted"))
      const outcome = yield* ports.store
        .commit({ kind: "interrupt", session, time })
        .pipe(Effect.tapError(() => stop))
      if (outcome.kind === "no-session") return yield* sessionNotFound(session)
      if (entry === undefined) return
      entry.wakes.again = entry.wakes.resume = false
      yield* stop
    })

    const recoverOne = Effect.fnUntraced(function* (session: SessionId) {
      const row = yield* ports.store.session(session)
      if (row === null || running.has(session)) return
      const due = row.owing || row.pending > 0
      const carryOn = row.policy === "continue" && ports.continues !== false && due && !row.stopped
      const mode: DrainMode = { resume: carryOn, recoverOnly: !carryOn, unasked: true }
      yield* start(session, mode, carryOn ? row.interruptedSeq : null)
      const lease = yield* ports.store.lease(session)
      const free = lease === null || (yield* ports.ownerState(lease.owner)) === "gone"
      if (!carryOn && free) yield* Effect.asVoid(settled(session))
    })

    const settleDead = Effect.fnUntraced(function* (session: SessionId) {
      const lease = yield* ports.store.lease(session)
      const dead = lease !== null && (yield* ports.ownerState(lease.owner)) === "gone"
      if (!dead || running.has(session)) return
      yield* start(session, { resume: false, recoverOnly: true }, null)
      yield* settled(session)
    })

    const settled = (session: SessionId): Effect.Effect<DrainEnd | null> =>
      Effect.suspend(() => {
        const entry = running.get(session)
        return entry === undefined
          ? Effect.succeed(lastEnds.get(session) ?? null)
          : Deferred.await(entry.ended)
      })

    return {
      admit,
      resume,
      interrupt,
      settled,
      active: () => [...running].flatMap(([session, entry]) => (entry.leading ? [session] : [])),
      recover: Effect.fnUntraced(function* () {
        const sessions = yield* ports.store.unsettled()
        const all = Effect.forEach(sessions, recoverOne, { concurrency: "unbounded", discard: true })
        yield* Effect.timeoutOption(all, recoveryWaitMs)
      }),
      settleDead,
    }
  })

const isPending = (outcome: OutcomeOf<Admit>): boolean =>
  outcome.kind === "admitted" && outcome.receipt.state === "pending"

/** A repeated prompt wakes now, though it was admitted before. */
const wokenBy = (outcome: OutcomeOf<Admit>): number | null =>
  outcome.kind === "admitted" ? outcome.seq : null

function patienceOf(mode: DrainMode): Patience {
  if (mode.recoverOnly) return "sign-of-life"
  return mode.resume ? "until-free" : "while-pending"
}

function endOf(exit: Exit.Exit<DrainEnd, StoreFailure | LeaseLost>): DrainEnd {
  if (Exit.isSuccess(exit)) return exit.value
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (failure instanceof StoreFailure) {
    return { kind: "failed", reason: { code: `store_${failure.code}`, message: failure.message } }
  }
  if (failure instanceof LeaseLost)
    return { kind: "failed", reason: { code: "lease_lost", message: failure.message } }
  if (Cause.hasInterruptsOnly(exit.cause)) {
    return {
      kind: "interrupted",
      reason: { code: "shutdown", message: "The runtime was closed. Resume to carry on." },
    }
  }
  return {
    kind: "failed",
    reason: { code: "defect", message: `Holdfast broke on this turn: ${Cause.pretty(exit.cause)}` },
  }
}

export const sessionNotFound = (session: string): SessionNotFound =>
  new SessionNotFound({
    session,
    message: `There is no Session ${session}. \`holdfast sessions\` lists them.`,
  })

/** Drops the oldest entries of an insertion-ordered map. */
function trim<K, V>(map: Map<K, V>, sizeMax: number): void {
  for (const key of map.keys()) {
    if (map.size <= sizeMax) return
    map.delete(key)
  }
}
