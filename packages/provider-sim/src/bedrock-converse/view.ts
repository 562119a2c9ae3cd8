/** View: a Converse request as a simulated model sees it. */
import type { ToolChoice, ViewBlock } from "../model.ts"
import { viewImage } from "../image/sent.ts"
import type { Accepted, WireView } from "../sim-wire.ts"
import type { ConverseBlock, ConverseBody } from "./body.ts"
import { imageOf } from "./images.ts"

export function viewRequest(
  { body, name, model, outputMax }: Accepted<ConverseBody>,
  callIndex: number,
): WireView {
  return {
    model: name,
    callIndex,
    system: (body.system ?? []).flatMap((block) => block.text ?? []).join("\n"),
    messages: body.messages.map(({ role, content }) => ({ role, blocks: content.flatMap(viewBlock) })),
    tools: (body.toolConfig?.tools ?? []).flatMap(({ toolSpec: spec }) =>
      spec === undefined
        ? []
        : [{ name: spec.name, description: spec.description ?? "", inputSchema: spec.inputSchema.json }],
    ),
    toolChoice: viewChoice(body),
    // documented: thinking is asked for in the fields of the model.
    thinking: model.thinking === true && asksToThink(body),
    maxTokens: body.inferenceConfig?.maxTokens ?? outputMax,
    stops: body.inferenceConfig?.stopSequences ?? [],
    outputSchema: undefined,
  }
}

function asksToThink(body: ConverseBody): boolean {
  const fields = body.additionalModelRequestFields ?? {}
  return fields["thinking"] !== undefined || fields["reasoningConfig"] !== undefined
}

function viewChoice(body: ConverseBody): ToolChoice {
  const { any, tool } = body.toolConfig?.toolChoice ?? {}
  if (tool !== undefined) return { type: "tool", name: tool.name }
  return { type: any === undefined ? "auto" : "any" }
}

function viewBlock(block: ConverseBlock): readonly ViewBlock[] {
  if (block.text !== undefined) return [{ type: "text", text: block.text }]
  if (block.toolUse !== undefined) {
    const { toolUseId: id, name, input } = block.toolUse
    return [{ type: "tool_use", id, name, input }]
  }
  if (block.toolResult !== undefined) {
    const { toolUseId: id, content, status } = block.toolResult
    const text = content.flatMap((part) => part.text ?? JSON.stringify(part.json) ?? []).join("\n")
    const images = content.flatMap(({ image }) =>
      image === undefined ? [] : [viewImage(imageOf(image, "result"))],
    )
    return [{ type: "tool_result", id, text, isError: status === "error", images }]
  }
  if (block.reasoningContent !== undefined) {
    const thought = block.reasoningContent.reasoningText
    return thought === undefined
      ? [{ type: "redacted_thinking" }]
      : [{ type: "thinking", text: thought.text }]
  }
  return block.image === undefined ? [] : [{ type: "image", ...viewImage(imageOf(block.image, "prompt")) }]
}
