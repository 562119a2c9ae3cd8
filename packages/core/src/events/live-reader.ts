/**
 * A reader of live events that may be slower than they come (EV2).
 *
 *   fresh ──next──▶ open ──┬─ hub closes ──▶ what is queued, `disposed`, the end
 *                          ├─ too far behind ▶ what is queued, `cut-off`, the end
 *                          └─ leave ─────────▶ the end at once
 *
 * What waits for a reader is bounded in number and in bytes. Heartbeats are made when a reader
 * waits, so they never queue up. There is one `next` at a time.
 */
import type { LiveEvent, LiveStreamEvent } from "@holdfast/schema/live"
import type { LiveHub } from "../session/live.ts"

export interface LiveLimits {
  readonly eventsMax: number
  readonly bytesMax: number
  readonly heartbeatMs: number
}

export const liveLimits: LiveLimits = { eventsMax: 256, bytesMax: 1_048_576, heartbeatMs: 15_000 }

export interface LiveReader {
  /** Null at the end. */
  readonly next: () => Promise<LiveStreamEvent | null>
  readonly leave: () => void
}

type Phase = "fresh" | "open" | "disposed" | "cut-off" | "over"

export function readLive(hub: LiveHub, closing: AbortSignal, limits: LiveLimits = liveLimits): LiveReader {
  const queue: LiveEvent[] = []
  let bytes = 0
  let phase: Phase = "fresh"
  let unsubscribe = () => {}
  let wake = () => {}

  const stop = (end: "disposed" | "cut-off" | "over") => {
    if (phase === "over") return
    phase = end
    unsubscribe()
    closing.removeEventListener("abort", dispose)
    wake()
  }
  const dispose = () => stop("disposed")
  const start = (): LiveStreamEvent => {
    phase = "open"
    if (closing.aborted) dispose()
    else {
      closing.addEventListener("abort", dispose)
      unsubscribe = hub.subscribe((event) => {
        const size = sizeOf(event)
        if (queue.length >= limits.eventsMax || bytes + size > limits.bytesMax) return stop("cut-off")
        queue.push(event)
        bytes += size
        wake()
      })
    }
    return { type: "connected" }
  }
  const finish = (): LiveStreamEvent | null => {
    const last = phase
    phase = "over"
    if (last === "disposed") return { type: "disposed" }
    return last === "cut-off" ? { type: "cut-off", reason: behind(limits) } : null
  }

  return {
    leave: () => stop("over"),
    next: async () => {
      if (phase === "fresh") return start()
      for (;;) {
        const event = phase === "over" ? undefined : queue.shift()
        if (event !== undefined) {
          bytes -= sizeOf(event)
          return event
        }
        if (phase !== "open") return finish()
        const beat = await new Promise<boolean>((resolve) => {
          // Whoever only waits for live events keeps no process alive.
          const timer = setTimeout(() => resolve(true), limits.heartbeatMs).unref()
          wake = () => {
            clearTimeout(timer)
            resolve(false)
          }
        })
        if (beat) return { type: "heartbeat" }
      }
    },
  }
}

/** Names, ids and punctuation of an event beside its text. */
const envelopeBytes = 200

const sizeOf = (event: LiveEvent): number =>
  envelopeBytes + ("text" in event ? Buffer.byteLength(event.text) : 0)

const behind = ({ eventsMax, bytesMax }: LiveLimits) => ({
  code: "reader_behind",
  message: `The reader was more than ${eventsMax} live events or ${bytesMax} bytes behind. Subscribe again, or read durable events.`,
})
