/**
 * Past thinking: what older models no longer see of a conversation.
 *
 * documented: they drop the thinking of earlier turns once a user message says more than results
 * of tools. The prefix then ends at the first block dropped. Later models keep it.
 */
import { blocksOf } from "./request-body.ts"
import type { MessagesBody, WireMessage } from "./request-body.ts"

export function withoutPastThinking(body: MessagesBody): MessagesBody {
  const turnStart = body.messages.findLastIndex(startsTurn)
  return {
    ...body,
    messages: body.messages.map((message, index) =>
      index < turnStart && message.role === "assistant" ? withoutThinking(message) : message,
    ),
  }
}

function startsTurn({ role, content }: WireMessage): boolean {
  return role === "user" && blocksOf(content).some((block) => block.type !== "tool_result")
}

function withoutThinking(message: WireMessage): WireMessage {
  const kept = blocksOf(message.content).filter((block) => !block.type.endsWith("thinking"))
  return { ...message, content: kept }
}
