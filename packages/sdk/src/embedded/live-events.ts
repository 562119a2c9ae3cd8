/**
 * Live events as an AsyncIterable: what happens in this process while somebody looks.
 *
 * Lazy: it subscribes at the first `next()`. A reader that falls too far behind gets what was still
 * queued for it, then `LiveOverrun`: live events may be missed.
 */
import type { LiveHub } from "@holdfast/core/session/live"
import { type LiveLimits, liveLimits, readLive } from "@holdfast/core/events/live-reader"
import type { LifecycleEvent, LiveEvent } from "@holdfast/schema/live"
import { LiveOverrun } from "../live-overrun.ts"

export function subscribeLive(
  hub: LiveHub,
  closing: AbortSignal,
  limits: LiveLimits = liveLimits,
): AsyncIterable<LiveEvent | LifecycleEvent> {
  return {
    [Symbol.asyncIterator]: () => {
      const reader = readLive(hub, closing, limits)
      return {
        next: async () => {
          const event = await reader.next()
          if (event === null) return { done: true, value: undefined }
          if (event.type === "cut-off") throw new LiveOverrun(event.reason.message)
          return { done: false, value: event }
        },
        return: async () => {
          reader.leave()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
