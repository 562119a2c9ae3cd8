/**
 * Event streams as server-sent events (EV1, EV2).
 *
 * A frame is made when the socket asks for one, so a slow reader holds back its own reading of the
 * log, or meets the bounds of its live queue; nothing else waits for it. Heartbeats keep a quiet
 * stream from looking dead: comments among durable events, events of their own among live ones.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { type LiveHub } from "@holdfast/core/session/live"
import { liveLimits, readLive } from "@holdfast/core/events/live-reader"
import type { EventTail } from "@holdfast/core/events/tail"
import type { Attachment } from "@holdfast/core/pty/attachment"
import { type DurableStreamEvent, isDeletion } from "@holdfast/schema/event"
import type { LiveStreamEvent } from "@holdfast/schema/live"
import type { PtyItem } from "@holdfast/schema/pty/item"

/** Between two signs of life of a durable stream on which nothing happens. */
export const heartbeatMs = 15_000

/** Events written at once; one event alone may be larger. */
const chunkLengthMax = 65_536

/** What a tail tells, from its opening on. It ends with the Session, or when the server closes. */
export function durableStream(tail: EventTail, closing: AbortSignal): HttpServerResponse.HttpServerResponse {
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, closing])
  let waiting: readonly DurableStreamEvent[] = []
  let opened = false
  const next = async (): Promise<string | null> => {
    if (!opened) {
      // Bytes at once, so that the caller knows that it is heard.
      opened = true
      return ": open\n\n"
    }
    if (waiting.length === 0 && !signal.aborted) {
      const found = await Effect.runPromise(tail.next(heartbeatMs), { signal }).catch((failure: unknown) => {
        // Leaving interrupts the reading, and that is no failure.
        if (signal.aborted) return null
        throw failure
      })
      if (found === null) return null
      if (found.length === 0) return ": heartbeat\n\n"
      waiting = found
    }
    if (signal.aborted) return null
    let text = ""
    let taken = 0
    while (taken < waiting.length && text.length < chunkLengthMax)
      text += durableFrame(waiting[taken++] as DurableStreamEvent)
    waiting = waiting.slice(taken)
    return text
  }
  return respond(next, () => left.abort())
}

/** Everything that happens in this instance, until the reader leaves or cannot follow. */
export function liveStream(
  hub: LiveHub,
  closing: AbortSignal,
  limits = liveLimits,
): HttpServerResponse.HttpServerResponse {
  const reader = readLive(hub, closing, limits)
  const next = async (): Promise<string | null> => {
    const event = await reader.next()
    return event === null ? null : liveFrame(event)
  }
  return respond(next, reader.leave)
}

/** The output of a terminal (PT1), until its program ends, the reader leaves, or the server closes. */
export function ptyStream(
  attachment: Attachment,
  closing: AbortSignal,
): HttpServerResponse.HttpServerResponse {
  const leave = () => {
    closing.removeEventListener("abort", leave)
    attachment.leave()
  }
  let opened = false
  const next = async (): Promise<string | null> => {
    if (!opened) {
      opened = true
      closing.addEventListener("abort", leave)
      if (closing.aborted) leave()
      return ": open\n\n"
    }
    const item = await attachment.next(heartbeatMs)
    if (item === null) leave()
    return item === null ? null : item === "quiet" ? ": heartbeat\n\n" : ptyFrame(item)
  }
  return respond(next, leave)
}

const ptyFrame = (item: PtyItem): string =>
  `event: pty\ndata: ${JSON.stringify("data" in item ? { ...item, data: base64(item.data) } : item)}\n\n`

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64")

const durableFrame = (event: DurableStreamEvent): string =>
  `${isDeletion(event) ? "" : `id: ${event.seq}\n`}event: durable\ndata: ${JSON.stringify(event)}\n\n`

const liveFrame = (event: LiveStreamEvent): string => `event: live\ndata: ${JSON.stringify(event)}\n\n`

function respond(
  next: () => Promise<string | null>,
  leave: () => void,
): HttpServerResponse.HttpServerResponse {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const text = await next()
        if (text === null) controller.close()
        else controller.enqueue(encoder.encode(text))
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
  return HttpServerResponse.raw(body, {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  })
}
