/** Answer: a reply as a Converse response, whole or in the frames of an event stream. */
import { digestOf, fitReply, lettersOf } from "../answer/answer.ts"
import type { CacheMeasure } from "../anthropic-messages/marker-cache.ts"
import type { JsonObject } from "../json.ts"
import type { Reply, ReplyBlock } from "../model.ts"
import { sealRedacted, signThinking } from "../signature.ts"
import type { Accepted } from "../sim-wire.ts"
import { chunkText } from "../stream.ts"
import type { StreamEvent } from "../stream.ts"
import { cachePointsOf } from "./body.ts"
import type { ConverseBlock, ConverseBody } from "./body.ts"
import { eventFrame } from "./event-stream.ts"

export interface ConverseAnswer {
  readonly id: string
  readonly content: readonly ConverseBlock[]
  readonly stopReason: string
  readonly outputTokens: number
  readonly latencyMs: number
  readonly measure: CacheMeasure
  readonly reportsCache: boolean
}

/** documented: what the words of a reply are called here, where they differ. */
const stopReasons: Readonly<Record<string, string>> = { refusal: "content_filtered" }

export function buildAnswer(
  { body, name, sequence, outputMax }: Accepted<ConverseBody>,
  reply: Reply,
  measure: CacheMeasure,
): ConverseAnswer {
  const { maxTokens = outputMax, stopSequences } = body.inferenceConfig ?? {}
  const fitted = fitReply(reply, maxTokens, stopSequences)
  const mark = digestOf(sequence, body)
  return {
    id: mark,
    content: fitted.blocks.map((block, index) => blockOf(block, name, `${mark}${index}`)),
    stopReason: stopReasons[fitted.stopReason] ?? fitted.stopReason,
    outputTokens: fitted.outputTokens,
    latencyMs: reply.firstByteMs ?? 0,
    measure,
    reportsCache: cachePointsOf(body).length > 0,
  }
}

/** documented. */
export function wholeAnswer(answer: ConverseAnswer): JsonObject {
  return {
    metrics: { latencyMs: answer.latencyMs },
    output: { message: { content: answer.content, role: "assistant" } },
    stopReason: answer.stopReason,
    usage: usageOf(answer),
  }
}

/** recorded: the order; a block of text has no start of its own. */
export function streamEvents(answer: ConverseAnswer, reply: Reply): readonly StreamEvent[] {
  const isStrange = reply.unknownEvents === true
  const pad = (place: number) => ({ p: paddingAt(answer.id, place) })
  const strange = isStrange ? [eventFrame("simUnknownEvent", "other", { detail: { nested: true } })] : []
  const field = isStrange ? { simUnknownField: 1 } : {}
  return [
    eventFrame("messageStart", "other", { ...pad(0), role: "assistant", ...field }),
    ...strange,
    ...answer.content.flatMap((block, index) => blockEvents(block, index, reply, answer.id)),
    eventFrame("messageStop", "end", { ...pad(1), stopReason: answer.stopReason }),
    eventFrame("metadata", "stop", {
      metrics: { latencyMs: answer.latencyMs },
      ...pad(2),
      usage: usageOf(answer),
    }),
  ]
}

function blockEvents(block: ConverseBlock, index: number, reply: Reply, id: string): readonly StreamEvent[] {
  const place = { contentBlockIndex: index }
  const pad = (step: number) => ({ p: paddingAt(id, 3 + index * 1_000 + step) })
  const delta = (value: JsonObject, step: number) =>
    eventFrame("contentBlockDelta", "delta", { ...place, delta: value, ...pad(step) }, reply.delayMs ?? 0)
  const start = block.toolUse && {
    toolUse: { name: block.toolUse.name, toolUseId: block.toolUse.toolUseId },
  }
  return [
    ...(start === undefined
      ? []
      : [eventFrame("contentBlockStart", "start", { ...place, ...pad(0), start })]),
    ...deltasOf(block, reply).map((value, step) => delta(value, step + 1)),
    eventFrame("contentBlockStop", "other", { ...place, ...pad(999) }),
  ]
}

function deltasOf(block: ConverseBlock, reply: Reply): readonly JsonObject[] {
  if (block.text !== undefined) return chunkText(block.text, reply).map((text) => ({ text }))
  if (block.toolUse !== undefined) {
    return chunkText(JSON.stringify(block.toolUse.input), reply).map((input) => ({ toolUse: { input } }))
  }
  const thought = block.reasoningContent?.reasoningText
  // documented: the signature comes last, in a delta of its own.
  if (thought !== undefined) {
    const texts = chunkText(thought.text, reply).map((text) => ({ reasoningContent: { text } }))
    return [...texts, { reasoningContent: { signature: thought.signature } }]
  }
  return [{ reasoningContent: { redactedContent: block.reasoningContent?.redactedContent } }]
}

function blockOf(block: ReplyBlock, name: string, mark: string): ConverseBlock {
  switch (block.type) {
    case "text":
      return { text: block.text }
    case "thinking": {
      const reasoningText = { text: block.text, signature: signThinking(name, block.text) }
      return { reasoningContent: { reasoningText } }
    }
    case "redacted_thinking": {
      const redactedContent = Buffer.from(sealRedacted(name, mark.slice(0, 12))).toString("base64")
      return { reasoningContent: { redactedContent } }
    }
    case "tool_use": {
      const toolUseId = block.id ?? `tooluse_${lettersOf(mark, 22)}`
      return { toolUse: { toolUseId, name: block.name, input: block.input } }
    }
    case "hosted":
      throw new Error("The simulated provider runs no tools on this wire.")
  }
}

/** recorded; documented: the two counts of the cache. */
function usageOf({ measure, outputTokens, reportsCache }: ConverseAnswer): JsonObject {
  const { read, write5m, write1h, input } = measure.usage
  return {
    ...(reportsCache ? { cacheReadInputTokens: read, cacheWriteInputTokens: write5m + write1h } : {}),
    inputTokens: input,
    outputTokens,
    serverToolUsage: {},
    totalTokens: measure.tokens + outputTokens,
  }
}

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/** recorded: the beginning of the alphabet, of any length. */
function paddingAt(id: string, place: number): string {
  return alphabet.slice(0, 1 + (Number.parseInt(digestOf(id, place).slice(0, 4), 16) % alphabet.length))
}
