/**
 * Message: a reply turned into the assistant message that goes over the wire.
 *
 * Streamed and whole answers are made from the same value, so they cannot disagree.
 */
import { createHash } from "node:crypto"
import { assertDeclared, counter, fitReply } from "../answer/answer.ts"
import type { CacheUsage } from "./marker-cache.ts"
import type { Reply, ReplyBlock } from "../model.ts"
import type { JsonObject } from "../json.ts"
import type { MessagesBody } from "./request-body.ts"
import { sealRedacted, signThinking } from "../signature.ts"

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
  /** A tool of the provider, as the provider tells of it. */
  | { readonly type: "hosted"; readonly native: JsonObject }

export interface AnswerMessage {
  readonly id: string
  readonly model: string
  readonly content: readonly AnswerBlock[]
  readonly stopReason: string
  readonly stopSequence: string | null
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
  const fitted = fitReply(reply, body.max_tokens, body.stop_sequences)
  const content = fitted.blocks.map((block, index) =>
    answerBlock(shown(block, body), body.model, `${counter(sequence)}${index}${mark}`),
  )
  assertDeclared(
    (body.tools ?? []).some((tool) => tool.input_schema === undefined) ||
      !content.some((block) => block.type === "hosted"),
  )
  return {
    id: `msg_${counter(sequence)}${mark}`,
    model: body.model,
    content,
    stopReason: fitted.stopReason,
    stopSequence: fitted.stopSequence,
    outputTokens: fitted.outputTokens,
    cache,
  }
}

/** The body of an answer that is not streamed. */
export function wholeMessage(message: AnswerMessage) {
  return {
    ...messageHead(message),
    content: message.content.map((block) => (block.type === "hosted" ? block.native : block)),
    stop_reason: message.stopReason,
    stop_sequence: message.stopSequence,
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

/** documented: thinking that is omitted is a signature without words. */
function shown(block: ReplyBlock, { thinking }: MessagesBody): ReplyBlock {
  return block.type === "thinking" && thinking?.display === "omitted" ? { ...block, text: "" } : block
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
    case "hosted":
      return block
  }
}
