/**
 * Frames of an event stream read back, one byte at a time: an independent reader for the tests.
 *
 * Its CRC is computed bit by bit, so that it shares nothing with the writer.
 */
export interface ReadFrame {
  readonly type: string
  readonly isException: boolean
  readonly payload: Readonly<Record<string, unknown>>
}

export function framesOf(bytes: Uint8Array): readonly ReadFrame[] {
  const frames: ReadFrame[] = []
  let held: number[] = []
  for (const byte of bytes) {
    held.push(byte)
    if (held.length < 4) continue
    const total = Buffer.from(held.slice(0, 4)).readUInt32BE()
    if (held.length < total) continue
    frames.push(readFrame(Buffer.from(held)))
    held = []
  }
  if (held.length > 0) throw new Error(`${held.length} bytes after the last frame`)
  return frames
}

function readFrame(bytes: Buffer): ReadFrame {
  if (bytes.readUInt32BE(8) !== crcOf(bytes.subarray(0, 8))) throw new Error("wrong CRC of the prelude")
  const end = bytes.length - 4
  if (bytes.readUInt32BE(end) !== crcOf(bytes.subarray(0, end))) throw new Error("wrong CRC of the frame")
  const headersEnd = 12 + bytes.readUInt32BE(4)
  const headers = new Map<string, string>()
  for (let at = 12; at < headersEnd;) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    const valueAt = nameEnd + 3
    const valueEnd = valueAt + bytes.readUInt16BE(nameEnd + 1)
    headers.set(bytes.toString("utf8", at + 1, nameEnd), bytes.toString("utf8", valueAt, valueEnd))
    at = valueEnd
  }
  const payload = JSON.parse(bytes.toString("utf8", headersEnd, end)) as ReadFrame["payload"]
  const isException = headers.get(":message-type") === "exception"
  const type = headers.get(isException ? ":exception-type" : ":event-type") ?? ""
  return { type, isException, payload }
}

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
