/**
 * Lead: the right of one drain to write its Session, and the loaded state it writes from.
 *
 * Every commit of a drain goes through `append`: it carries the lease token, folds what was
 * committed into the state, and is uninterruptible, so that what is loaded and the disk never part ways.
 *
 *   DR1  a stale token ends the drain; nothing may start afterwards
 *   DR3  once the fence is up no call starts and no request is sent; only settling passes
 */
import { Clock, Deferred, Effect, type Scope } from "effect"
import type { Block } from "@holdfast/llm/wire"
import { LeaseLost, type StoreFailure } from "@holdfast/schema/error"
import type { Fact } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { advance, advanceAll, type SessionState } from "@holdfast/schema/state/state"
import type { LeftOut } from "@holdfast/schema/turn"
import type { Append, BlobWrite } from "@holdfast/store/port"
import { type Ahead, lookAhead } from "./look.ts"
import type { Permitted, RuntimePorts } from "./ports.ts"

/** What a process remembers of a Session. It may be old: what others wrote since is folded in (`catchUp`). */
export interface Loaded {
  readonly state: SessionState
  /** Everything up to here is in the state. */
  readonly foldedSeq: number
  /** Sequences above it that are in the state too: our own commits behind those of others. */
  readonly ahead: ReadonlySet<number>
  /** Blocks of the last request; null when they are not known. */
  readonly previousBlocks: readonly Block[] | null
}

export type StopCause = "interrupted" | "lost"

/** Raised by whoever stops a drain; looked at before anything starts. */
export interface Fence {
  raised: StopCause | null
  readonly signal: Deferred.Deferred<StopCause>
}

export const makeFence = (): Fence => ({ raised: null, signal: Deferred.makeUnsafe<StopCause>() })

export const raise = (fence: Fence, cause: StopCause): Effect.Effect<void> =>
  Effect.suspend(() => {
    fence.raised = cause
    return Effect.asVoid(Deferred.succeed(fence.signal, cause))
  })

/** What is asked for behind the back of a running drain, and starts another when it ends. */
export interface Wakes {
  /** Withdraws what was asked for so far. */
  readonly end: () => void
}

export interface Lead {
  readonly session: SessionId
  readonly token: number
  readonly ports: RuntimePorts
  readonly fence: Fence
  readonly wakes: Wakes
  /** Of the drain, once it runs turns. */
  scope: Scope.Scope | null
  loaded: Loaded
  /** A look that began for the next boundary; the boundary takes it. */
  ahead: Ahead | null
  /** What was loaded when all that others wrote was folded in, if nothing was waited for since. */
  caughtUp: Loaded | null
  /** Extras that the open turn goes without (FA2). */
  leftOut: readonly LeftOut[]
  /** Interruptions above this sequence concern this drain. */
  readonly interruptedAbove: number
}

export interface AppendOptions {
  readonly blobs?: readonly BlobWrite[]
  readonly promotes?: Append["promotes"]
  readonly followsSeq?: Append["followsSeq"]
  readonly movedAbove?: Append["movedAbove"]
  /** Settles what has already happened: passes the fence. */
  readonly settling?: boolean
  readonly clearsScratch?: Append["clearsScratch"]
  readonly release?: Append["release"]
}

export type AppendEnd =
  | { readonly kind: "appended"; readonly released: boolean }
  | { readonly kind: "interrupted" }
  | { readonly kind: "stale" }

export const append = (
  lead: Lead,
  facts: readonly Fact[],
  options: AppendOptions = {},
): Effect.Effect<AppendEnd, StoreFailure | LeaseLost> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const time = yield* Clock.currentTimeMillis
      const outcome = yield* lead.ports.store.commit({
        kind: "append",
        session: lead.session,
        time,
        token: lead.token,
        facts,
        blobs: options.blobs ?? [],
        interruptedAbove: options.settling === true ? null : lead.interruptedAbove,
        promotes: options.promotes ?? [],
        followsSeq: options.followsSeq ?? null,
        movedAbove: options.movedAbove ?? null,
        clearsScratch: options.clearsScratch ?? [],
        release: options.release ?? "keep",
      })
      if (outcome.kind === "lost") {
        yield* raise(lead.fence, "lost")
        return yield* leaseLost(lead.session)
      }
      if (outcome.kind === "interrupted") yield* heedInterrupt(lead)
      if (outcome.kind !== "appended") return { kind: outcome.kind }
      lead.loaded = foldOwn(lead.loaded, facts, { session: lead.session, firstSeq: outcome.firstSeq, time })
      return { kind: "appended", released: outcome.released }
    }),
  )

/** A commit of this process, folded at once. Behind a commit of others it stands ahead of what is folded. */
function foldOwn(
  loaded: Loaded,
  facts: readonly Fact[],
  at: { readonly session: SessionId; readonly firstSeq: number; readonly time: number },
): Loaded {
  if (facts.length === 0) return loaded
  const { firstSeq } = at
  const state = advanceAll(loaded.state, facts, at)
  if (firstSeq === loaded.foldedSeq + 1 && loaded.ahead.size === 0)
    return { ...loaded, state, foldedSeq: firstSeq + facts.length - 1 }
  const ahead = new Set(loaded.ahead)
  for (let seq = firstSeq; seq < firstSeq + facts.length; seq++) ahead.add(seq)
  let { foldedSeq } = loaded
  while (ahead.delete(foldedSeq + 1)) foldedSeq += 1
  return { ...loaded, state, foldedSeq, ahead }
}

/** What its process admitted, as long as nothing of others lies between: two admissions, or a wake and a stop, do not commute. */
export const foldAdmitted = (
  loaded: Loaded,
  fact: Fact,
  at: { readonly session: SessionId; readonly firstSeq: number; readonly time: number },
): Loaded =>
  at.firstSeq === loaded.foldedSeq + 1 && loaded.ahead.size === 0 ? foldOwn(loaded, [fact], at) : loaded

const eventsPageMax = 500

/**
 * Folds in what others committed since: at each boundary, and when a drain goes on from what its
 * process remembers. Facts of others commute with those of the drain, so that it does not matter which come first.
 */
export const catchUp = Effect.fnUntraced(function* (
  lead: Lead,
  seq: number,
): Effect.fn.Return<void, StoreFailure> {
  while (lead.loaded.foldedSeq < seq) {
    const { foldedSeq, ahead } = lead.loaded
    const page = yield* lead.ports.store.events(lead.session, foldedSeq, eventsPageMax)
    const last = Math.max(page.events.at(-1)?.seq ?? 0, page.damage.at(-1)?.seq ?? 0)
    if (last === 0) return
    const others = page.events.filter((event) => !ahead.has(event.seq))
    const state = others.reduce(advance, lead.loaded.state)
    const left = new Set([...ahead].filter((own) => own > last))
    lead.loaded = { ...lead.loaded, state, foldedSeq: last, ahead: left }
  }
})

/** Begins to look at what the next turn will see, while the last facts of this one are on their way. */
export const lookOn = Effect.fnUntraced(function* (lead: Lead, facts: readonly Fact[]) {
  const { session, ports, scope, loaded } = lead
  const at = { session, firstSeq: loaded.state.summary.seq + 1, time: yield* Clock.currentTimeMillis }
  if (scope !== null) lead.ahead = yield* lookAhead(ports, advanceAll(loaded.state, facts, at), scope)
})

/** An interrupt stands in the log. If another process asked, earlier wakes end here, as they do when we are asked. */
export const heedInterrupt = (lead: Lead): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (lead.fence.raised === "lost") return Effect.void
    if (lead.fence.raised === null) endWakes(lead)
    return raise(lead.fence, "interrupted")
  })

/**
 * What was asked for so far ends with what is about to be committed: a failure, a block, an
 * interrupt (DR11). What is asked for once that is known starts another drain.
 */
export function endWakes(lead: Lead): void {
  lead.wakes.end()
}

/** What the Session was permitted, as its log says it now. */
export const permittedTo = ({ loaded: { state } }: Lead): Permitted => permittedBy(state)

export const permittedBy = (state: SessionState): Permitted => ({
  location: state.summary.location,
  allow: state.summary.allow,
  approvals: [...state.items.approvals.values()],
})

export const leaseLost = (session: SessionId): LeaseLost =>
  new LeaseLost({ session, message: "Another process leads this Session now." })
