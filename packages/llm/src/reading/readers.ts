/** How bodies of each wire are read, by its name; apart from the wires, which only write. */
import { readRequest as messages } from "../anthropic-messages/read-request.ts"
import { readRequest as converseBody } from "../bedrock-converse/read-request.ts"
import { readRequest as gemini } from "../gemini/read-request.ts"
import { readRequest as chat } from "../openai-chat/read-request.ts"
import { readRequest as responses } from "../openai-responses/read-request.ts"
import type { BodyReader } from "./read-request.ts"

export const readers: Readonly<Record<string, BodyReader>> = {
  "anthropic-messages": messages,
  "openai-responses": responses,
  "openai-chat": chat,
  gemini,
  "bedrock-converse": converseBody,
}
