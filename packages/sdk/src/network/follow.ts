/**
 * Following: durable events across cuts of the connection (EV3).
 *
 * A stream that breaks is opened anew after the last sequence that was seen, so nothing is missed
 * and nothing told twice. The waits between attempts grow; a stream that brings nothing on so many
 * attempts in a row fails with the last cause. Failures of the contract end it at once.
 */
import { setTimeout as pause } from "node:timers/promises"
import { type DurableStreamEvent, isDeletion } from "@holdfast/schema/event"
import { ClientError } from "./client-error.ts"

/** Attempts in a row without an event, and the waits between them. */
export const followLimits = { attemptsMax: 10, waitMsFirst: 100, waitMsMax: 5_000 } as const

export interface FollowOptions {
  readonly after?: number
  readonly attemptsMax?: number
  /** Milliseconds before the attempt with this number, counted from 1. */
  readonly waitMs?: (attempt: number) => number
  /** Ends it, without a failure. */
  readonly signal?: AbortSignal
}

/** `open` gives one stream after a sequence; it ends or fails when the connection does. */
export function followEvents(
  open: (after: number, signal: AbortSignal) => AsyncIterable<DurableStreamEvent>,
  options: FollowOptions = {},
): AsyncIterable<DurableStreamEvent> {
  return endable((signal) => follow(open, options, signal), options.signal)
}

/** Doubles with each attempt, up to a maximum. */
export const defaultWaitMs = (attempt: number): number =>
  Math.min(followLimits.waitMsMax, followLimits.waitMsFirst * 2 ** (attempt - 1))

async function* follow(
  open: (after: number, signal: AbortSignal) => AsyncIterable<DurableStreamEvent>,
  { after = 0, attemptsMax = followLimits.attemptsMax, waitMs = defaultWaitMs }: FollowOptions,
  signal: AbortSignal,
): AsyncGenerator<DurableStreamEvent> {
  let position = after
  for (let attempt = 0; !signal.aborted;) {
    let loss: unknown = new ClientError("transport", "The stream ended. The server may be closing.")
    try {
      for await (const event of open(position, signal)) {
        if (isDeletion(event)) {
          yield event
          return
        }
        if (event.seq <= position) continue
        attempt = 0
        position = event.seq
        yield event
      }
    } catch (failure) {
      if (!isLoss(failure)) throw failure
      loss = failure
    }
    if (++attempt >= attemptsMax) throw loss
    // Stopping ends the wait, and that is no failure.
    await pause(waitMs(attempt), undefined, { signal }).catch(() => {})
  }
}

/** Whether asking again may help: the connection broke, or the store was busy or away. */
export const isLoss = (failure: unknown): boolean =>
  (failure instanceof ClientError && failure.reason === "transport") ||
  (typeof failure === "object" &&
    failure !== null &&
    "_tag" in failure &&
    failure._tag === "StoreFailure" &&
    "retryable" in failure &&
    failure.retryable === true)

/**
 * An iterable whose `return()` does not wait for the `next()` under way but ends it. What the
 * generator waits for must end with the signal.
 */
export function endable<A>(
  run: (signal: AbortSignal) => AsyncGenerator<A>,
  closing?: AbortSignal,
): AsyncIterable<A> {
  return {
    [Symbol.asyncIterator]: () => {
      const stopped = new AbortController()
      const signal = closing === undefined ? stopped.signal : AbortSignal.any([stopped.signal, closing])
      let running: AsyncGenerator<A> | undefined
      const end = { done: true, value: undefined } as const
      return {
        next: async () => {
          if (signal.aborted) return end
          running ??= run(signal)
          try {
            const next = await running.next()
            return signal.aborted ? end : next
          } catch (failure) {
            if (signal.aborted) return end
            throw failure
          }
        },
        return: async () => {
          stopped.abort()
          // Not waited for: a `next` that is under way ends by the signal, and then this does.
          running?.return(undefined).catch(() => {})
          return end
        },
      }
    },
  }
}
