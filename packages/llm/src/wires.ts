/** The wires by name: configuration and stored turns name them, only a wire knows its format (LL1). */
import { aiSdk } from "./ai-sdk/index.ts"
import { anthropicMessages } from "./anthropic-messages/index.ts"
import { bedrockConverse } from "./bedrock-converse/index.ts"
import { gemini } from "./gemini/index.ts"
import { openaiChat } from "./openai-chat/index.ts"
import { openaiResponses } from "./openai-responses/index.ts"
import type { Wire } from "./wire.ts"

export const wires: Readonly<Record<string, Wire>> = {
  [anthropicMessages.name]: anthropicMessages,
  [openaiResponses.name]: openaiResponses,
  [openaiChat.name]: openaiChat,
  [gemini.name]: gemini,
  [bedrockConverse.name]: bedrockConverse,
  [aiSdk.name]: aiSdk,
}
