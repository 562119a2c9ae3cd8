/**
 * What was added since a provider last took a request: if it refuses the next one, the cause is
 * among these (LL7). An answer is added by itself, and so are the results of its calls; that it has
 * parts shows that the request before it was taken. Nothing here needs effect.
 */
import type { AssistantMessage, Message, NoticeMessage, UserMessage } from "../message.ts"

/** Whether what is in a request may be why it was refused. */
export const isContentRefusal = (code: string): boolean => contentCodes.has(code)

const contentCodes: ReadonlySet<string> = new Set([
  "invalid_request",
  "request_too_large",
  "context_overflow",
  "content_policy",
  "unknown",
])

/** A message that can be taken out. */
export type Removable = UserMessage | NoticeMessage | AssistantMessage

/** In order; null if no request was taken yet. Those that are taken out already are left out. */
export function addedSinceTaken(messages: readonly Message[]): readonly Removable[] | null {
  const taken = messages.findLastIndex((message) => message.kind === "assistant" && message.parts.length > 0)
  return taken < 0 ? null : messages.slice(taken).filter(isRemovable)
}

const isRemovable = (message: Message): message is Removable =>
  message.kind !== "system" &&
  message.quarantined === undefined &&
  (message.kind !== "assistant" || message.parts.length > 0)
