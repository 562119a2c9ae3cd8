/**
 * Bytes to frames of `application/vnd.amazon.eventstream` (LL6).
 *
 *   ┌ total length ┬ headers length ┬ CRC of both ┬ headers ┬ payload ┬ CRC of all before ┐
 *
 * Numbers are big-endian. Pieces may be cut anywhere. A length is believed only after its checksum,
 * a frame only after its own; after the first that fails nothing more is read.
 */
import { crc32 } from "node:zlib"
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

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push(bytes)
    this.#length += bytes.length
    while (!this.#failed && this.#length >= this.#wanted) this.#step(Buffer.concat(this.#pieces))
  }

  #step(held: Buffer): void {
    if (this.#wanted === preludeBytes) {
      this.#keep(held)
      this.#wanted = this.#frameLength(held)
      return
    }
    const frame = held.subarray(0, this.#wanted)
    this.#keep(held.subarray(this.#wanted))
    this.#wanted = preludeBytes
    this.#read(frame)
  }

  #keep(rest: Buffer): void {
    this.#pieces = [rest]
    this.#length = rest.length
  }

  #frameLength(prelude: Buffer): number {
    const total = prelude.readUInt32BE(0)
    const headers = prelude.readUInt32BE(4)
    if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) this.#fail("a frame with a broken prelude")
    else if (total < frameBytesMin || headers > total - frameBytesMin)
      this.#fail("a frame of impossible size")
    else if (total > frameBytesMax) this.#fail("one frame is too large", "answer_too_large")
    return Math.max(total, frameBytesMin)
  }

  #read(frame: Buffer): void {
    const end = frame.length - checksumBytes
    if (crc32(frame.subarray(0, end)) !== frame.readUInt32BE(end))
      return this.#fail("a frame with a broken checksum")
    const payloadFrom = preludeBytes + frame.readUInt32BE(4)
    const headers = readHeaders(frame.subarray(preludeBytes, payloadFrom))
    if (headers === null) return this.#fail("a frame with unreadable headers")
    this.#sink.frame({ headers, payload: frame.toString("utf8", payloadFrom, end) })
  }

  #fail(detail: string, code: FailureCode = "malformed_stream"): void {
    this.#failed = true
    this.#pieces = []
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
