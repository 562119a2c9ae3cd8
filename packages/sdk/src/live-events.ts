/**
 * Live events as an AsyncIterable: what happens in this process while somebody looks.
 *
 * Lazy: it subscribes at the first `next()`. A reader that falls too far behind is cut off with
 * `LiveOverrun` after what was still queued for it: live events may be missed, and only durable
 * events tell the whole story.
 */
import type { LiveEvent, LiveHub } from "@holdfast/core/session/live"

/** Events kept for a reader that is behind (EV2). */
export const liveQueueMax = 256

export class LiveOverrun extends Error {
  readonly _tag = "LiveOverrun"
  override readonly name = "LiveOverrun"
  constructor() {
    super(
      `The reader was more than ${liveQueueMax} live events behind. Subscribe again, or read durable events.`,
    )
  }
}

export function subscribeLive(hub: LiveHub, closing: AbortSignal): AsyncIterable<LiveEvent> {
  return { [Symbol.asyncIterator]: () => makeSubscription(hub, closing) }
}

function makeSubscription(hub: LiveHub, closing: AbortSignal): AsyncIterator<LiveEvent, undefined> {
  const queue: LiveEvent[] = []
  let state: "fresh" | "open" | "overrun" | "ended" = "fresh"
  let unsubscribe = () => {}
  let wake = () => {}

  const stop = (end: "overrun" | "ended") => {
    if (state === "ended") return
    state = end
    unsubscribe()
    closing.removeEventListener("abort", onClosing)
    wake()
  }
  const onClosing = () => stop("ended")
  const start = () => {
    if (closing.aborted) return stop("ended")
    state = "open"
    closing.addEventListener("abort", onClosing)
    unsubscribe = hub.subscribe((event) => {
      if (queue.length >= liveQueueMax) return stop("overrun")
      queue.push(event)
      wake()
    })
  }

  return {
    next: async () => {
      if (state === "fresh") start()
      for (;;) {
        const event = state === "ended" ? undefined : queue.shift()
        if (event !== undefined) return { done: false, value: event }
        if (state === "overrun") {
          state = "ended"
          throw new LiveOverrun()
        }
        if (state === "ended") return { done: true, value: undefined }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    return: async () => {
      stop("ended")
      return { done: true, value: undefined }
    },
  }
}
