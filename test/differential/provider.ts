/**
 * The strict provider as a judge: what it says of a body that the wire has written.
 *
 * Linter and provider were written apart from each other, from the same documentation; where they
 * differ, one of them is wrong. Both models refuse a final answer of the assistant, as current
 * models do; only one takes the system role inside a conversation.
 */
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import type { Target } from "@holdfast/llm/segments"
import type { Encoded } from "@holdfast/llm/wire"
import { createProviderSim, type ProviderSim, scripted, textReply } from "@holdfast/provider-sim"

export interface Judgement {
  readonly accepted: boolean
  /** The provider's words, empty if it accepts. */
  readonly message: string
  readonly body: unknown
}

const modelWithRole = "sim-with-system-role"
const modelWithoutRole = "sim-without-system-role"

/** Whom a request is for; the model follows from whether the system role is taken. */
export const targetOf = (settings: Settings = {}): Target => ({
  provider: "anthropic",
  model: settings.systemRole === true ? modelWithRole : modelWithoutRole,
  endpoint: "https://api.invalid",
  options: optionsOf(settings),
})

interface Settings {
  readonly thinkingTokens?: number | null
  readonly systemRole?: boolean
  readonly cacheTtl?: "5m" | "1h"
}

const optionsOf = ({ thinkingTokens = null, systemRole = false, cacheTtl = "5m" }: Settings) =>
  plainOptions(8_000, {
    model: {
      cacheTtl,
      ...(thinkingTokens === null ? {} : { reasoning: { kind: "budget", tokens: thinkingTokens } }),
    },
    traits: { systemRole },
  })

export function makeJudge(): ProviderSim {
  const traits = { thinking: true, prefill: false, limit: { context: 100_000_000, output: 64_000 } }
  const model = scripted(() => textReply("Understood."), traits)
  const models = { [modelWithRole]: { ...model, systemRole: true }, [modelWithoutRole]: model }
  return createProviderSim({ models, logMax: 1 })
}

export const bodyOf = (encoded: Encoded, target: Target, previousBlocks = 0): Buffer =>
  Buffer.concat(anthropicMessages.place(encoded, target, previousBlocks).body)

export function judge(sim: ProviderSim, body: Uint8Array, nowMs = 0): Judgement {
  const headers = anthropicMessages.headers("key")
  const { status } = sim.respond({ method: "POST", path: "/v1/messages", headers, body }, nowMs)
  const record = sim.log.at(-1)
  return { accepted: status === 200, message: record?.error?.message ?? "", body: record?.body }
}
