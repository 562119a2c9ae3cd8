/** View: a validated request body as a simulated model sees it. */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { blocksOf, documentText, systemBlocks } from "./request-body.ts"
import type { ContentBlock, MessagesBody, ResultPart, ToolResultBlock, WireTool } from "./request-body.ts"
import type { ViewBlock, ViewImage, ViewTool } from "../model.ts"
import { viewImage } from "../image/sent.ts"
import type { WireView } from "../sim-wire.ts"
import { imageOf } from "./images.ts"
import { familyOf } from "./validate/tools.ts"

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
    tools: (body.tools ?? []).flatMap(viewTool),
    toolChoice: body.tool_choice ?? { type: "auto" },
    thinking: body.thinking !== undefined && body.thinking.type !== "disabled",
    maxTokens: body.max_tokens,
    stops: body.stop_sequences ?? [],
    outputSchema: schemaOf(body.output_config?.["format"]),
  }
}

/** documented: what the client runs itself although its form is known to the model. */
const typedInputs: Readonly<Record<string, readonly string[]>> = {
  bash: ["command"],
  computer: ["action"],
  memory: ["command", "path"],
  text_editor: ["command", "path"],
}

function viewTool({ type, name, description = "", input_schema: schema }: WireTool): readonly ViewTool[] {
  const required = typedInputs[familyOf(type ?? "custom") ?? ""]
  if (name === undefined) return []
  if (schema !== undefined) return [{ name, description, inputSchema: schema }]
  if (required === undefined) return []
  const properties = Object.fromEntries(required.map((key) => [key, { type: "string" }]))
  return [{ name, description, inputSchema: { type: "object", properties, required } }]
}

function schemaOf(format: unknown): JsonObject | undefined {
  return isObject(format) && isObject(format["schema"]) ? format["schema"] : undefined
}

/** What a tool of the provider did is no word of the conversation. */
function viewBlock(block: ContentBlock): ViewBlock | readonly [] {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text }
    case "document":
      return { type: "text", text: documentText(block) }
    case "search_result":
      return { type: "text", text: block.content.map((part) => part.text).join("\n") }
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
  return block.content.flatMap(partText).join("\n")
}

function partText(part: ResultPart): readonly string[] {
  if (part.type === "text") return [part.text]
  if (part.type === "document") return [documentText(part)]
  return part.type === "search_result" ? part.content.map(({ text }) => text) : []
}

function resultImages({ content }: ToolResultBlock): readonly ViewImage[] {
  if (typeof content !== "object") return []
  return content.flatMap((part) => (part.type === "image" ? [viewImage(imageOf(part, "", "result"))] : []))
}
