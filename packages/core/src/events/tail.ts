/**
 * Tails: durable events after a sequence, then those that are stored next, each once (EV1).
 *
 * A tail registers its wake before it reads, asks again when woken, and advances only by stored
 * sequence, so there is neither gap nor duplicate. Commits of this process wake it at once; those
 * of others on the same store are found by looking again after a while (EV5). When the Session is
 * deleted its log is gone, so the last item is made here, without a sequence (EV4).
 */
import { Deferred, Effect, Option } from "effect"
import type { InvalidId, SessionNotFound, StoreFailure } from "@holdfast/schema/error"
import {
  type DurableStreamEvent,
  isDeletion,
  publicEvent,
  type PublicEvent,
} from "@holdfast/schema/fact/public"
import { SessionId } from "@holdfast/schema/id"
import type { Store } from "@holdfast/store/port"
import { sessionNotFound } from "../session/coordinator/coordinator.ts"

/** Events read at once. */
const pageMax = 100
/** How long a commit of another process may go unseen. */
const lookAgainMs = 250

export interface EventTail {
  /** The next events, or none if none came in time; null once nothing can follow. */
  readonly next: (
    waitMs: number,
  ) => Effect.Effect<readonly DurableStreamEvent[] | null, SessionNotFound | InvalidId | StoreFailure>
}

export interface TailedRuntime {
  readonly events: (
    sessionID: string,
    after: number,
    limit: number,
    wait: boolean,
  ) => Effect.Effect<readonly PublicEvent[], SessionNotFound | InvalidId | StoreFailure>
}

/** Fails at once where there is no such Session (EV4). */
export const openTail = Effect.fnUntraced(function* (
  runtime: TailedRuntime,
  sessionID: string,
  after: number,
): Effect.fn.Return<EventTail, SessionNotFound | InvalidId | StoreFailure> {
  let position = after
  let ended = false
  let ready = yield* runtime.events(sessionID, after, pageMax, false)

  const read = Effect.fnUntraced(function* (waitMs: number) {
    for (let leftMs = waitMs; leftMs > 0; leftMs -= lookAgainMs) {
      const waited = runtime.events(sessionID, position, pageMax, true)
      const found = yield* Effect.timeoutOption(waited, Math.min(lookAgainMs, leftMs))
      if (Option.isSome(found)) return found.value
    }
    return []
  })
  const tellDeletion = Effect.sync((): readonly DurableStreamEvent[] => {
    ended = true
    return [{ session: SessionId.make(sessionID), fact: { type: "session.deleted" } }]
  })
  return {
    next: Effect.fnUntraced(function* (waitMs) {
      if (ended) return null
      const found: readonly DurableStreamEvent[] =
        ready.length > 0 ? ready : yield* Effect.catchTag(read(waitMs), "SessionNotFound", () => tellDeletion)
      ready = []
      const last = found.at(-1)
      if (last !== undefined && !isDeletion(last)) position = last.seq
      return found
    }),
  }
})

/** Durable events above `after`, as they are told outside; with `wait` it waits for the first. Damaged ones are left out (ST3). */
export const readEvents = Effect.fnUntraced(function* (
  store: Pick<Store, "events" | "session" | "onCommitted">,
  id: SessionId,
  after: number,
  limit: number,
  wait: boolean,
): Effect.fn.Return<readonly PublicEvent[], SessionNotFound | StoreFailure> {
  for (let position = after; ;) {
    const woken = yield* Deferred.make<void>()
    const stop = store.onCommitted((session) => {
      if (session === id) Deferred.doneUnsafe(woken, Effect.void)
    })
    const found = yield* Effect.onError(look(store, id, position, limit), () => Effect.sync(stop))
    if (found.events.length > 0) {
      stop()
      return found.events.map(publicEvent)
    }
    const lastDamaged = found.damage.at(-1)?.seq
    if (lastDamaged !== undefined) {
      stop()
      position = lastDamaged
      continue
    }
    if (!wait) {
      stop()
      return []
    }
    yield* Effect.ensuring(Deferred.await(woken), Effect.sync(stop))
  }
})

const look = Effect.fnUntraced(function* (
  store: Pick<Store, "events" | "session">,
  id: SessionId,
  after: number,
  limit: number,
) {
  const found = yield* store.events(id, after, limit)
  const nothing = found.events.length === 0 && found.damage.length === 0
  if (nothing && (yield* store.session(id)) === null) return yield* sessionNotFound(id)
  return found
})
