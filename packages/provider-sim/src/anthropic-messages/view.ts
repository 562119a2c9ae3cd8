/** View: a validated request body as a simulated model sees it. */
import { blocksOf, systemBlocks } from "./request-body.ts"
import type { ContentBlock, MessagesBody, ToolResultBlock } from "./request-body.ts"
import type { ViewBlock, ViewImage } from "../model.ts"
import { viewImage } from "../image/sent.ts"
import type { WireView } from "../sim-wire.ts"
import { imageOf } from "./images.ts"

export function viewRequest(body: MessagesBody, callIndex: number): WireView {
  return {
    model: body.model,
    callIndex,
    system: systemBlocks(body)
      .map((block) => block.text)
      .join("\n"),
    messages: body.messages.map((message) => ({
      role: message.role,
      blocks: blocksOf(message.content).flatMap(viewBlock),
    })),
    tools: (body.tools ?? []).flatMap(({ name, description = "", input_schema: inputSchema }) =>
      inputSchema === undefined ? [] : [{ name, description, inputSchema }],
    ),
    toolChoice: body.tool_choice ?? { type: "auto" },
    thinking: body.thinking !== undefined && body.thinking.type !== "disabled",
    maxTokens: body.max_tokens,
  }
}

/** What a tool of the provider did is no word of the conversation. */
function viewBlock(block: ContentBlock): ViewBlock | readonly [] {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text }
    case "image":
      return { type: "image", ...viewImage(imageOf(block, "", "prompt")) }
    case "thinking":
      return { type: "thinking", text: block.thinking }
    case "redacted_thinking":
      return { type: "redacted_thinking" }
    case "tool_use":
      return { type: "tool_use", id: block.id, name: block.name, input: block.input }
    case "tool_result":
      return {
        type: "tool_result",
        id: block.tool_use_id,
        text: resultText(block),
        isError: block.is_error === true,
        images: resultImages(block),
      }
    default:
      return []
  }
}

function resultText(block: ToolResultBlock): string {
  if (block.content === undefined) return ""
  if (typeof block.content === "string") return block.content
  return block.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
}

function resultImages({ content }: ToolResultBlock): readonly ViewImage[] {
  if (typeof content !== "object") return []
  return content.flatMap((part) => (part.type === "image" ? [viewImage(imageOf(part, "", "result"))] : []))
}
