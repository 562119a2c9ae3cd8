/**
 * Message: a reply turned into the assistant message that goes over the wire.
 *
 * Streamed and whole answers are made from the same value, so they cannot disagree.
 */
import { createHash } from "node:crypto"
import type { CacheUsage } from "./cache-oracle.ts"
import type { Reply, ReplyBlock } from "./model.ts"
import type { JsonObject, MessagesBody } from "./request-body.ts"
import { sealRedacted, signThinking } from "./signature.ts"
import { bytesPerToken, tokensOfText } from "./tokens.ts"

export type AnswerBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "tool_use"
      readonly id: string
      readonly name: string
      readonly input: JsonObject
      readonly caller: { readonly type: "direct" }
    }

export interface AnswerMessage {
  readonly id: string
  readonly model: string
  readonly content: readonly AnswerBlock[]
  readonly stopReason: string
  readonly outputTokens: number
  readonly cache: CacheUsage
}

/**
 * `sequence` counts requests. Ids carry it and a digest of the request, so that they repeat from
 * run to run yet never collide with ids that another process put into the same conversation.
 */
export function buildMessage(
  body: MessagesBody,
  reply: Reply,
  cache: CacheUsage,
  sequence: number,
): AnswerMessage {
  const mark = createHash("sha256").update(JSON.stringify(body)).digest("hex").slice(0, 16)
  const fitted = fitOutput(reply, body.max_tokens)
  const content = fitted.blocks.map((block, index) =>
    answerBlock(block, body.model, `${counter(sequence)}${index}${mark}`),
  )
  const called = content.some((block) => block.type === "tool_use")
  const usual = called ? "tool_use" : "end_turn"
  const unknown = reply.unknownEvents === true && !called ? "sim_unknown_reason" : usual
  return {
    id: `msg_${counter(sequence)}${mark}`,
    model: body.model,
    content,
    // documented: `max_tokens` wins over whatever the model was about to do.
    stopReason: fitted.cut ? "max_tokens" : (reply.stopReason ?? unknown),
    outputTokens:
      reply.outputTokens ??
      Math.max(
        1,
        fitted.blocks.reduce((sum, block) => sum + sizeOf(block), 0),
      ),
    cache,
  }
}

/** The body of an answer that is not streamed. */
export function wholeMessage(message: AnswerMessage) {
  return {
    ...messageHead(message),
    content: message.content,
    stop_reason: message.stopReason,
    stop_sequence: null,
    stop_details: null,
    usage: usageOf(message, message.outputTokens),
  }
}

/** recorded: the fields before the content. */
export function messageHead(message: AnswerMessage) {
  return { model: message.model, id: message.id, type: "message", role: "assistant" } as const
}

/** recorded: usage as `message_start` and whole answers carry it. */
export function usageOf(message: AnswerMessage, outputTokens: number) {
  const { read, write5m, write1h, input } = message.cache
  return {
    input_tokens: input,
    cache_creation_input_tokens: write5m + write1h,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
    output_tokens: outputTokens,
    service_tier: "standard",
  } as const
}

function answerBlock(block: ReplyBlock, model: string, mark: string): AnswerBlock {
  switch (block.type) {
    case "text":
      return block
    case "thinking":
      return { type: "thinking", thinking: block.text, signature: signThinking(model, block.text) }
    case "redacted_thinking":
      return { type: "redacted_thinking", data: sealRedacted(model, mark) }
    case "tool_use":
      return {
        type: "tool_use",
        id: block.id ?? `toolu_${mark}`,
        name: block.name,
        input: block.input,
        caller: { type: "direct" },
      }
  }
}

/**
 * documented: generation stops at `max_tokens`. Text and thinking end in the middle; a call that
 * does not fit is left out whole (assumed).
 */
function fitOutput(reply: Reply, maxTokens: number): { blocks: readonly ReplyBlock[]; cut: boolean } {
  if (reply.outputTokens !== undefined) return { blocks: reply.blocks, cut: false }
  const kept: ReplyBlock[] = []
  let left = maxTokens
  for (const block of reply.blocks) {
    const size = sizeOf(block)
    if (size <= left) {
      kept.push(block)
      left -= size
      continue
    }
    if (block.type === "text" || block.type === "thinking") {
      const text = headOf(block.text, left * bytesPerToken)
      if (text.trim() !== "") kept.push({ ...block, text })
    }
    return { blocks: kept, cut: true }
  }
  return { blocks: kept, cut: false }
}

/** The longest beginning of a text within so many bytes, code points whole. */
function headOf(text: string, bytesMax: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, bytesMax)).replace(/\uFFFD+$/, "")
}

function sizeOf(block: ReplyBlock): number {
  if (block.type === "tool_use") return tokensOfText(block.name + JSON.stringify(block.input))
  return block.type === "redacted_thinking" ? 1 : tokensOfText(block.text)
}

function counter(sequence: number): string {
  return String(sequence).padStart(6, "0")
}
