/** Sizes of what is recorded, counted once when it is recorded (TG6). */
import { estimateTokens, imageTokens } from "@holdfast/llm/size"
import type { Media } from "@holdfast/schema/media"
import type { CallOutcome, RecordedPart } from "@holdfast/schema/message"
import { type AdmittedInput, isNotice } from "@holdfast/schema/state/inbox"

export const textTokens = (text: string): number => estimateTokens(Buffer.byteLength(text), "prose")

const mediaTokens = (images: readonly Media[] = []): number =>
  images.reduce((sum, image) => sum + imageTokens(image), 0)

export const inputTokens = (input: AdmittedInput): number =>
  textTokens(input.text) + (isNotice(input) ? 0 : mediaTokens(input.images))

export function partTokens(part: RecordedPart): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return textTokens(part.text)
    case "hosted":
      return estimateTokens(JSON.stringify(part.native.opaque).length, "opaque")
    case "call":
      return estimateTokens(Buffer.byteLength(JSON.stringify(part.input)), "json")
  }
}

export const outcomeTokens = ({ output, images }: CallOutcome): number =>
  estimateTokens(Buffer.byteLength(output), "output") + mediaTokens(images)
