/** All wires at once, for recordings, which may be of any; a turn loads the one that it speaks. */
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
