/** The model that a stage speaks to, by whatever name it is asked for. */
import { Effect } from "effect"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import type { Fault, Reply } from "@holdfast/provider-sim"
import type { Price } from "@holdfast/schema/model"
import type { RuntimePorts } from "@holdfast/core/session/ports"

export interface ModelSettings {
  readonly contextTokens?: number
  readonly price?: Price
  readonly thinking?: boolean
}

const outputTokensMax = 1_000
const thinkingTokens = 1_024

export function stageModel(settings: ModelSettings): RuntimePorts["model"] {
  const { contextTokens = 200_000, price = null, thinking = false } = settings
  return (asked) => {
    const ref = asked ?? { provider: "sim", model: "script" }
    const options = plainOptions(
      outputTokensMax + (thinking ? thinkingTokens : 0),
      thinking ? { model: { reasoning: { kind: "budget", tokens: thinkingTokens } } } : {},
    )
    const target = { ...ref, endpoint: "http://sim", options }
    const setup = { ref, wire: anthropicMessages, target, contextTokens, price }
    return Effect.succeed({ ...setup, url: "http://sim", credential: "key" })
  }
}

/** Speaks letter by letter, with a fault on the way. */
export const faulty = (fault: Fault, more: Partial<Reply> = {}): Reply => ({
  blocks: [{ type: "text", text: "abcdefghij" }],
  chunkChars: 1,
  ...more,
  fault,
})
