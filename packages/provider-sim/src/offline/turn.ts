/**
 * Turn: what the offline agent knows of the conversation, read from its end.
 *
 * Everything is derived from the request, so the agent needs no memory and survives restarts.
 */
import type { RequestView, ViewMessage } from "../model.ts"
import type { JsonObject } from "../json.ts"

export interface DoneCall {
  readonly name: string
  readonly input: JsonObject
  readonly text: string
  readonly isError: boolean
}

export interface AgentTurn {
  /** The newest text a person wrote. */
  readonly text: string
  /** Assistant messages since that text. */
  readonly step: number
  /** Tool rounds since that text, each with its results. */
  readonly rounds: readonly (readonly DoneCall[])[]
}

/**
 * A runtime may wrap what it says itself in a tag: notices, system updates, history, memory. Such
 * passages are not the user's words.
 */
const noticePattern =
  /<([a-z][\w-]*(?:system|notice|update|reminder|context|history|memory|summary|environment)[\w-]*|(?:system|notice|update|reminder|context|history|memory|summary|environment)[\w-]*)(?:\s[^>]*)?>[\s\S]*?<\/\1>/gi

export function readTurn(view: RequestView): AgentTurn {
  for (let index = view.messages.length - 1; index >= 0; index--) {
    const message = view.messages[index]
    if (message?.role !== "user") continue
    const text = ownWords(message)
    if (text === "") continue
    const since = view.messages.slice(index + 1)
    return {
      text,
      step: since.filter((item) => item.role === "assistant").length,
      rounds: roundsOf(since),
    }
  }
  return { text: "", step: 0, rounds: [] }
}

function ownWords(message: ViewMessage): string {
  return message.blocks
    .flatMap((block) => (block.type === "text" ? [block.text.replace(noticePattern, "").trim()] : []))
    .filter((text) => text !== "")
    .join("\n")
}

function roundsOf(messages: readonly ViewMessage[]): readonly (readonly DoneCall[])[] {
  const results = new Map(
    messages
      .flatMap((message) => message.blocks)
      .flatMap((block) => (block.type === "tool_result" ? [[block.id, block] as const] : [])),
  )
  return messages
    .map((message) =>
      message.blocks.flatMap((block) => {
        if (block.type !== "tool_use") return []
        const result = results.get(block.id)
        return [
          {
            name: block.name,
            input: block.input,
            text: result?.text ?? "",
            isError: result?.isError ?? false,
          },
        ]
      }),
    )
    .filter((round) => round.length > 0)
}
