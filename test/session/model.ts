/** The model that a stage speaks to, and how it fails. */
import type { ModelSetup } from "@holdfast/core/session/ports"
import { plainOptions } from "@holdfast/llm/options"
import type { Fault, Reply } from "@holdfast/provider-sim"
import type { Price } from "@holdfast/schema/model"
import { anyModel } from "../stage/model.ts"

export interface ModelSettings {
  readonly contextTokens?: number
  readonly price?: Price
  readonly thinking?: boolean
  /** How long cached prefixes are to live. */
  readonly lifetime?: "auto" | "5m" | "1h"
  /** What is configured of how long its answers may take. */
  readonly timeouts?: NonNullable<ModelSetup["timeouts"]>
}

const outputTokensMax = 1_000
const thinkingTokens = 1_024
const thinks = { model: { reasoning: { kind: "budget", tokens: thinkingTokens } } } as const

export function stageModel({
  contextTokens = 200_000,
  price,
  thinking = false,
  lifetime,
  timeouts,
}: ModelSettings) {
  const options = thinking
    ? plainOptions(outputTokensMax + thinkingTokens, thinks)
    : plainOptions(outputTokensMax)
  return anyModel({
    contextTokens,
    price: price ?? null,
    options,
    ...(lifetime && { lifetime }),
    ...(timeouts && { timeouts }),
  })
}

/** Speaks letter by letter, with a fault on the way. */
export const faulty = (fault: Fault, more: Partial<Reply> = {}): Reply => ({
  blocks: [{ type: "text", text: "abcdefghij" }],
  chunkChars: 1,
  ...more,
  fault,
})
