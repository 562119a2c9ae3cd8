/** Which calls of prompts are due. Apart from making them, because recovery asks too (TU7). */
import type { Message } from "@holdfast/schema/message"
import type { AdmittedCall } from "@holdfast/schema/prompt"

/** Those of the newest input, until something answers it. */
export function dueCalls(messages: readonly Message[]): readonly AdmittedCall[] {
  const answered = messages.findLastIndex(
    (message) => message.kind === "assistant" && message.parts.length > 0,
  )
  return messages
    .slice(answered + 1)
    .flatMap((message) =>
      message.kind === "user" && message.quarantined === undefined ? (message.calls ?? []) : [],
    )
}
