/** What a stretch of history holds, as one text: reductions leave it as it is, an edit does not (HI4). Its hash is a fingerprint. */
import type { Message } from "../message.ts"

/** System messages are nobody's to sum up. */
export const contentText = (messages: readonly Message[]): string =>
  JSON.stringify(messages.filter(({ kind }) => kind !== "system").map(contentOf))

function contentOf(message: Message): unknown {
  if (message.kind !== "system" && message.quarantined !== undefined) return [message.id]
  if (message.kind !== "assistant") return [message.id, message.text]
  return [message.id, message.parts.map(({ part }) => part)]
}
