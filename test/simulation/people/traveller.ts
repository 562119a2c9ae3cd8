/**
 * A traveller: moves Sessions to other places and forks them, at any moment and without a lease. A
 * turn must begin with the Baseline of the place where its Session is; a fork must hold what its
 * source had settled, and do nothing by itself.
 */
import { Effect } from "effect"
import { verifyTurns } from "@holdfast/core/session/request/rebuild"
import type { Event } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import { openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import type { World } from "../../stage/scheduler.ts"
import { type ClientContext, home } from "../clients.ts"

export interface Travel {
  readonly afterMs: number
  /** Which of the Sessions, by its place in the plan. */
  readonly session: number
  readonly act: "move" | "fork"
  /** Where to: one of a few places; or which message a fork ends with, of those that are there. */
  readonly pick: number
}

const travelsMax = 4
const picksMax = 1_000
const places = [home, "/sim/attic", "/sim/cellar"]

/** A third of the seeds have one. */
export function drawTravels(world: World, sessions: number): readonly Travel[] {
  if (world.chance(0.67)) return []
  return Array.from({ length: 1 + world.below(travelsMax) }, () => ({
    afterMs: world.chance(0.5) ? world.below(60) : world.below(6_000),
    session: world.below(sessions),
    act: world.chance(0.6) ? "move" : "fork",
    pick: world.below(picksMax),
  }))
}

/** What a source says of the place it is asked in; nothing where every Session begins. */
export const placeText = (directory: string): string => (directory === home ? "" : ` Here is ${directory}.`)

const retriesMax = 60
const retryMs = 200

export function makeTraveller({ machine, record, note }: ClientContext, travels: readonly Travel[]) {
  const arrived = new Map<string, string>()
  const forks = new Set<string>()

  /** Until it is acknowledged: each of these is safe to repeat. Null where it is refused. */
  const insist = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }>(
    call: Parameters<typeof machine.call<A, E>>[0],
    refusals: readonly string[],
  ) {
    for (let attempt = 0; attempt < retriesMax; attempt++) {
      const end = yield* machine.call(call)
      if (end.kind === "ok") return end.value
      if (end.kind === "failed" && refusals.includes(end.error._tag)) return null
      if (end.kind === "failed" && end.error._tag !== "StoreFailure")
        record.problems.push(`[SS1] a travel failed: ${String(end.error)}`)
      yield* Effect.sleep(retryMs)
    }
    return null
  })

  const move = Effect.fnUntraced(function* (session: string, pick: number) {
    const directory = places[pick % places.length] ?? home
    if ((yield* insist((runtime) => runtime.move(session, directory), [])) !== null)
      arrived.set(session, directory)
  })

  const fork = Effect.fnUntraced(function* (sessionID: string, pick: number, at: number) {
    const page = { afterSeq: 0, limit: 1_000, system: true }
    const messages = (yield* insist((runtime) => runtime.messages(sessionID, page), [])) ?? []
    // One more than there are: the last is no message, and the fork takes what is settled.
    const message = messages[pick % (messages.length + 1)]
    const input = { sessionID, id: `ses_fork${at}`, ...(message && { messageID: message.id }) }
    const made = yield* insist((runtime) => runtime.fork(input), ["MessageUnsettled"])
    if (made === null) return
    forks.add(made.id)
    const again = yield* insist((runtime) => runtime.fork(input), [])
    if (again !== null && JSON.stringify(again.origin) !== JSON.stringify(made.origin))
      record.problems.push(`[SS1] ${made.id} was forked twice`)
  })

  return {
    run: Effect.forEach(
      travels,
      Effect.fnUntraced(function* ({ afterMs, session: which, act, pick }, at) {
        yield* Effect.sleep(afterMs)
        const session = [...record.sessions.values()][which]
        if (session === undefined) return
        note(`traveller ${act}`)
        yield* act === "move" ? move(session, pick) : fork(session, pick, at)
      }),
      { discard: true },
    ),
    judge: Effect.fnUntraced(function* (file: string) {
      const store = yield* Effect.orDie(openInlineStore({ file }))
      const problems: string[] = []
      for (const [tag, session] of record.sessions) {
        const { events } = yield* Effect.orDie(store.events(session as SessionId, 0, eventsMax))
        problems.push(...judgePlaces(events).map((problem) => `${tag} ${problem}`))
        const wanted = arrived.get(session) ?? home
        const { directory } = events.reduce(advance, emptyState).summary.location
        if (directory !== wanted)
          problems.push(`${tag} [SS1] it is in ${directory} and was moved to ${wanted}`)
      }
      for (const id of forks) problems.push(...(yield* Effect.orDie(judgeFork(store, id as SessionId))))
      yield* Effect.orDie(store.close())
      return problems
    }),
  }
}

const eventsMax = 100_000

/** EP9, EP16: what a turn begins with is said of the place where it begins. */
function judgePlaces(events: readonly Event[]): readonly string[] {
  const problems: string[] = []
  let state = emptyState
  for (const event of events) {
    if (event.fact.type === "turn.started" && !isOfPlace(state))
      problems.push(
        `[EP9] ${event.fact.turn} starts in ${state.summary.location.directory} with words of another place`,
      )
    state = advance(state, event)
  }
  return problems
}

function isOfPlace({ epoch, messages, summary }: SessionState): boolean {
  const said = messages.flatMap((message) =>
    message.kind === "system" && message.seq > summary.epochSeq ? [message.text] : [],
  )
  const place = placeText(summary.location.directory)
  return [epoch?.baseline ?? "", ...said]
    .flatMap((text) => [...text.matchAll(/The value is.*/g)])
    .every(([line]) => (place === "" ? !line.includes(" Here is ") : line.endsWith(place)))
}

const judgeFork = Effect.fnUntraced(function* (store: Store, id: SessionId) {
  const row = yield* store.session(id)
  const origin = row?.origin ?? null
  if (row === null || origin === null) return [`[SS1] the fork ${id} is gone`]
  const { events, damage } = yield* store.events(id, 0, eventsMax)
  const source = yield* store.events(origin.source as SessionId, 0, origin.seq)
  const problems: string[] = damage.map(({ problem }) => `[ST3] ${id}: ${problem}`)
  const [theirs, ours] = [source.events, events.slice(0, origin.seq)].map((log) =>
    shown(log.reduce(advance, emptyState)),
  )
  if (theirs !== ours) problems.push(`[SS1] ${id} says something else than its source`)
  if (row.pending > 0 || row.asks > 0 || row.openTurn !== null)
    problems.push(`[SS1] ${id} waits for what its source waits for`)
  if (events.slice(origin.seq).some(({ fact }) => fact.type === "turn.started"))
    problems.push(`[SS1] ${id} began by itself`)
  for (const { turn, verdict } of yield* verifyTurns(store, id))
    if (verdict.kind !== "same") problems.push(`[TU1] ${turn} of ${id} rebuilds as ${verdict.kind}`)
  return problems
})

/** What a request is made from; prompts have other ids in a fork. */
const shown = ({ epoch, frozen, messages }: SessionState): string =>
  JSON.stringify([epoch, frozen.ops, frozen.slots, messages.map((message) => ({ ...message, prompt: null }))])
