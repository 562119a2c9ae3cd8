/**
 * A reader of live events that may be slower than they come (EV2).
 *
 *   fresh ──next──▶ open ──┬─ hub closes ──▶ what is queued, `disposed`, the end
 *                          ├─ too far behind ▶ what is queued, `cut-off`, the end
 *                          └─ leave ─────────▶ the end at once
 *
 * What waits for a reader is bounded in bytes, and by how long the oldest of it has waited when more
 * comes. Their number says nothing: a thousand small events may come at once, and are read at once.
 * Heartbeats are made when a reader waits, so they never queue up. There is one `next` at a time.
 */
import type { SessionId } from "@holdfast/schema/id"
import type { LiveEvent, LiveStreamEvent } from "@holdfast/schema/live"
import type { LiveHub } from "../session/live.ts"

export interface LiveLimits {
  readonly bytesMax: number
  readonly behindMsMax: number
  readonly heartbeatMs: number
}

export const liveLimits: LiveLimits = { bytesMax: 4_194_304, behindMsMax: 10_000, heartbeatMs: 15_000 }

export interface LiveReader {
  /** Null at the end. */
  readonly next: () => Promise<LiveStreamEvent | null>
  readonly leave: () => void
}

type Phase = "fresh" | "open" | "disposed" | "cut-off" | "over"

interface Queued {
  readonly event: LiveEvent
  readonly size: number
  readonly atMs: number
}

export interface LiveOptions {
  /** Only what happens in this Session; it begins with the text so far of each open part. */
  readonly session?: SessionId
  readonly limits?: LiveLimits
  /** A clock that never goes back. */
  readonly nowMs?: () => number
}

export function readLive(hub: LiveHub, closing: AbortSignal, options: LiveOptions = {}): LiveReader {
  const { session, limits = liveLimits, nowMs = () => performance.now() } = options
  const queue: Queued[] = []
  let bytes = 0
  let phase: Phase = "fresh"
  let unsubscribe = () => {}
  let wake = () => {}
  const waitingBytes = () => bytes

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
      // What was said so far is no backlog: it comes once, and is not counted.
      if (session !== undefined)
        for (const event of hub.openParts(session)) queue.push({ event, size: 0, atMs: nowMs() })
      unsubscribe = hub.subscribe((event) => {
        if (session !== undefined && !("session" in event && event.session === session)) return
        const size = sizeOf(event)
        const atMs = nowMs()
        const behindMs = atMs - (queue[0]?.atMs ?? atMs)
        if (bytes + size > limits.bytesMax || behindMs > limits.behindMsMax) return stop("cut-off")
        queue.push({ event, size, atMs })
        bytes += size
        wake()
      }, waitingBytes)
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
        const queued = phase === "over" ? undefined : queue.shift()
        if (queued !== undefined) {
          bytes -= queued.size
          return queued.event
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
  envelopeBytes + ("text" in event ? Buffer.byteLength(event.text) : "facts" in event ? listBytes(event) : 0)

const listBytes = ({ facts }: { readonly facts: readonly string[] }): number =>
  facts.reduce((sum, fact) => sum + fact.length + 3, 0)

const behind = ({ bytesMax, behindMsMax }: LiveLimits) => ({
  code: "reader_behind",
  message: `The reader was more than ${bytesMax} bytes or ${behindMsMax / 1_000} seconds behind. Subscribe again, or read durable events.`,
})
