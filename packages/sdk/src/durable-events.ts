/**
 * Durable events as an AsyncIterable: what is stored after a sequence, then what is stored next.
 *
 * Lazy: nothing is read before the first `next()`. It advances by stored sequence only, so there
 * is neither gap nor duplicate (EV1). Commits of this process wake it at once; those of others on
 * the same store are found by looking again after a while. A generator would not do: its `return()`
 * waits for the `next()` under way, which may be waiting for an event that never comes.
 */
import { Effect, Option } from "effect"
import type { Host } from "@holdfast/core/host/index"
import type { Event } from "@holdfast/schema/event"

const pageMax = 500
const lookAgainMs = 500

export function tailEvents(
  host: Pick<Host, "events">,
  sessionID: string,
  after: number,
  closing: AbortSignal,
): AsyncIterable<Event> {
  return { [Symbol.asyncIterator]: () => makeTail(host, sessionID, after, closing) }
}

function makeTail(
  host: Pick<Host, "events">,
  sessionID: string,
  after: number,
  closing: AbortSignal,
): AsyncIterator<Event, undefined> {
  const stopped = new AbortController()
  const signal = AbortSignal.any([stopped.signal, closing])
  let position = after
  let page: readonly Event[] = []

  const readPage = Effect.gen(function* () {
    for (;;) {
      const waited = host.events(sessionID, position, pageMax, true)
      const found = yield* Effect.timeoutOption(waited, lookAgainMs)
      if (Option.isSome(found)) return found.value
    }
  })

  return {
    next: async () => {
      if (page.length === 0 && !signal.aborted) {
        page = await Effect.runPromise(readPage, { signal }).catch((failure: unknown) => {
          // Stopping interrupts the reading, and that is no failure.
          if (signal.aborted) return []
          stopped.abort()
          throw failure
        })
      }
      const [event, ...rest] = signal.aborted ? [] : page
      if (event === undefined) return { done: true, value: undefined }
      page = rest
      position = event.seq
      return { done: false, value: event }
    },
    return: async () => {
      stopped.abort()
      return { done: true, value: undefined }
    },
  }
}
