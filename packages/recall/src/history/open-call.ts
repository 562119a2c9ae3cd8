/** Where the protected tail begins, and a call inside it that has not settled: its pair is never split (TA1). */
import type { Message } from "@holdfast/schema/message"
import { rawTokens } from "../size.ts"

/** Where a suffix of so many tokens begins. */
export function tailStart(messages: readonly Message[], tokens: number): number {
  let left = tokens
  for (let at = messages.length - 1; at >= 0; at--) {
    left -= rawTokens(messages[at] as Message)
    if (left < 0) return at + 1
  }
  return 0
}

/** The place of the first open call in a tail of so many tokens; one before it holds nothing. */
export function openCallAt(messages: readonly Message[], tokens: number): number | null {
  const sized = tailStart(messages, tokens)
  const open = messages.findIndex((message, at) => at >= sized && isOpen(message))
  return open === -1 ? null : open
}

const isOpen = (message: Message): boolean =>
  message.kind === "assistant" &&
  message.parts.some(({ part }) => part.type === "call" && part.outcome === null)
