/** Readers of recorded requests by the name of their wire; apart from the wires, which only write. */
import { readRequest as readMessages } from "./anthropic-messages/read-request.ts"
import { readRequest as readChat } from "./openai-chat/read-request.ts"
import { readRequest as readResponses } from "./openai-responses/read-request.ts"
import type { ReadRequest } from "./request/read-request.ts"
import type { Target } from "./segments.ts"

type RequestReader = (body: string, tag: Pick<Target, "provider" | "endpoint">) => ReadRequest | null

export const requestReaders: Readonly<Record<string, RequestReader>> = {
  "anthropic-messages": readMessages,
  "openai-responses": readResponses,
  "openai-chat": readChat,
}
