/** Answer: a reply as `generateContent` responses, whole or one for each piece of a stream. */
import { assertDeclared, digestOf, fitReply, lettersOf } from "../answer/answer.ts"
import type { JsonObject } from "../json.ts"
import type { Reply, ReplyBlock } from "../model.ts"
import type { PrefixMeasure } from "../prefix-cache.ts"
import { sealThought } from "../signature.ts"
import type { Accepted } from "../sim-wire.ts"
import { chunkText, textEvent } from "../stream.ts"
import type { StreamEvent } from "../stream.ts"
import { hasHostedTools } from "./body.ts"
import type { GeminiBody, GeminiPart } from "./body.ts"
import { facts } from "./facts.ts"
import { imageTokensOf } from "./images.ts"

export interface GeminiAnswer {
  readonly name: string
  readonly id: string
  readonly parts: readonly GeminiPart[]
  /** The whole is a list of pieces: a stream for who takes no events. */
  readonly isList: boolean
  readonly finishReason: string
  readonly outputTokens: number
  readonly thinkingTokens: number
  readonly measure: PrefixMeasure
  /** The part of the prompt that is images. */
  readonly imageTokens: number
}

/** documented: what the words of a reply are called here. */
const finishReasons: Readonly<Record<string, string>> = {
  end_turn: "STOP",
  tool_use: "STOP",
  stop_sequence: "STOP",
  max_tokens: "MAX_TOKENS",
  refusal: "SAFETY",
  sim_unknown_reason: "SIM_UNKNOWN",
}

export function buildAnswer(
  { body, name, model, sequence, outputMax }: Accepted<GeminiBody>,
  reply: Reply,
  measure: PrefixMeasure,
): Omit<GeminiAnswer, "isList"> {
  const { maxOutputTokens, thinkingConfig, stopSequences } = body.generationConfig ?? {}
  const fitted = fitReply(reply, maxOutputTokens ?? outputMax, stopSequences)
  assertDeclared(hasHostedTools(body) || !fitted.blocks.some((block) => block.type === "hosted"))
  const shows = thinkingConfig?.includeThoughts === true
  return {
    name,
    id: lettersOf(digestOf(sequence, body), 22),
    parts: signFirst(
      fitted.blocks.flatMap((block) => partOf(block, shows)),
      model.thinking === true ? sealThought(name) : undefined,
    ),
    finishReason: finishReasons[fitted.stopReason] ?? fitted.stopReason,
    outputTokens: fitted.outputTokens,
    thinkingTokens: fitted.thinkingTokens,
    measure,
    imageTokens: imageTokensOf(body),
  }
}

export function wholeAnswer(answer: GeminiAnswer): unknown {
  return answer.isList ? pieces(answer, { blocks: [] }) : responseOf(answer, answer.parts, true)
}

export function streamEvents(answer: GeminiAnswer, reply: Reply): readonly StreamEvent[] {
  const responses = pieces(answer, reply)
  const events = responses.map((response, index) => {
    const isLast = index === responses.length - 1
    const strange = reply.unknownEvents === true && index === 0 ? { simUnknownField: { a: [1] } } : {}
    return dataEvent(isLast ? "stop" : "delta", { ...response, ...strange }, reply.delayMs ?? 0)
  })
  if (reply.unknownEvents !== true) return events
  return [...events.slice(0, -1), textEvent("comment", "other", ": keep-alive\r\n\r\n"), ...events.slice(-1)]
}

/** recorded: every piece is a response of its own; the last has the reason, all have the usage. */
function pieces(answer: GeminiAnswer, reply: Reply): readonly JsonObject[] {
  const parts = answer.parts.flatMap((part): readonly GeminiPart[] =>
    part.text === undefined ? [part] : chunkText(part.text, reply).map((text) => ({ ...part, text })),
  )
  // recorded: a short answer is one response, which is also the last.
  const shown = parts.length === 0 ? [{ text: "" }] : parts
  return shown.map((part, index) => responseOf(answer, [part], index === shown.length - 1))
}

/** recorded: one `data:` line and two carriage returns. */
export function dataEvent(part: StreamEvent["part"], value: JsonObject, afterMs = 0): StreamEvent {
  return textEvent("response", part, `data: ${JSON.stringify(value)}\r\n\r\n`, afterMs)
}

/** recorded: the object and its fields. */
function responseOf(answer: GeminiAnswer, parts: readonly GeminiPart[], isLast: boolean): JsonObject {
  const isCalling = answer.parts.some((part) => part.functionCall !== undefined)
  const end = {
    finishReason: answer.finishReason,
    index: 0,
    ...(isCalling && answer.finishReason === "STOP" ? { finishMessage: facts.finishMessage } : {}),
  }
  const content = { parts, role: "model" }
  return {
    candidates: [isLast ? { content, ...end } : { content, index: 0 }],
    usageMetadata: usageOf(answer),
    modelVersion: answer.name,
    responseId: answer.id,
  }
}

/** recorded; documented: the part that was read from a cache. */
function usageOf({ measure, outputTokens, thinkingTokens, imageTokens }: GeminiAnswer): JsonObject {
  const images = imageTokens === 0 ? [] : [{ modality: "IMAGE", tokenCount: imageTokens }]
  return {
    promptTokenCount: measure.tokens,
    candidatesTokenCount: outputTokens - thinkingTokens,
    totalTokenCount: measure.tokens + outputTokens,
    ...(measure.read > 0 ? { cachedContentTokenCount: measure.read } : {}),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: measure.tokens - imageTokens }, ...images],
    ...(thinkingTokens > 0 ? { thoughtsTokenCount: thinkingTokens } : {}),
  }
}

function partOf(block: ReplyBlock, shows: boolean): readonly GeminiPart[] {
  switch (block.type) {
    case "text":
      return [{ text: block.text }]
    case "thinking":
      return shows ? [{ text: block.text, thought: true }] : []
    case "redacted_thinking":
      return []
    case "tool_use": {
      const id = block.id === undefined ? {} : { id: block.id }
      return [{ functionCall: { name: block.name, args: block.input, ...id } }]
    }
    case "hosted":
      return [block.native as GeminiPart]
  }
}

/** recorded: the first call bears the signature of the thought. */
function signFirst(parts: readonly GeminiPart[], signature: string | undefined): readonly GeminiPart[] {
  const first = parts.findIndex((part) => part.functionCall !== undefined)
  if (signature === undefined) return parts
  return parts.map((part, index) => (index === first ? { ...part, thoughtSignature: signature } : part))
}
