/**
 * Coordinator: which Sessions this process drains, and who waits for them.
 *
 *   what happens ─▶ transition (slot.ts) ─▶ one action ─▶ done here
 *
 * Whoever learns something reports it to the slot of the Session; what follows is decided there, in one
 * step that no other fiber comes between. Only the drains take time: one fiber does those of a place, one
 * after another, until nothing is asked for. A place that was left stays idle for ever, so that an
 * interrupt which was on its way meanwhile stops nobody else.
 *
 * Where nothing runs yet, the lease comes with the admission, which saves a commit before the first
 * turn. `active` lists the drains that lead (DR6). What is loaded of a Session is kept between drains;
 * what others wrote in between is folded in when the next one begins.
 */
import { Cause, Clock, Deferred, Effect, Exit, Fiber, Option, Schedule, type Scope } from "effect"
import { LeaseLost, NothingOwed, SessionNotFound, StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { hasWork, isDue, isOpen } from "@holdfast/schema/state/summary"
import { admissionOf } from "@holdfast/store/admission"
import type { Admit, Lease, OutcomeOf, SessionRow } from "@holdfast/store/port"
import { keepNewest } from "../../newest.ts"
import { type DrainEnd, type DrainMode, runDrain } from "../drain.ts"
import { acquireLease, type Patience } from "../lease.ts"
import { type Fence, foldAdmitted, makeFence, type Loaded, raise } from "../lead.ts"
import { type Ahead, lookAhead } from "../look.ts"
import type { RuntimePorts } from "../ports.ts"
import {
  type Action,
  type DrainAction,
  type Ended,
  idle,
  type Slot,
  type SlotEvent,
  transition,
} from "./slot.ts"

export interface Coordinator {
  /** Admits, and runs a drain if something can be promoted; never waits for it (PR5). */
  readonly admit: (command: Admit) => Effect.Effect<OutcomeOf<Admit>, StoreFailure>
  /** Runs a turn on an owing Session without promoting anything (PR8). */
  readonly resume: (session: SessionId) => Effect.Effect<void, SessionNotFound | NothingOwed | StoreFailure>
  /** Somebody answered an ask: what it frees goes on (PE5). */
  readonly answered: (session: SessionId) => Effect.Effect<void, StoreFailure>
  readonly interrupt: (session: SessionId) => Effect.Effect<void, SessionNotFound | StoreFailure>
  /** How the current drain ends, or how the last one did; null if none ran here. */
  readonly settled: (session: SessionId) => Effect.Effect<Ended | null>
  readonly active: () => readonly SessionId[]
  /** Settles what dead processes left open; continues where the policy says so (DR4, DR5). */
  readonly recover: () => Effect.Effect<void, StoreFailure>
  /** Settles what a dead process left open in one Session; whoever is at work there is left alone (DR4). */
  readonly settleDead: (session: SessionId) => Effect.Effect<void, StoreFailure>
}

/** A slot with what its actions are done to. */
interface Place {
  readonly session: SessionId
  slot: Slot
  /** Of the drain that runs, or of the one to come: an interrupt that was on its way stops whichever it finds. */
  fence: Fence
  readonly ended: Deferred.Deferred<Ended>
  /** For a drain that begins with the admission that began this look. */
  ahead: Ahead | null
}

const rememberedMax = 64
/** Opening waits for what only has to be settled, not for a lease that its beat must judge. */
const recoveryWaitMs = 2_000
/** How often a store that fails is asked again. By then our beat stands still for everybody, and ours is free to us. */
const storeLooksMax = 1_000

export const makeCoordinator = (ports: RuntimePorts): Effect.Effect<Coordinator, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    /** Those that are not idle. */
    const places = new Map<SessionId, Place>()
    const lastEnds = new Map<SessionId, Ended>()
    const remembered = new Map<SessionId, Loaded>()

    const placeOf = (session: SessionId): Place =>
      places.get(session) ?? {
        session,
        slot: idle,
        fence: makeFence(),
        ended: Deferred.makeUnsafe<Ended>(),
        ahead: null,
      }

    /** Synchronous, as is the look that finds the place: two fibers must not both take it. */
    const decide = (place: Place, event: SlotEvent): Action | null => {
      const { slot, action } = transition(place.slot, event)
      if (place.slot.state === "idle" && slot.state !== "idle") places.set(place.session, place)
      if (place.slot.state !== "idle" && slot.state === "idle") places.delete(place.session)
      place.slot = slot
      return action
    }

    const act = (place: Place, action: Action | null): Effect.Effect<void> => {
      switch (action?.do) {
        case undefined:
          return Effect.void
        case "acquire":
        case "lead":
          return Effect.asVoid(Effect.forkIn(drive(place, action), scope))
        case "raise-fence":
          place.fence.raised ??= "interrupted"
          return Effect.void
        case "stop":
          return raise(place.fence, "interrupted")
        case "tell": {
          const { session } = place
          if (action.ended !== null) keepNewest(lastEnds, session, action.ended, rememberedMax)
          const ended = action.ended ?? lastEnds.get(session) ?? { end: { kind: "done" }, seq: null }
          return Effect.asVoid(Deferred.succeed(place.ended, ended))
        }
      }
    }

    const report = (place: Place, event: SlotEvent): Effect.Effect<void> =>
      Effect.suspend(() => act(place, decide(place, event)))

    const reportTo = (session: SessionId, event: SlotEvent): Effect.Effect<void> =>
      Effect.suspend(() => {
        const place = placeOf(session)
        return act(place, decide(place, event))
      })

    /** The drains of a place, one after another. */
    const drive = Effect.fnUntraced(function* (place: Place, first: DrainAction) {
      for (let next: DrainAction = first; ;) {
        const { ahead } = place
        place.ahead = null // to wait for a lease may take long
        const event = yield* next.do === "acquire"
          ? acquire(place.session, next.mode)
          : lead(place, next, ahead)
        if (event.type === "drain-ended") {
          const { session } = place
          const { end, seq } = event.ended
          const reason = "reason" in end ? end.reason : null
          const owing = seq === null ? null : (remembered.get(session)?.state.summary.owing ?? null)
          ports.live.publish({ session, type: "drain-end", status: end.kind, reason, owing })
          place.fence = makeFence()
        }
        const action = decide(place, event)
        if (action?.do !== "acquire" && action?.do !== "lead") return yield* act(place, action)
        next = action
      }
    })

    const acquire = (session: SessionId, mode: DrainMode): Effect.Effect<SlotEvent> => {
      const once = acquireLease(ports, session, patienceOf(mode))
      // What a dead process left must not wait for somebody to ask (DR4).
      const schedule = Schedule.spaced(ports.limits.watchMs)
      const atLast = mode.unasked === true ? Effect.retry(once, { schedule, times: storeLooksMax }) : once
      return Effect.map(Effect.exit(atLast), (exit): SlotEvent => {
        if (Exit.isSuccess(exit) && exit.value !== null) return { type: "lease-granted", lease: exit.value }
        const end: DrainEnd = Exit.isSuccess(exit) ? { kind: "done" } : endOf(exit.cause)
        return { type: "drain-ended", ended: { end, seq: null } }
      })
    }

    const lead = (
      place: Place,
      { lease, mode, wokenAt }: Extract<DrainAction, { do: "lead" }>,
      ahead: Ahead | null,
    ): Effect.Effect<SlotEvent> =>
      Effect.suspend(() => {
        const { session } = place
        const known = remembered.get(session)
        remembered.delete(session)
        const loaded = known ?? null
        const wakes = { end: () => void decide(place, { type: "wakes-ended" }) }
        return runDrain(ports, lease, place.fence, wakes, { ...mode, wokenAt }, loaded, ahead)
      }).pipe(
        Effect.tapError(() => Effect.forkIn(giveBack(place.session, lease.token), scope)),
        Effect.exit,
        Effect.map((exit): SlotEvent => {
          if (Exit.isFailure(exit))
            return { type: "drain-ended", ended: { end: endOf(exit.cause), seq: null } }
          const { end, loaded } = exit.value
          keepNewest(remembered, place.session, loaded, rememberedMax)
          return { type: "drain-ended", ended: { end, seq: loaded.state.summary.seq } }
        }),
      )

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
        const place = placeOf(session)
        if (place.slot.state === "idle") {
          decide(place, { type: "place-taken" })
          return Effect.uninterruptible(admitAndLead(command, place))
        }
        return Effect.tap(ports.store.commit(command), (outcome) => {
          const woken = wakeOf(outcome)
          return woken === null ? Effect.void : reportTo(session, { type: "woken", seq: woken.seq })
        })
      })

    /** The place is taken before the commit, so that nobody else here starts to drain meanwhile. */
    const admitAndLead = Effect.fnUntraced(function* (command: Admit, place: Place) {
      const committing = yield* Effect.forkChild(ports.store.commit({ ...command, leads: ports.owner }), {
        startImmediately: true,
      })
      const known = remembered.get(command.session)
      if (known !== undefined) place.ahead = yield* lookAhead(ports, known.state, scope)
      const admitted = yield* Fiber.await(committing)
      const woken = Exit.isSuccess(admitted) ? wakeOf(admitted.value) : null
      if (Exit.isSuccess(admitted)) foldAdmission(command, admitted.value)
      yield* report(place, { type: "admission-ended", woken })
      return yield* admitted
    })

    /** What was just admitted need not be read back by the drain that begins with it. */
    const foldAdmission = (command: Admit, outcome: OutcomeOf<Admit>): void => {
      const { session, time } = command
      const known = remembered.get(session)
      if (known === undefined || outcome.kind !== "admitted" || outcome.repeated) return
      const firstSeq = outcome.receipt.admittedSeq
      remembered.set(session, foldAdmitted(known, admissionOf(command), { session, firstSeq, time }))
    }

    const resume = Effect.fnUntraced(function* (session: SessionId) {
      const row = yield* ports.store.session(session)
      if (row === null) return yield* sessionNotFound(session)
      if (row.kind === "job") return yield* new NothingOwed({ session, message: jobMessage(row) })
      if (!hasWork(row)) {
        return yield* new NothingOwed({
          session,
          message: `Session ${session} owes nothing: its newest input is answered. Send a prompt instead.`,
        })
      }
      yield* reportTo(session, { type: "resume-asked", seq: row.interruptedSeq })
    })

    const answered = Effect.fnUntraced(function* (session: SessionId) {
      const row = yield* ports.store.session(session)
      if (row === null || row.stopped) return
      yield* reportTo(session, { type: "resume-asked", seq: row.interruptedSeq })
    })

    const interrupt = Effect.fnUntraced(function* (session: SessionId) {
      const place = placeOf(session)
      yield* report(place, { type: "interrupt-asked" })
      const time = yield* Clock.currentTimeMillis
      // Also where it cannot be stored the work here stops; the caller hears that it may go on elsewhere.
      const outcome = yield* ports.store
        .commit({ kind: "interrupt", session, time })
        .pipe(Effect.tapError(() => report(place, { type: "interrupt-failed" })))
      if (outcome.kind === "no-session") return yield* sessionNotFound(session)
      yield* report(place, { type: "interrupt-stored" })
    })

    const recoverOne = Effect.fnUntraced(function* (session: SessionId) {
      const row = yield* ports.store.session(session)
      if (row === null || places.has(session)) return
      const carryOn = ports.continues !== false && isDue(row) && !row.stopped
      const lease = yield* ports.store.lease(session)
      if (!carryOn && lease === null && !isOpen(row)) return
      const mode: DrainMode = { resume: carryOn, recoverOnly: !carryOn, unasked: true }
      const seq = carryOn ? row.interruptedSeq : null
      yield* reportTo(session, { type: "recovery-asked", mode, seq })
      const free = lease === null || (yield* ports.ownerState(lease.owner)) === "gone"
      if (!carryOn && free) yield* settled(session)
    })

    const settleDead = Effect.fnUntraced(function* (session: SessionId) {
      const lease = yield* ports.store.lease(session)
      const dead = lease !== null && (yield* ports.ownerState(lease.owner)) === "gone"
      if (!dead || places.has(session)) return
      const mode: DrainMode = { resume: false, recoverOnly: true }
      yield* reportTo(session, { type: "recovery-asked", mode, seq: null })
      yield* settled(session)
    })

    const settled = (session: SessionId): Effect.Effect<Ended | null> =>
      Effect.suspend(() => {
        const place = places.get(session)
        return place === undefined
          ? Effect.succeed(lastEnds.get(session) ?? null)
          : Deferred.await(place.ended)
      })

    return {
      admit,
      resume,
      answered,
      interrupt,
      settled,
      active: () =>
        [...places.values()].flatMap(({ session, slot }) => (slot.state === "leading" ? [session] : [])),
      recover: Effect.fnUntraced(function* () {
        const sessions = yield* ports.store.unsettled()
        const all = Effect.forEach(sessions, recoverOne, { concurrency: "unbounded", discard: true })
        yield* Effect.timeoutOption(all, recoveryWaitMs)
      }),
      settleDead,
    }
  })

/** A repeated prompt wakes now, though it was admitted before; one that waits no more wakes nothing. */
const wakeOf = (outcome: OutcomeOf<Admit>): { readonly seq: number; readonly lease: Lease | null } | null =>
  outcome.kind === "admitted" && outcome.receipt.state === "pending" ? outcome : null

function patienceOf(mode: DrainMode): Patience {
  if (mode.recoverOnly) return "sign-of-life"
  return mode.resume ? "until-free" : "while-pending"
}

function endOf(cause: Cause.Cause<StoreFailure | LeaseLost>): DrainEnd {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  if (failure instanceof StoreFailure) {
    return { kind: "failed", reason: { code: `store_${failure.code}`, message: failure.message } }
  }
  if (failure instanceof LeaseLost)
    return { kind: "failed", reason: { code: "lease_lost", message: failure.message } }
  if (Cause.hasInterruptsOnly(cause)) {
    return {
      kind: "interrupted",
      reason: { code: "shutdown", message: "The runtime was closed. Resume to carry on." },
    }
  }
  return {
    kind: "failed",
    reason: { code: "defect", message: `Holdfast broke on this turn: ${Cause.pretty(cause)}` },
  }
}

const jobMessage = ({ id, agent, parent }: SessionRow): string =>
  `${id} is a hidden job of Holdfast (${agent}${parent === null ? "" : `, for Session ${parent.session}`}), and nobody resumes it: what is left of it is settled by itself. What it was for is done anew when it is due.`

export const sessionNotFound = (session: string): SessionNotFound =>
  new SessionNotFound({
    session,
    message: `There is no Session ${session}. \`holdfast sessions\` lists them.`,
  })
