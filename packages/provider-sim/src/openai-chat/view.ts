/** View: a Chat Completions request as a simulated model sees it. */
import { isObject, parseObject, wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { ViewBlock, ViewMessage } from "../model.ts"
import { joinTurns, resultBlock, schemaOfFormat, splitSystem, viewChoice } from "../openai/view.ts"
import { viewImage } from "../image/sent.ts"
import type { Accepted, WireView } from "../sim-wire.ts"
import { outputLimitOf, partsOf, stopsOf, thinkingOf, toolsOf } from "./body.ts"
import type { ChatBody, ChatCall, ChatMessage } from "./body.ts"
import { imageOfPart } from "./images.ts"

export function viewRequest(
  { body, name, model, outputMax }: Accepted<ChatBody>,
  callIndex: number,
): WireView {
  const { system, rest } = splitSystem(joinTurns(body.messages.map(viewMessage)))
  const format = body.response_format ?? {}
  const schema = format["json_schema"]
  return {
    model: name,
    callIndex,
    system,
    messages: rest,
    tools: toolsOf(body).map((tool) => ({
      name: tool.name,
      description: tool.description ?? "",
      inputSchema: tool.parameters ?? { type: "object" },
    })),
    toolChoice: viewChoice(body.tool_choice ?? body.function_call ?? "auto", chosenName),
    // documented: a reasoning model reasons unless it is told not to.
    thinking: model.thinking === true && body.reasoning_effort !== "none",
    maxTokens: outputLimitOf(body) ?? outputMax,
    stops: stopsOf(body),
    outputSchema: schemaOfFormat(format["type"], isObject(schema) ? schema["schema"] : undefined),
  }
}

/** The name stands inside a function, inside a tool that takes a text, or, in the form of old, alone. */
function chosenName(choice: JsonObject): unknown {
  const holder = choice["function"] ?? choice["custom"] ?? choice
  return isObject(holder) ? holder["name"] : undefined
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
      const calls = [...(message.tool_calls ?? []), ...oldCalls(message)].map(viewCall)
      return { role: "assistant", blocks: [...thoughts, ...viewParts(message), ...calls] }
    }
  }
}

/** A call in the form of old has no id; its function answers by its name. */
function oldCalls({ function_call: called }: ChatMessage): readonly ChatCall[] {
  if (!isObject(called)) return []
  const name = wordOf(called["name"])
  return [{ id: name, function: { name, arguments: wordOf(called["arguments"]) } }]
}

function viewCall({ id, function: called, custom }: ChatCall): ViewBlock {
  if (called === undefined) {
    return { type: "tool_use", id, name: custom?.name ?? "", input: { input: custom?.input ?? "" } }
  }
  return { type: "tool_use", id, name: called.name, input: parseObject(called.arguments) ?? {} }
}

function viewParts(message: ChatMessage): readonly ViewBlock[] {
  return partsOf(message).map((part) => {
    const image = imageOfPart(part)
    return image === undefined
      ? { type: "text", text: part.text ?? part.refusal ?? "" }
      : { type: "image", ...viewImage(image) }
  })
}
