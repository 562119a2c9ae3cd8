/**
 * Stream: the events of an answer before they become writes.
 *
 * A wire makes the list, faults rearrange it, packing comes last. The part an event plays tells
 * the faults where to break, whatever the wire calls it.
 */
import type { SimFrame } from "./exchange.ts"
import type { Reply } from "./model.ts"

export interface StreamEvent {
  readonly type: string
  /**
   * `start` opens a block, `delta` continues it, `end` is the first event after all blocks and
   * `stop` is what says that the stream is complete.
   */
  readonly part: "start" | "delta" | "end" | "stop" | "other"
  readonly bytes: Uint8Array
  readonly afterMs: number
}

const chunkCharsDefault = 24
const encoder = new TextEncoder()

export function textEvent(type: string, part: StreamEvent["part"], text: string, afterMs = 0): StreamEvent {
  return { type, part, bytes: encoder.encode(text), afterMs }
}

/** Events as writes: grouped by count, or cut anywhere by bytes. */
export function packFrames(events: readonly StreamEvent[], reply: Reply): readonly SimFrame[] {
  const perWrite = Math.max(1, Math.floor(reply.framesPerWrite ?? 1))
  const frames: { kind: "bytes"; afterMs: number; bytes: Uint8Array }[] = []
  for (let index = 0; index < events.length; index += perWrite) {
    const group = events.slice(index, index + perWrite)
    const afterMs = group.reduce((sum, item) => sum + item.afterMs, 0)
    frames.push({ kind: "bytes", afterMs, bytes: Buffer.concat(group.map((item) => item.bytes)) })
  }
  if (reply.bytesPerWrite === undefined) return frames
  const size = Math.max(1, Math.floor(reply.bytesPerWrite))
  return frames.flatMap((frame) => splitFrame(frame, size))
}

/** Pieces of a text as the reply wants them; they never part a surrogate pair. */
export function chunkText(text: string, reply: Reply): readonly string[] {
  const size = Math.max(1, Math.floor(reply.chunkChars ?? chunkCharsDefault))
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + size)
    const unit = text.charCodeAt(end - 1)
    if (end < text.length && unit >= 0xd800 && unit < 0xdc00) end += 1
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

function splitFrame(
  frame: { readonly afterMs: number; readonly bytes: Uint8Array },
  size: number,
): readonly SimFrame[] {
  const parts: SimFrame[] = []
  for (let at = 0; at < frame.bytes.length; at += size) {
    parts.push({
      kind: "bytes",
      afterMs: at === 0 ? frame.afterMs : 0,
      bytes: frame.bytes.slice(at, at + size),
    })
  }
  return parts
}
