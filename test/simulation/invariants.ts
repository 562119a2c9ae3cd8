/** What must hold when a seed has come to rest. Each problem cites the rule it breaks. */
import { Effect } from "effect"
import type { Event, FactOf, FactType } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Store } from "@holdfast/store/port"
import { verifyTurns } from "@holdfast/core/session/request/rebuild"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import type { ClientRecord, PromptPromise } from "./clients.ts"
import { checkPictures } from "./pictures.ts"
import { checkPlaces } from "./recall/places.ts"
import type { SentRequest } from "./requests.ts"
import { untagged } from "./script.ts"

export interface Outside {
  readonly clients: ClientRecord
  /** Real executions by call id. */
  readonly executions: ReadonlyMap<string, number>
}

export const checkSession = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  tag: string,
  outside: Outside,
) {
  const { events, damage } = yield* store.events(session, 0, 100_000)
  const window = yield* store.window(session)
  const lease = yield* store.lease(session)
  const verified = yield* verifyTurns(store, session)
  if (window === null) return [`${tag} [PR1] the Session is gone`]
  const state = events.reduce(advance, emptyState)
  const problems = [
    ...checkLog(events),
    ...checkPrompts(
      events,
      state,
      [...outside.clients.promises.values()].filter((promise) => promise.tag === tag),
    ),
    ...checkCalls(events, outside.executions),
    ...checkContext(state, window.state),
    ...checkLedger(events),
    ...checkPlaces(events, state),
    ...(yield* checkPictures(store, session)),
  ]
  if (damage.length > 0) problems.push(`[ST3] damaged rows: ${JSON.stringify(damage)}`)
  if (lease !== null) problems.push("[DR1] the lease is still held")
  if (window.state.summary.openTurn !== null) problems.push("[DR4] a turn is still open")
  // A notice that wakes nobody goes with the next prompt, whenever that comes.
  const { owing, pending, quiet } = window.state.summary
  if (owing || pending > quiet) problems.push("[PR8] the Session is still owing")
  if (window.scratch.length > 0) problems.push("[TU3] scratch is left behind")
  for (const { turn, verdict } of verified) {
    if (verdict.kind !== "same") problems.push(`[TU1] ${turn} rebuilds as ${JSON.stringify(verdict)}`)
  }
  return problems.map((problem) => `${tag} ${problem}`)
})

const factsOf = <T extends FactType>(events: readonly Event[], type: T) =>
  events.flatMap((event) =>
    event.fact.type === type ? [{ seq: event.seq, fact: event.fact as FactOf<T> }] : [],
  )

/** The sequence has no gap, and one drain at a time writes turns. */
function checkLog(events: readonly Event[]): readonly string[] {
  const jump = events.find((event, at) => event.seq !== at + 1)
  const problems = jump === undefined ? [] : [`[PR6] the log jumps at ${jump.seq}`]
  let open: string | null = null
  for (const { seq, fact } of events) {
    if (fact.type === "turn.started") {
      if (open !== null) problems.push(`[DR1] ${fact.turn} starts at ${seq} while ${open} is open`)
      open = fact.turn
    }
    if (fact.type === "turn.settled") open = null
  }
  return problems
}

function checkPrompts(
  events: readonly Event[],
  state: SessionState,
  promises: readonly PromptPromise[],
): readonly string[] {
  const problems: string[] = []
  const promoted = factsOf(events, "prompt.promoted")
  const admitted = new Map(
    factsOf(events, "prompt.admitted").map(({ seq, fact }) => [fact.prompt as string, { seq, fact }]),
  )
  for (const promise of promises) {
    const count = promoted.filter(({ fact }) => fact.prompt === promise.id).length
    if (!admitted.has(promise.id)) problems.push(`[PR1] ${promise.id} was acknowledged and is lost`)
    if (count > 1) problems.push(`[PR4] ${promise.id} was promoted ${count} times`)
    if (promise.cancel === "yes" && count > 0) problems.push(`[PR3] ${promise.id} was cancelled and promoted`)
    if (promise.cancel === "no" && count === 0) problems.push(`[PR3] ${promise.id} was never promoted`)
    const message = state.messages.find((item) => item.kind === "user" && item.prompt === promise.id)
    if (message?.kind === "user" && !promise.texts.includes(message.text)) {
      problems.push(`[PR7] ${promise.id} says ${message.text.slice(0, 40)}`)
    }
  }
  for (const delivery of ["steer", "queue"] as const) {
    const order = promoted
      .map(({ fact }) => admitted.get(fact.prompt))
      .filter((item) => item?.fact.delivery === delivery)
      .map((item) => item?.seq ?? 0)
    if (order.some((seq, at) => at > 0 && seq < (order[at - 1] ?? 0))) {
      problems.push(`[PR6] ${delivery} input was promoted out of admission order`)
    }
  }
  return problems
}

function checkCalls(events: readonly Event[], executions: ReadonlyMap<string, number>): readonly string[] {
  const problems: string[] = []
  const started = factsOf(events, "call.started").map(({ fact }) => fact.call as string)
  const settled = factsOf(events, "call.settled").map(({ fact }) => fact.call as string)
  const recorded = factsOf(events, "part.recorded").flatMap(({ fact }) =>
    fact.part.type === "call" ? [fact.part.call as string] : [],
  )
  for (const call of recorded) {
    const runs = executions.get(call) ?? 0
    if (runs > 1) problems.push(`[DR4] ${call} really ran ${runs} times`)
    if (started.filter((item) => item === call).length > 1) problems.push(`[DR4] ${call} was started twice`)
    if (settled.filter((item) => item === call).length !== 1)
      problems.push(`[TU2] ${call} has not one settlement`)
  }
  return problems
}

/** Whatever really ran is on record, in one of the Sessions. */
export function checkExecutions(
  executions: ReadonlyMap<string, number>,
  started: ReadonlySet<string>,
): readonly string[] {
  return [...executions.keys()].flatMap((call) =>
    started.has(call) ? [] : [`[TU2] ${call} ran without a record of its start`],
  )
}

function checkContext(folded: SessionState, loaded: SessionState): readonly string[] {
  const problems: string[] = []
  if (JSON.stringify(folded.epoch) !== JSON.stringify(loaded.epoch)) {
    problems.push(
      `[EP5] snapshot and Epoch differ from the log: ${JSON.stringify(folded.epoch)} ${JSON.stringify(loaded.epoch)}`,
    )
  }
  const byId = new Map(folded.messages.map((message) => [message.id, message]))
  for (const message of loaded.messages) {
    if (JSON.stringify(byId.get(message.id)) !== JSON.stringify(message)) {
      problems.push(`[EP5] message ${message.id} differs from the log`)
    }
  }
  return problems
}

function checkLedger(events: readonly Event[]): readonly string[] {
  return factsOf(events, "turn.started").flatMap(({ fact }) =>
    ["unexplained", "previous_unknown"].includes(fact.break?.reason ?? "")
      ? [`[TU7] ${fact.turn} breaks the prefix without a reason: ${JSON.stringify(fact.break)}`]
      : [],
  )
}

/** Requests in the order they were sent, as flat lists of blocks without cache markers. */
export function checkRequests(
  requests: readonly SentRequest[],
  breaks: ReadonlyMap<string, number>,
): readonly string[] {
  const problems: string[] = []
  const last = new Map<string, { blocks: readonly string[]; body: string }>()
  const broken = new Map<string, number>()
  for (const request of requests) {
    if (request.tag === untagged) continue
    const previous = last.get(request.tag)
    last.set(request.tag, request)
    if (previous === undefined || previous.body === request.body) continue
    const extended = previous.blocks.every((block, at) => block === request.blocks[at])
    if (!extended) broken.set(request.tag, (broken.get(request.tag) ?? 0) + 1)
  }
  for (const [tag, count] of broken) {
    const named = breaks.get(tag) ?? 0
    if (count > named)
      problems.push(`${tag} [TU7] ${count} requests do not extend the one before; the ledger names ${named}`)
  }
  return problems
}
