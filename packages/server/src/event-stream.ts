/**
 * Event streams (EV1, EV2): items as server-sent events for a socket, and as they are for whoever
 * reads the answer in this process.
 *
 * An item is taken when it is asked for, so a slow reader holds back its own reading of the log, or
 * meets the bounds of its live queue; nothing else waits for it. Heartbeats keep a quiet stream from
 * looking dead: comments among durable events, events of their own among live ones.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { LiveHub } from "@holdfast/core/session/live"
import { type LiveOptions, readLive } from "@holdfast/core/events/live-reader"
import type { EventTail } from "@holdfast/core/events/tail"
import type { Attachment } from "@holdfast/core/pty/attachment"
import type { LiveStreamEvent } from "@holdfast/schema/live"
import { type DurableStreamEvent, isDeletion } from "@holdfast/schema/fact/public"
import type { PtyItem } from "@holdfast/schema/pty/item"

/** Between two signs of life of a durable stream on which nothing happens. */
export const heartbeatMs = 15_000

/** Events written at once; one event alone may be larger. */
const chunkLengthMax = 65_536

interface ItemReader<Item> {
  /** The next items; none where only time has passed; null at the end. */
  readonly next: () => Promise<readonly Item[] | null>
  readonly leave: () => void
}

/** What a tail tells, from its opening on. It ends with the Session, or when the server closes. */
export function durableStream(tail: EventTail, closing: AbortSignal): HttpServerResponse.HttpServerResponse {
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, closing])
  const next = async (): Promise<readonly DurableStreamEvent[] | null> => {
    if (signal.aborted) return null
    const found = await Effect.runPromise(tail.next(heartbeatMs), { signal }).catch((failure: unknown) => {
      // Leaving interrupts the reading, and that is no failure.
      if (signal.aborted) return null
      throw failure
    })
    return signal.aborted ? null : found
  }
  // Bytes at once, so that the caller knows that it is heard.
  return respond({ next, leave: () => left.abort() }, durableFrame, { opening: ": open\n\n" })
}

/** Everything that happens in this instance or in one of its Sessions, until the reader leaves or cannot follow. */
export function liveStream(
  hub: LiveHub,
  closing: AbortSignal,
  options?: LiveOptions,
): HttpServerResponse.HttpServerResponse {
  const reader = readLive(hub, closing, options)
  const next = async (): Promise<readonly LiveStreamEvent[] | null> => {
    const event = await reader.next()
    return event === null ? null : [event]
  }
  return respond({ next, leave: reader.leave }, liveFrame)
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
  let isOpen = false
  const next = async (): Promise<readonly ShownPtyItem[] | null> => {
    if (!isOpen) closing.addEventListener("abort", leave)
    isOpen = true
    if (closing.aborted) leave()
    const item = await attachment.next(heartbeatMs)
    if (item === null) leave()
    return item === null ? null : item === "quiet" ? [] : [shownItem(item)]
  }
  return respond({ next, leave }, ptyFrame, { opening: ": open\n\n" })
}

/** Text in UTF-8, as it comes. Whoever hangs up ends what makes it. */
export function byteStream(bytes: AsyncIterable<Uint8Array>): HttpServerResponse.HttpServerResponse {
  const iterator = bytes[Symbol.asyncIterator]()
  const next = async (): Promise<readonly Uint8Array[] | null> => {
    const { done, value } = await iterator.next()
    return done === true ? null : [value]
  }
  const leave = () => void iterator.return?.()
  const text = (piece: Uint8Array): string => new TextDecoder().decode(piece)
  return respond({ next, leave }, text, { contentType: "application/octet-stream" })
}

/** As it is sent: bytes are base64, also for whoever reads in this process. */
type ShownPtyItem = typeof PtyItem.Encoded

const shownItem = (item: PtyItem): ShownPtyItem =>
  "data" in item ? { ...item, data: base64(item.data) } : item

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64")

const ptyFrame = (item: ShownPtyItem): string => `event: pty\ndata: ${JSON.stringify(item)}\n\n`

const durableFrame = (event: DurableStreamEvent): string =>
  `${isDeletion(event) ? "" : `id: ${event.seq}\n`}event: durable\ndata: ${JSON.stringify(event)}\n\n`

const liveFrame = (event: LiveStreamEvent): string => `event: live\ndata: ${JSON.stringify(event)}\n\n`

/** The body of a stream's answer. It is read as items, or as bytes, once. */
class ItemStream {
  readonly #reader: ItemReader<unknown>
  readonly #frameOf: (item: unknown) => string
  readonly #opening: string

  constructor(reader: ItemReader<unknown>, frameOf: (item: unknown) => string, opening: string) {
    this.#reader = reader
    this.#frameOf = frameOf
    this.#opening = opening
  }

  /** Whoever reads ends with it, also one that waits for the next item. A repeat is safe. */
  leave(): void {
    this.#reader.leave()
  }

  items(): AsyncIterator<unknown, undefined> {
    let ready: readonly unknown[] = []
    let at = 0
    return {
      next: async () => {
        while (at === ready.length) {
          const found = await this.#reader.next()
          if (found === null) return { done: true, value: undefined }
          ready = found
          at = 0
        }
        return { done: false, value: ready[at++] }
      },
      return: async () => {
        this.leave()
        return { done: true, value: undefined }
      },
    }
  }

  async *frames(): AsyncGenerator<string, void, undefined> {
    if (this.#opening !== "") yield this.#opening
    for (let found = await this.#reader.next(); found !== null; found = await this.#reader.next()) {
      if (found.length === 0) yield ": heartbeat\n\n"
      for (let taken = 0; taken < found.length;) {
        let text = ""
        while (taken < found.length && text.length < chunkLengthMax) text += this.#frameOf(found[taken++])
        yield text
      }
    }
  }

  bytes(): ReadableStream<Uint8Array> {
    const frames = this.frames()
    const encoder = new TextEncoder()
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await frames.next()
          if (done === true) controller.close()
          else controller.enqueue(encoder.encode(value))
        },
        cancel: () => this.leave(),
      },
      { highWaterMark: 0 },
    )
  }
}

/** What an answer streams; null where it is none. */
export const itemStreamOf = ({ body }: HttpServerResponse.HttpServerResponse): ItemStream | null =>
  body._tag === "Raw" && body.body instanceof ItemStream ? body.body : null

const respond = <Item>(
  reader: ItemReader<Item>,
  frameOf: (item: Item) => string,
  { opening = "", contentType = "text/event-stream; charset=utf-8" } = {},
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.raw(new ItemStream(reader, frameOf as (item: unknown) => string, opening), {
    status: 200,
    headers: {
      "content-type": contentType,
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  })
