/**
 * Durable events as an AsyncIterable: what is stored after a sequence, then what is stored next.
 *
 * Lazy: nothing is read before the first `next()`. A generator would not do: its `return()` waits
 * for the `next()` under way, which may be waiting for an event that never comes.
 */
import { Effect } from "effect"
import { type EventTail, openTail, type TailedRuntime } from "@holdfast/core/events/tail"
import type { DurableStreamEvent } from "@holdfast/schema/event"

/** How long one wait for events lasts before it is begun anew. */
const waitMs = 60_000

export function tailEvents(
  runtime: TailedRuntime,
  sessionID: string,
  after: number,
  closing: AbortSignal,
): AsyncIterable<DurableStreamEvent> {
  return { [Symbol.asyncIterator]: () => makeIterator(runtime, sessionID, after, closing) }
}

function makeIterator(
  runtime: TailedRuntime,
  sessionID: string,
  after: number,
  closing: AbortSignal,
): AsyncIterator<DurableStreamEvent, undefined> {
  const stopped = new AbortController()
  const signal = AbortSignal.any([stopped.signal, closing])
  let tail: EventTail | undefined
  let page: readonly DurableStreamEvent[] = []

  const readPage = Effect.gen(function* () {
    tail ??= yield* openTail(runtime, sessionID, after)
    for (;;) {
      const found = yield* tail.next(waitMs)
      if (found === null || found.length > 0) return found ?? []
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
      return { done: false, value: event }
    },
    return: async () => {
      stopped.abort()
      return { done: true, value: undefined }
    },
  }
}
