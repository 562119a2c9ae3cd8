/** View: a Responses request as a simulated model sees it. */
import { parseObject } from "../json.ts"
import type { ViewBlock, ViewImage, ViewMessage, ViewTool } from "../model.ts"
import { joinTurns, resultBlock, schemaOfFormat, splitSystem, viewChoice } from "../openai/view.ts"
import { viewImage } from "../image/sent.ts"
import type { Accepted, WireView } from "../sim-wire.ts"
import { formatOf, itemsOf, partsOf, textOfParts } from "./body.ts"
import type { ContentPart, InputItem, ResponsesBody, ToolItem } from "./body.ts"
import { imageOfPart } from "./images.ts"

export function viewRequest(
  { body, name, model, outputMax }: Accepted<ResponsesBody>,
  callIndex: number,
): WireView {
  const { system, rest } = splitSystem(joinTurns(itemsOf(body).map(viewItem)))
  return {
    model: name,
    callIndex,
    system: [body.instructions ?? "", system].filter((text) => text !== "").join("\n"),
    messages: rest,
    tools: (body.tools ?? []).flatMap(viewTool),
    toolChoice: viewChoice(body.tool_choice ?? "auto", (choice) => choice["name"]),
    // documented: a reasoning model reasons unless it is told not to.
    thinking: model.thinking === true && body.reasoning?.effort !== "none",
    maxTokens: body.max_output_tokens ?? outputMax,
    stops: [],
    outputSchema: schemaOfFormat(formatOf(body)["type"], formatOf(body)["schema"]),
  }
}

function viewTool(tool: ToolItem): readonly ViewTool[] {
  if (tool.type !== "function" || tool.name === undefined) return []
  const inputSchema = tool.parameters ?? { type: "object" }
  return [{ name: tool.name, description: tool.description ?? "", inputSchema }]
}

function viewItem(item: InputItem): ViewMessage {
  if ("role" in item) {
    const role = item.role === "developer" ? "system" : item.role
    return { role, blocks: partsOf(item.content, "input_text").map(viewPart) }
  }
  const said = (...blocks: readonly ViewBlock[]): ViewMessage => ({ role: "assistant", blocks })
  switch (item.type) {
    case "function_call": {
      const input = parseObject(item.arguments) ?? {}
      return said({ type: "tool_use", id: item.call_id, name: item.name, input })
    }
    case "custom_tool_call":
      return said({ type: "tool_use", id: item.call_id, name: item.name, input: { input: item.input } })
    case "function_call_output":
    case "custom_tool_call_output":
      return {
        role: "user",
        blocks: [resultBlock(item.call_id, textOfParts(item.output), resultImages(item.output))],
      }
    case "reasoning":
      return said(viewReasoning(item.summary.map((part) => part.text).join("\n\n")))
    case "hosted":
      return said()
  }
}

function viewReasoning(summary: string): ViewBlock {
  return summary === "" ? { type: "redacted_thinking" } : { type: "thinking", text: summary }
}

function viewPart(part: ContentPart): ViewBlock {
  const image = imageOfPart(part, "prompt")
  if (image !== undefined) return { type: "image", ...viewImage(image) }
  return { type: "text", text: part.text ?? part.refusal ?? "" }
}

function resultImages(output: string | readonly ContentPart[]): readonly ViewImage[] {
  return partsOf(output, "input_text").flatMap((part) => {
    const image = imageOfPart(part, "result")
    return image === undefined ? [] : [viewImage(image)]
  })
}
