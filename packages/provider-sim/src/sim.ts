/** A provider that speaks every wire. */
import { anthropicMessages } from "./anthropic-messages/index.ts"
import { bedrockConverse } from "./bedrock-converse/index.ts"
import { bedrockInvoke } from "./bedrock-converse/invoke.ts"
import { gemini } from "./gemini/index.ts"
import { openaiChat } from "./openai-chat/index.ts"
import { openaiResponses } from "./openai-responses/index.ts"
import type { ProviderSimOptions, WireName } from "./sim-wire.ts"
import { type ProviderSim, simulate, speaking } from "./simulate.ts"
import { marksOf, type SourceMarks } from "./sources.ts"

export const createProviderSim = (options: ProviderSimOptions): ProviderSim =>
  simulate(
    options,
    speaking(anthropicMessages),
    speaking(openaiResponses),
    speaking(openaiChat),
    speaking(gemini),
    speaking(bedrockConverse),
    speaking(bedrockInvoke),
  )

/** Where the texts and rules of each wire come from. */
export function sourceMarks(): Readonly<Record<WireName, SourceMarks>> {
  return {
    "anthropic-messages": marksOf(anthropicMessages.sources),
    "openai-responses": marksOf(openaiResponses.sources),
    "openai-chat": marksOf(openaiChat.sources),
    gemini: marksOf(gemini.sources),
    "bedrock-converse": marksOf(bedrockConverse.sources),
  }
}
