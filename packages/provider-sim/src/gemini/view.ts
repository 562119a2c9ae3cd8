/** View: a Gemini request as a simulated model sees it. */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { ToolChoice, ViewBlock, ViewMessage } from "../model.ts"
import { anyObject } from "../answer/sample.ts"
import { viewImage } from "../image/sent.ts"
import type { Accepted, WireView } from "../sim-wire.ts"
import { callIdAt, declarationsOf } from "./body.ts"
import type { GeminiBody, GeminiContent, GeminiPart } from "./body.ts"
import { imagesOfPart } from "./images.ts"

export function viewRequest(
  { body, name, model, outputMax }: Accepted<GeminiBody>,
  callIndex: number,
): WireView {
  return {
    model: name,
    callIndex,
    system: (body.systemInstruction?.parts ?? []).flatMap((part) => part.text ?? []).join("\n"),
    messages: body.contents.map(viewContent),
    tools: declarationsOf(body).map((one) => ({
      name: one.name,
      description: one.description ?? "",
      inputSchema: one.parametersJsonSchema ?? one.parameters ?? { type: "object" },
    })),
    toolChoice: viewChoice(body),
    // documented: a budget of zero turns thinking off.
    thinking: model.thinking === true && body.generationConfig?.thinkingConfig?.thinkingBudget !== 0,
    maxTokens: body.generationConfig?.maxOutputTokens ?? outputMax,
    stops: body.generationConfig?.stopSequences ?? [],
    outputSchema: schemaOf(body),
  }
}

function schemaOf({ generationConfig: config }: GeminiBody): JsonObject | undefined {
  const schema: unknown = config?.responseJsonSchema ?? config?.responseSchema
  if (isObject(schema)) return schema
  return config?.responseMimeType === "application/json" ? anyObject : undefined
}

function viewContent(content: GeminiContent, index: number): ViewMessage {
  let order = 0
  const role = content.role === "model" ? "assistant" : "user"
  return { role, blocks: content.parts.map((part) => viewPart(part, index, () => order++)) }
}

function viewPart(part: GeminiPart, index: number, next: () => number): ViewBlock {
  const images = imagesOfPart(part).map(viewImage)
  if (part.functionCall !== undefined) {
    const { name, args = {}, id } = part.functionCall
    return { type: "tool_use", id: id ?? callIdAt(index, next()), name, input: args }
  }
  if (part.functionResponse !== undefined) {
    const { response, id } = part.functionResponse
    // A response answers the call of the same order in the content before.
    const answered = id ?? callIdAt(index - 1, next())
    // documented: `output` or the whole is the result, `error` a failure. The AI SDK says `content`.
    const { error, output, result: named, content } = response
    const result = error ?? output ?? named ?? content ?? response
    const text = typeof result === "string" ? result : JSON.stringify(result)
    return { type: "tool_result", id: answered, text, isError: response["error"] !== undefined, images }
  }
  const [image] = images
  if (image !== undefined) return { type: "image", ...image }
  return { type: part.thought === true ? "thinking" : "text", text: part.text ?? "" }
}

function viewChoice(body: GeminiBody): ToolChoice {
  const { mode, allowedFunctionNames } = body.toolConfig?.functionCallingConfig ?? {}
  if (mode === "NONE") return { type: "none" }
  if (mode !== "ANY") return { type: "auto" }
  const [only, ...more] = allowedFunctionNames ?? []
  return only !== undefined && more.length === 0 ? { type: "tool", name: only } : { type: "any" }
}
