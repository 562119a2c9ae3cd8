/**
 * Bytes to frames of `application/vnd.amazon.eventstream` (LL6).
 *
 *   ┌ total length ┬ headers length ┬ CRC of both ┬ headers ┬ payload ┬ CRC of all before ┐
 *
 * Numbers are big-endian. Pieces may be cut anywhere. A length is believed only after its checksum,
 * a frame only after its own; after the first that fails nothing more is read.
 */
import { crc32 } from "node:zlib"
import type { Framing } from "../answer/byte-stream.ts"
import type { Frame } from "../answer/reading.ts"
import type { FailureCode } from "../wire.ts"

export interface EventFrame {
  /** Headers whose value is a text; others are passed over. */
  readonly headers: ReadonlyMap<string, string>
  readonly payload: string
}

export interface FrameSink {
  readonly frame: (frame: EventFrame) => void
  readonly fail: (code: FailureCode, detail: string) => void
}

export const framing: Framing = (reader) => {
  let known: EventFrame["headers"] | null = null
  let event: string | null = null
  const frames = new FrameSplitter({
    frame: ({ headers, payload }) => {
      // Headers that repeat are the same map again, and most frames are one event after another.
      if (headers !== known) event = eventIn((known = headers))
      const frame = event === null ? failedFrame(headers, payload) : { name: event, data: payload }
      if (frame !== null) reader.read(frame)
    },
    fail: (code, detail) => reader.fail(code, detail),
  })
  return (bytes) => frames.push(bytes)
}

/** What a frame that is no event calls its exception; null for an event, whose name has no space. */
export const exceptionIn = (name: string): string | null =>
  /^(?:exception|error) (.*)$/s.exec(name)?.[1] ?? null

const eventIn = (headers: EventFrame["headers"]): string | null =>
  headers.get(":message-type") === "event" ? (headers.get(":event-type") ?? "") : null

/** documented: an exception that the API describes, or an error that it does not. */
function failedFrame(headers: EventFrame["headers"], payload: string): Frame | null {
  switch (headers.get(":message-type")) {
    case "exception":
      return { name: `exception ${headers.get(":exception-type") ?? ""}`, data: payload }
    case "error":
      return {
        name: `error ${headers.get(":error-code") ?? ""}`,
        data: headers.get(":error-message") ?? payload,
      }
    default:
      return null
  }
}

const preludeBytes = 12
const checksumBytes = 4
const frameBytesMin = preludeBytes + checksumBytes
/** Far more than a provider sends at once. */
const frameBytesMax = 8 * 1024 * 1024

export class FrameSplitter {
  readonly #sink: FrameSink
  #pieces: Uint8Array[] = []
  #length = 0
  /** Bytes until something can be read: a prelude, then its frame. */
  #wanted = preludeBytes
  #failed = false
  /** Headers mostly repeat those of the frame before. */
  #headerBytes: Buffer = Buffer.alloc(0)
  #headers: ReadonlyMap<string, string> = new Map()

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  push(bytes: Uint8Array): void {
    if (this.#failed) return
    this.#pieces.push(bytes)
    this.#length += bytes.length
    if (this.#length < this.#wanted) return
    const held = Buffer.concat(this.#pieces)
    const rest = held.subarray(this.#readAll(held))
    this.#pieces = [rest]
    this.#length = rest.length
  }

  /** Reads whole frames; returns where the first begins that is not whole. */
  #readAll(held: Buffer): number {
    let at = 0
    for (;;) {
      this.#wanted = preludeBytes
      if (held.length - at < preludeBytes) return at
      this.#wanted = this.#frameLength(held, at)
      if (this.#failed || held.length - at < this.#wanted) return at
      const end = at + this.#wanted
      this.#read(held, at, end)
      if (this.#failed) return end
      at = end
    }
  }

  #frameLength(held: Buffer, at: number): number {
    const total = held.readUInt32BE(at)
    const headers = held.readUInt32BE(at + 4)
    if (crc32(held.subarray(at, at + 8)) !== held.readUInt32BE(at + 8))
      this.#fail("a frame with a broken prelude")
    else if (total < frameBytesMin || headers > total - frameBytesMin)
      this.#fail("a frame of impossible size")
    else if (total > frameBytesMax) this.#fail("one frame is too large", "answer_too_large")
    return total
  }

  #read(held: Buffer, at: number, frameEnd: number): void {
    const end = frameEnd - checksumBytes
    if (crc32(held.subarray(at, end)) !== held.readUInt32BE(end))
      return this.#fail("a frame with a broken checksum")
    const payloadFrom = at + preludeBytes + held.readUInt32BE(at + 4)
    const headers = this.#headersIn(held, at + preludeBytes, payloadFrom)
    if (headers === null) return this.#fail("a frame with unreadable headers")
    this.#sink.frame({ headers, payload: held.toString("utf8", payloadFrom, end) })
  }

  #headersIn(held: Buffer, from: number, to: number): ReadonlyMap<string, string> | null {
    const known = this.#headerBytes
    if (known.length === to - from && held.compare(known, 0, known.length, from, to) === 0)
      return this.#headers
    const bytes = Buffer.from(held.subarray(from, to))
    const headers = readHeaders(bytes)
    if (headers === null) return null
    this.#headerBytes = bytes
    this.#headers = headers
    return headers
  }

  #fail(detail: string, code: FailureCode = "malformed_stream"): void {
    this.#failed = true
    this.#sink.fail(code, detail)
  }
}

/** documented: how many bytes a value of each type has; null where the bytes say it themselves. */
const valueBytes: readonly (number | null)[] = [0, 0, 1, 2, 4, 8, null, null, 8, 16]
const textType = 7

function readHeaders(bytes: Buffer): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] as number)
    const type = bytes[nameEnd] ?? -1
    const fixed = valueBytes[type]
    if (fixed === undefined) return null
    const valueFrom = nameEnd + (fixed === null ? 3 : 1)
    if (valueFrom > bytes.length) return null
    const valueEnd = valueFrom + (fixed ?? bytes.readUInt16BE(nameEnd + 1))
    if (valueEnd > bytes.length) return null
    if (type === textType) {
      headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", valueFrom, valueEnd))
    }
    at = valueEnd
  }
  return headers
}
