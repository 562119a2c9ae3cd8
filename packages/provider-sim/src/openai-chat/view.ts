/** View: a Chat Completions request as a simulated model sees it. */
import { isObject, parseObject } from "../json.ts"
import type { ViewBlock, ViewMessage } from "../model.ts"
import { joinTurns, resultBlock, splitSystem, viewChoice } from "../openai/view.ts"
import { viewImage } from "../image/sent.ts"
import type { Accepted, WireView } from "../sim-wire.ts"
import { outputLimitOf, partsOf, thinkingOf } from "./body.ts"
import type { ChatBody, ChatCall, ChatMessage } from "./body.ts"
import { imageOfPart } from "./images.ts"

export function viewRequest(
  { body, name, model, outputMax }: Accepted<ChatBody>,
  callIndex: number,
): WireView {
  const { system, rest } = splitSystem(joinTurns(body.messages.map(viewMessage)))
  return {
    model: name,
    callIndex,
    system,
    messages: rest,
    tools: (body.tools ?? []).map(({ function: tool }) => ({
      name: tool.name,
      description: tool.description ?? "",
      inputSchema: tool.parameters ?? { type: "object" },
    })),
    toolChoice: viewChoice(body.tool_choice ?? "auto", (choice) =>
      isObject(choice["function"]) ? choice["function"]["name"] : undefined,
    ),
    // documented: a reasoning model reasons unless it is told not to.
    thinking: model.thinking === true && body.reasoning_effort !== "none",
    maxTokens: outputLimitOf(body) ?? outputMax,
  }
}

function viewMessage(message: ChatMessage): ViewMessage {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", blocks: viewParts(message) }
    case "user":
      return { role: "user", blocks: viewParts(message) }
    case "tool":
    case "function": {
      const text = partsOf(message)
        .flatMap((part) => part.text ?? [])
        .join("\n")
      return { role: "user", blocks: [resultBlock(message.tool_call_id ?? message.name ?? "", text)] }
    }
    case "assistant": {
      const thinking = thinkingOf(message)
      const thoughts: readonly ViewBlock[] = thinking === "" ? [] : [{ type: "thinking", text: thinking }]
      const calls = (message.tool_calls ?? []).map(viewCall)
      return { role: "assistant", blocks: [...thoughts, ...viewParts(message), ...calls] }
    }
  }
}

function viewCall(call: ChatCall): ViewBlock {
  const input = parseObject(call.function.arguments) ?? {}
  return { type: "tool_use", id: call.id, name: call.function.name, input }
}

function viewParts(message: ChatMessage): readonly ViewBlock[] {
  return partsOf(message).map((part) => {
    const image = imageOfPart(part)
    return image === undefined
      ? { type: "text", text: part.text ?? part.refusal ?? "" }
      : { type: "image", ...viewImage(image) }
  })
}
