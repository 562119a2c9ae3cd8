/** Readers of recorded requests by the name of their wire; apart from the wires, which only write. */
import { readRequest as readMessages } from "./anthropic-messages/read-request.ts"
import { readRequest as readConverse } from "./bedrock-converse/read-request.ts"
import { readRequest as readGemini } from "./gemini/read-request.ts"
import { readRequest as readChat } from "./openai-chat/read-request.ts"
import { readRequest as readResponses } from "./openai-responses/read-request.ts"
import type { ReadRequest } from "./request/read-request.ts"
import type { Target } from "./segments.ts"

/** `model`: what the address named, where a wire has it there. */
type RequestReader = (
  body: string,
  tag: Pick<Target, "provider" | "endpoint"> & { readonly model?: string },
) => ReadRequest | null

export const requestReaders: Readonly<Record<string, RequestReader>> = {
  "anthropic-messages": readMessages,
  "openai-responses": readResponses,
  "openai-chat": readChat,
  gemini: readGemini,
  "bedrock-converse": readConverse,
}
