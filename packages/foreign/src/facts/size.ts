/** Sizes of what is recorded, as the runtime counts them when it records by itself (TG6). */
import { estimateTokens } from "@holdfast/llm/size"
import type { RecordedPart } from "@holdfast/schema/message"

export const wordsTokens = (text: string): number => estimateTokens(Buffer.byteLength(text), "prose")

export const resultTokens = (text: string): number => estimateTokens(Buffer.byteLength(text), "output")

export function answerPartTokens(part: RecordedPart): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return wordsTokens(part.text)
    case "hosted":
      return estimateTokens(JSON.stringify(part.native.opaque).length, "opaque")
    case "call":
      return estimateTokens(Buffer.byteLength(JSON.stringify(part.input)), "json")
  }
}
