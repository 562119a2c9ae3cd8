/**
 * Event stream: frames of `application/vnd.amazon.eventstream` (documented, and as recorded).
 *
 *   total length · length of the headers · CRC of these two · headers · payload · CRC of all before
 *
 * Lengths and CRCs are four bytes each, the largest first; every header is a string.
 */
import { crc32 } from "node:zlib"
import type { JsonObject } from "../json.ts"
import type { StreamEvent } from "../stream.ts"

/** documented: the type of a string among the values of headers. */
const stringType = 7

export function eventFrame(
  type: string,
  part: StreamEvent["part"],
  payload: JsonObject,
  afterMs = 0,
): StreamEvent {
  // recorded: keys in alphabetical order, and padding.
  const sorted = Object.fromEntries(Object.entries(payload).sort(([a], [b]) => (a < b ? -1 : 1)))
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" }
  return { type, part, afterMs, bytes: frame(headers, JSON.stringify(sorted)) }
}

/** documented: an exception ends the stream. */
export function exceptionFrame(type: string, message: string): StreamEvent {
  const headers = {
    ":exception-type": type,
    ":content-type": "application/json",
    ":message-type": "exception",
  }
  return { type, part: "other", afterMs: 0, bytes: frame(headers, JSON.stringify({ message })) }
}

/** A frame that is whole, around a payload that need not be. */
export function frame(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const encoded = Buffer.concat(Object.entries(headers).map(([name, value]) => headerBytes(name, value)))
  const body = Buffer.from(payload)
  const bytes = Buffer.alloc(16 + encoded.length + body.length)
  bytes.writeUInt32BE(bytes.length, 0)
  bytes.writeUInt32BE(encoded.length, 4)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  encoded.copy(bytes, 12)
  body.copy(bytes, 12 + encoded.length)
  bytes.writeUInt32BE(crc32(bytes.subarray(0, bytes.length - 4)), bytes.length - 4)
  return bytes
}

function headerBytes(name: string, value: string): Buffer {
  const size = Buffer.alloc(2)
  size.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([stringType]),
    size,
    Buffer.from(value),
  ])
}
