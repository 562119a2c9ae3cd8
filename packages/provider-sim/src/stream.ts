/**
 * Stream: an assistant message as server-sent events, in the provider's order.
 *
 *   message_start
 *     ( content_block_start  content_block_delta*  content_block_stop )*
 *   message_delta  message_stop
 *
 * A ping follows the first block start (recorded). Faults rearrange the list of events; packing
 * into writes comes last.
 */
import type { SimFrame } from "./exchange.ts"
import { messageHead, usageOf } from "./message.ts"
import type { AnswerBlock, AnswerMessage } from "./message.ts"
import type { Reply } from "./model.ts"

export interface StreamEvent {
  readonly type: string
  /** The event as it is written, with its blank line. */
  readonly text: string
  readonly afterMs: number
}

const chunkCharsDefault = 24

export function streamEvents(message: AnswerMessage, reply: Reply): readonly StreamEvent[] {
  const strange = reply.unknownEvents === true
  const start = {
    ...messageHead(message),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    // recorded: the first usage already counts a little output.
    usage: usageOf(message, 1),
  }
  const blocks = message.content.flatMap((block, index) => blockEvents(block, index, reply))
  const firstStart = blocks.findIndex((item) => item.type === "content_block_start")
  const { cache_creation: _, service_tier: __, ...usage } = usageOf(message, message.outputTokens)
  return [
    event("message_start", { message: strange ? { ...start, sim_unknown_field: { a: [1] } } : start }),
    ...(strange ? [event("sim_unknown_event", { detail: { nested: true } }), comment("keep-alive")] : []),
    ...blocks.slice(0, firstStart + 1),
    event("ping", {}),
    ...(strange ? [event("ping", { sim_unknown_field: 1 })] : []),
    ...blocks.slice(firstStart + 1),
    event("message_delta", {
      delta: { stop_reason: message.stopReason, stop_sequence: null, stop_details: null },
      // recorded: cumulative, input included.
      usage: strange ? { ...usage, sim_unknown_tokens: 7 } : usage,
    }),
    event("message_stop", {}),
  ]
}

/** One event; the type is named twice, as on the wire. */
export function event(type: string, fields: object, afterMs = 0): StreamEvent {
  return { type, afterMs, text: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n` }
}

/** Events as writes: grouped by count, or cut anywhere by bytes. */
export function packFrames(events: readonly StreamEvent[], reply: Reply): readonly SimFrame[] {
  const perWrite = Math.max(1, Math.floor(reply.framesPerWrite ?? 1))
  const encoder = new TextEncoder()
  const frames: { kind: "bytes"; afterMs: number; bytes: Uint8Array }[] = []
  for (let index = 0; index < events.length; index += perWrite) {
    const group = events.slice(index, index + perWrite)
    const afterMs = group.reduce((sum, item) => sum + item.afterMs, 0)
    frames.push({ kind: "bytes", afterMs, bytes: encoder.encode(group.map((item) => item.text).join("")) })
  }
  if (reply.bytesPerWrite === undefined) return frames
  const size = Math.max(1, Math.floor(reply.bytesPerWrite))
  return frames.flatMap((frame) => splitFrame(frame, size))
}

function blockEvents(block: AnswerBlock, index: number, reply: Reply): readonly StreamEvent[] {
  const { opening, deltas } = blockParts(
    block,
    Math.max(1, Math.floor(reply.chunkChars ?? chunkCharsDefault)),
  )
  const strange = reply.unknownEvents === true
  return [
    event("content_block_start", {
      index,
      content_block: strange ? { ...opening, sim_unknown_field: "x" } : opening,
    }),
    ...(strange
      ? [event("content_block_delta", { index, delta: { type: "sim_unknown_delta", value: 1 } })]
      : []),
    ...deltas.map((delta) => event("content_block_delta", { index, delta }, reply.delayMs ?? 0)),
    event("content_block_stop", { index }),
  ]
}

function blockParts(
  block: AnswerBlock,
  size: number,
): { readonly opening: object; readonly deltas: readonly object[] } {
  switch (block.type) {
    case "text":
      return {
        opening: { type: "text", text: "" },
        deltas: chunk(block.text, size).map((text) => ({ type: "text_delta", text })),
      }
    case "thinking":
      return {
        // documented: the signature comes last, in a delta of its own.
        opening: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...chunk(block.thinking, size).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature },
        ],
      }
    case "redacted_thinking":
      return { opening: block, deltas: [] }
    case "tool_use":
      return {
        // recorded: the input starts empty, and so does its first delta.
        opening: { ...block, input: {} },
        deltas: [
          "",
          ...(Object.keys(block.input).length === 0 ? [] : chunk(JSON.stringify(block.input), size)),
        ].map((part) => ({ type: "input_json_delta", partial_json: part })),
      }
  }
}

/** Pieces of a text that never part a surrogate pair. */
function chunk(text: string, size: number): readonly string[] {
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

function comment(text: string): StreamEvent {
  return { type: "comment", afterMs: 0, text: `: ${text}\n\n` }
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
