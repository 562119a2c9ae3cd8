/**
 * Turn: what the offline agent knows of the conversation, read from its end.
 *
 * Everything is derived from the request, so the agent needs no memory and survives restarts.
 */
import { imagesIn } from "../model.ts"
import type { RequestView, ViewImage, ViewMessage } from "../model.ts"
import type { JsonObject } from "../json.ts"

export interface DoneCall {
  readonly name: string
  readonly input: JsonObject
  readonly text: string
  readonly isError: boolean
  readonly images: readonly ViewImage[]
}

export interface AgentTurn {
  /** The newest text a person wrote. */
  readonly text: string
  /** The images that came with it, and those that came beside results since. */
  readonly images: readonly ViewImage[]
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

/** A runtime may number what is said and what tools put out: `§12§ `. */
const tagPattern = /^§\d{1,12}§ ?/

export function readTurn(view: RequestView): AgentTurn {
  for (let index = view.messages.length - 1; index >= 0; index--) {
    const message = view.messages[index]
    if (message?.role !== "user") continue
    const text = ownWords(message)
    const images = answersCalls(message) ? [] : imagesOf(message)
    if (text === "" && images.length === 0) continue
    const since = view.messages.slice(index + 1)
    return {
      text,
      images: [...images, ...since.filter(answersCalls).flatMap(imagesOf)],
      step: since.filter((item) => item.role === "assistant").length,
      rounds: roundsOf(since),
    }
  }
  return { text: "", images: [], step: 0, rounds: [] }
}

function ownWords(message: ViewMessage): string {
  return message.blocks
    .flatMap((block) =>
      block.type === "text" ? [block.text.replace(noticePattern, "").trim().replace(tagPattern, "")] : [],
    )
    .filter((text) => text !== "")
    .join("\n")
}

/** Images beside results belong to them, on a wire whose results hold none. */
function answersCalls(message: ViewMessage): boolean {
  return message.blocks.some((block) => block.type === "tool_result")
}

function imagesOf(message: ViewMessage): readonly ViewImage[] {
  const blocks = message.blocks.filter((block) => block.type === "image")
  return imagesIn([{ ...message, blocks }])
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
            text: (result?.text ?? "").replace(tagPattern, ""),
            isError: result?.isError ?? false,
            images: result?.images ?? [],
          },
        ]
      }),
    )
    .filter((round) => round.length > 0)
}
