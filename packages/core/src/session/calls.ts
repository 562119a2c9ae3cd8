/**
 * Calls: the tools that one answer asks for, from their record to their settlement (TU2).
 *
 *   new ──its part is on record──▶ waiting ──the calls before it allow──▶ running ──▶ settled
 *    └──somebody has to answer──▶ asking ──allowed──▶ waiting          └──the rules refuse──▶ settled
 *
 * One that writes waits for all earlier calls, one that only reads for earlier ones that write. A start is
 * on record before the tool runs, in the commit that makes it possible: that of its own part, or that of
 * the settlement it waited for. Such a commit does not pass an interrupt (DR3): what is left waiting then
 * settles with the turn, without having run. The rules are asked twice where a call waits: when its part
 * is recorded, so that all asks of an answer are raised together (PE3), and right before it starts (PE5).
 */
import { Effect, Fiber, Scope } from "effect"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { CallRequest } from "@holdfast/schema/message"
import { outcomeTokens } from "@holdfast/llm/size"
import { turnMessage } from "@holdfast/schema/state/state"
import type { Reason } from "@holdfast/schema/turn"
import type { BlobWrite } from "@holdfast/store/port"
import { findImage } from "../media/find.ts"
import { changesNothing, type Settlement, type ToolRegistry } from "../tools/index.ts"
import type { OpenedTurn } from "./boundary.ts"
import type { Resource } from "../permission/verdict.ts"
import { type Ruling, ruleOn } from "./asking/ruling.ts"
import { append, type Lead, permittedTo } from "./lead.ts"
import type { Authorise, Sample } from "./ports.ts"
import { sessionFiles } from "./effects/session-files.ts"
import { sessionHistory } from "./effects/session-history.ts"
import { sessionMemory } from "./effects/session-memory.ts"
import { remind } from "./hint/reminder.ts"
import { neverStarted, outcomeOf, settledFact } from "./settlement.ts"

export interface Call {
  readonly request: CallRequest
  readonly readOnly: boolean
  state: "new" | "waiting" | "asking" | "running" | "settled"
  /** What a person allowed it to touch (PE5). */
  granted: readonly Resource[]
  /** Paths that it was judged by and may open (PE2); undefined where nobody judges. */
  paths: readonly string[] | undefined
  run: {
    readonly interrupt: Effect.Effect<Settlement>
    readonly settled: Fiber.Fiber<void, StoreFailure | LeaseLost>
  } | null
}

/** The calls of one answer. Mutable, owned by the turn. */
export interface Calls {
  readonly lead: Lead
  /** What a request may hold is known for the turn that goes on, not for one that another left. */
  readonly opened: Pick<OpenedTurn, "turn" | "message"> & Partial<Pick<OpenedTurn, "inputTokensMax">>
  readonly scope: Scope.Scope
  readonly authorise: Authorise | undefined
  readonly mayTouch: Sample["mayTouch"] | undefined
  readonly executeShare: Sample["executeShare"] | undefined
  /** Of the turn that asked for them (DR2). */
  readonly agent: string
  /** As they were when the turn began (DR2). */
  readonly tools: ToolRegistry
  /** In the order of the answer. */
  line: Call[]
  /** No further call will be asked for. */
  complete: boolean
  /** The settlement of the last call, when only it was waited for: it goes into the commit that settles the turn. */
  lastSettlement: readonly Fact[]
  /** Why the turn fails: a call would have had to be asked for (PE4). */
  fails: Reason | null
}

export const makeCalls = (
  lead: Lead,
  opened: Calls["opened"],
  scope: Scope.Scope,
  by: Pick<Calls, "tools" | "authorise" | "mayTouch" | "executeShare" | "agent">,
): Calls => ({ lead, opened, scope, ...by, line: [], complete: false, lastSettlement: [], fails: null })

/** Calls that nothing before them holds back. */
export function startable<C extends Pick<Call, "readOnly" | "state">>(
  line: readonly C[],
  from: Call["state"] = "waiting",
): readonly C[] {
  let unsettled = false
  let writing = false
  return line.filter((call) => {
    const free = call.state === from && !(call.readOnly ? writing : unsettled)
    unsettled ||= call.state !== "settled"
    writing ||= call.state !== "settled" && !call.readOnly
    return free
  })
}

/** Takes in a complete call whose part is about to be recorded. */
export function addCall(calls: Calls, request: CallRequest): void {
  const readOnly = changesNothing(calls.tools.get(request.name))
  calls.line.push({ request, readOnly, state: "new", granted: [], paths: undefined, run: null })
}

/** Records parts of the answer, with the starts of their calls where nothing holds them back. False if an interrupt came first. */
export const recordParts = Effect.fnUntraced(function* (calls: Calls, parts: readonly Fact[]) {
  const fresh = calls.line.filter(({ state }) => state === "new")
  const rulings = yield* rule(calls, fresh)
  const first = startable(calls.line, "new")
  const clearsScratch = parts.flatMap((fact) => (fact.type === "part.recorded" ? [fact.index] : []))
  const facts = [...parts, ...factsOf(rulings), ...startsOf(calls, first)]
  const end = yield* append(calls.lead, facts, { clearsScratch })
  if (end.kind !== "appended") {
    for (const call of fresh) call.state = "new"
    return false
  }
  heedFailures(calls, rulings)
  for (const call of fresh)
    if (call.state === "new") call.state = first.includes(call) ? "running" : "waiting"
  for (const call of first) yield* start(calls, call)
  // What it waited for may have settled while its part was on its way.
  yield* startMore(calls, claim(calls), null)
  return true
})

/** Every started call has its settlement on record. One that waits is started by those before it. */
export const awaitCalls = Effect.fnUntraced(function* ({ line }: Calls) {
  for (const call of line) if (call.run !== null) yield* Fiber.join(call.run.settled)
})

/** Ends running calls; each settles as interrupted, with what it had put out (DR3). */
export const interruptCalls = (calls: Calls): Effect.Effect<void, StoreFailure | LeaseLost> =>
  Effect.forEach(calls.line, ({ run }) => run?.interrupt ?? Effect.void, {
    discard: true,
    concurrency: "unbounded",
  }).pipe(Effect.andThen(awaitCalls(calls)))

/** Asks the rules; a call that does not come free by it changes its state at once. */
const rule = Effect.fnUntraced(function* (
  calls: Calls,
  some: readonly Call[],
): Effect.fn.Return<readonly Ruling[]> {
  const rulings = yield* Effect.forEach(some, ({ request, granted }) => ruleOn(calls, request, granted))
  some.forEach((call, at) => {
    const ruling = rulings[at]
    if (ruling?.kind === "free") call.paths = ruling.paths
    else if (ruling !== undefined) call.state = ruling.kind
  })
  return rulings
})

const factsOf = (rulings: readonly Ruling[]): readonly Fact[] => rulings.flatMap(({ facts }) => facts)

function heedFailures(calls: Calls, rulings: readonly Ruling[]): void {
  for (const ruling of rulings) if (ruling.kind === "settled") calls.fails ??= ruling.fails
}

/** Whether calls are left that an interrupt kept from starting. */
export const isHeldBack = ({ line }: Calls): boolean =>
  line.some(({ state }) => state === "new") || startable(line).length > 0

/** Whether a call waits for somebody's answer (PE3). */
export const isAsking = ({ line }: Calls): boolean => line.some(({ state }) => state === "asking")

/** Settlements that the commit which settles the turn takes along; what waits for an answer, or behind one, stays open. */
export const unrecordedSettlements = (calls: Calls): readonly Fact[] => [
  ...calls.lastSettlement,
  ...(isAsking(calls) ? [] : unstarted(calls).map((call) => settlementOf(calls, call, neverStarted))),
]

const unstarted = ({ line }: Calls): readonly Call[] =>
  line.filter(({ state }) => state === "new" || state === "waiting")

/** After an interrupt nothing is asked any more: what its commit did not settle is settled as never started (PE6). */
export function endAsking(calls: Calls): void {
  for (const call of calls.line)
    if (call.state === "asking") call.state = isSettled(calls, call) ? "settled" : "waiting"
}

/** Whether somebody else settled it: whoever withdraws an ask settles its call, too. */
export const isSettled = ({ lead, opened }: Calls, { request }: Call): boolean =>
  turnMessage(lead.loaded.state, opened.message)?.parts.some(
    ({ part }) => part.type === "call" && part.call === request.call && part.outcome !== null,
  ) === true

/** Runs a call whose start is on record. With the fence up it is settled without having run. */
const start = Effect.fnUntraced(function* (
  calls: Calls,
  call: Call,
): Effect.fn.Return<void, StoreFailure | LeaseLost> {
  const { lead, scope } = calls
  if (lead.fence.raised !== null) {
    if (lead.fence.raised === "interrupted") yield* settle(calls, call, neverStarted)
    return
  }
  const { call: callId, name, input } = call.request
  const running = yield* calls.tools
    .start(
      { callId, name, input },
      {
        ...lead.loaded.state.summary.location,
        ...(call.paths && { judged: call.paths }),
        image: (handle) =>
          Effect.orElseSucceed(findImage(lead.ports.store, lead.session, handle), () => null),
        ...calls.mayTouch?.(permittedTo(lead)),
        masks: lead.ports.masks,
        files: sessionFiles(lead, { turn: calls.opened.turn, message: calls.opened.message, call: callId }),
        todos: () => lead.loaded.state.items.todos.list,
        history: sessionHistory(lead, calls.executeShare),
        memory: sessionMemory(lead, calls.opened.message),
        commands: lead.ports.commands?.of(lead, callId),
        outputs: lead.ports.outputs?.of(lead.session),
        onOutput: (text) =>
          lead.ports.live.publish({ session: lead.session, type: "output-delta", call: callId, text }),
      },
    )
    .pipe(Effect.provideService(Scope.Scope, scope))
  const settled = yield* running.await.pipe(
    Effect.flatMap((settlement) => settleRun(calls, call, settlement)),
    Effect.forkIn(scope),
  )
  call.run = { interrupt: running.interrupt, settled }
  // Whoever interrupts looks for running calls once, and may have looked before this one was there.
  if (isFenced(lead)) yield* running.interrupt
})

const isFenced = ({ fence }: Lead): boolean => fence.raised !== null

const settleRun = (calls: Calls, call: Call, settlement: Settlement) =>
  Effect.suspend(() => {
    call.state = "settled"
    const last = calls.complete && calls.line.every(({ state }) => state === "settled")
    if (!last || blobsOf(settlement).length > 0) return startMore(calls, claim(calls), { call, settlement })
    return Effect.map(remindedOf(calls, call, settlement), (fact) => {
      calls.lastSettlement = [fact]
    })
  })

/** Starts what nothing holds back any more. */
export const startFreed = (calls: Calls): Effect.Effect<void, StoreFailure | LeaseLost> =>
  Effect.suspend(() => startMore(calls, claim(calls), null))

/** What may start now is taken at once, so that nobody else starts it. */
function claim({ lead, line }: Calls): readonly Call[] {
  const free = isFenced(lead) ? [] : startable(line)
  for (const call of free) call.state = "running"
  return free
}

/** Records the starts of these calls, with the settlement that made way for them, and starts them. */
const startMore = Effect.fnUntraced(function* (
  calls: Calls,
  claimed: readonly Call[],
  settled: { readonly call: Call; readonly settlement: Settlement } | null,
): Effect.fn.Return<void, StoreFailure | LeaseLost> {
  if (claimed.length > 0) {
    const facts = settled === null ? [] : [yield* remindedOf(calls, settled.call, settled.settlement)]
    const blobs = settled === null ? [] : blobsOf(settled.settlement)
    const rulings = yield* rule(calls, claimed)
    const free = claimed.filter(({ state }) => state === "running")
    const end = yield* append(calls.lead, [...facts, ...factsOf(rulings), ...startsOf(calls, free)], {
      blobs,
    })
    if (end.kind === "appended") {
      heedFailures(calls, rulings)
      yield* Effect.forEach(free, (call) => start(calls, call), discard)
      // One that the rules settle holds nobody back.
      return free.length < claimed.length ? yield* startFreed(calls) : undefined
    }
    for (const call of claimed) call.state = "waiting"
  }
  if (settled !== null) yield* settle(calls, settled.call, settled.settlement)
})

const discard = { discard: true } as const

const settle = Effect.fnUntraced(function* (calls: Calls, call: Call, settlement: Settlement) {
  call.state = "settled"
  const facts = [yield* remindedOf(calls, call, settlement)]
  yield* append(calls.lead, facts, { settling: true, blobs: blobsOf(settlement) })
})

const startsOf = ({ opened: { turn, message } }: Calls, started: readonly Call[]): readonly Fact[] =>
  started.map(({ request: { call } }) => ({ type: "call.started", turn, message, call }))

/** With what the model is reminded of behind it (ND1). */
const remindedOf = (calls: Calls, call: Call, settlement: Settlement): Effect.Effect<Fact> =>
  Effect.map(remind(calls, outcomeTokens(outcomeOf(settlement))), (added) =>
    settlementOf(calls, call, settlement, added),
  )

const settlementOf = (
  { opened: { turn, message } }: Calls,
  { request }: Call,
  settlement: Settlement,
  added: FactOf<"call.settled">["added"] = [],
): Fact =>
  settledFact(
    { turn, message, call: request.call },
    outcomeOf(settlement),
    settlement.files,
    settlement.todos,
    added,
  )

const blobsOf = ({ images = [], files }: Settlement): readonly BlobWrite[] => [
  ...images.map(({ media, bytes }) => ({ hash: media.hash, bytes })),
  ...(files?.blobs ?? []),
]
