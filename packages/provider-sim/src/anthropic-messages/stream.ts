/**
 * Stream: an assistant message as server-sent events, in the provider's order.
 *
 *   message_start
 *     ( content_block_start  content_block_delta*  content_block_stop )*
 *   message_delta  message_stop
 *
 * A ping follows the first block start (recorded).
 */
import { messageHead, usageOf } from "./message.ts"
import type { AnswerBlock, AnswerMessage } from "./message.ts"
import type { Reply } from "../model.ts"
import { chunkText, textEvent } from "../stream.ts"
import type { StreamEvent } from "../stream.ts"

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
      delta: {
        stop_reason: message.stopReason,
        stop_sequence: message.stopSequence,
        stop_details: null,
      },
      // recorded: cumulative, input included.
      usage: strange ? { ...usage, sim_unknown_tokens: 7 } : usage,
    }),
    event("message_stop", {}),
  ]
}

/** documented: which event plays which part. */
const parts: Readonly<Record<string, StreamEvent["part"]>> = {
  content_block_start: "start",
  content_block_delta: "delta",
  message_delta: "end",
  message_stop: "stop",
}

/** One event; the type is named twice, as on the wire. */
export function event(type: string, fields: object, afterMs = 0): StreamEvent {
  const text = `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  return textEvent(type, parts[type] ?? "other", text, afterMs)
}

function blockEvents(block: AnswerBlock, index: number, reply: Reply): readonly StreamEvent[] {
  const { opening, deltas } = blockParts(block, reply)
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
  reply: Reply,
): { readonly opening: object; readonly deltas: readonly object[] } {
  switch (block.type) {
    case "text":
      return {
        opening: { type: "text", text: "" },
        deltas: chunkText(block.text, reply).map((text) => ({ type: "text_delta", text })),
      }
    case "thinking":
      return {
        // documented: the signature comes last, in a delta of its own.
        opening: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...chunkText(block.thinking, reply).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature },
        ],
      }
    case "redacted_thinking":
      return { opening: block, deltas: [] }
    case "hosted": {
      const { input } = block.native
      // documented: what the tool is asked streams like the input of a call, what it found comes whole.
      if (input === undefined) return { opening: block.native, deltas: [] }
      const deltas = chunkText(JSON.stringify(input), reply)
      return {
        opening: { ...block.native, input: {} },
        deltas: deltas.map((part) => ({ type: "input_json_delta", partial_json: part })),
      }
    }
    case "tool_use":
      return {
        // recorded: the input starts empty, and so does its first delta.
        opening: { ...block, input: {} },
        deltas: [
          "",
          ...(Object.keys(block.input).length === 0 ? [] : chunkText(JSON.stringify(block.input), reply)),
        ].map((part) => ({ type: "input_json_delta", partial_json: part })),
      }
  }
}

function comment(text: string): StreamEvent {
  return textEvent("comment", "other", `: ${text}\n\n`)
}
