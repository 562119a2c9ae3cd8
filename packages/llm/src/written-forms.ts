/** How bodies of each wire are read, by its name; apart from the wires, which only write. */
import { writtenForm as messages } from "./anthropic-messages/written.ts"
import { writtenForm as converse } from "./bedrock-converse/written.ts"
import { writtenForm as gemini } from "./gemini/written.ts"
import { writtenForm as chat } from "./openai-chat/written.ts"
import { writtenForm as responses } from "./openai-responses/written.ts"
import type { WrittenForm } from "./recording/written-form.ts"

export const writtenForms: Readonly<Record<string, WrittenForm>> = {
  "anthropic-messages": messages,
  "openai-responses": responses,
  "openai-chat": chat,
  gemini,
  "bedrock-converse": converse,
}
