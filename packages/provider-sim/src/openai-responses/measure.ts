/** Measure: a Responses request as the parts that the prompt cache compares. */
import type { JsonObject } from "../json.ts"
import type { CachePrompt, PromptPart } from "../prefix-cache.ts"
import { blockPart, cacheRulesOf, messageParts } from "../openai/prompt.ts"
import type { Accepted } from "../sim-wire.ts"
import { formatOf, itemsOf, partsOf } from "./body.ts"
import type { ContentPart, InputItem, ResponsesBody } from "./body.ts"
import { imageOfPart } from "./images.ts"

export function promptOf(
  { body, name, model, nowMs }: Accepted<ResponsesBody>,
  tokensMin: number,
): CachePrompt {
  const format = formatOf(body)
  return {
    seed: JSON.stringify([name, body.prompt_cache_key ?? null]),
    rules: cacheRulesOf(body, name, model),
    nowMs,
    tokensMin,
    parts: [
      ...(body.tools ?? []).map((tool) => ({ text: `tool ${JSON.stringify(tool)}` })),
      ...(format["type"] === "json_schema" ? [{ text: `format ${JSON.stringify(format)}` }] : []),
      ...((body.instructions ?? "") === "" ? [] : [{ text: `instructions ${body.instructions}` }]),
      ...itemsOf(body).flatMap(itemParts),
    ],
  }
}

/** Ids and states are not shown to the model; what was said is. */
function itemParts(item: InputItem): readonly PromptPart[] {
  if ("role" in item) {
    const type = item.role === "assistant" ? "output_text" : "input_text"
    return contentParts(item.role, partsOf(item.content, type), item.role === "user")
  }
  switch (item.type) {
    case "function_call":
      return [{ text: `call ${item.call_id} ${item.name} ${item.arguments}` }]
    case "custom_tool_call":
      return [{ text: `call ${item.call_id} ${item.name} ${item.input}` }]
    case "function_call_output":
    case "custom_tool_call_output":
      return contentParts(`output ${item.call_id}`, partsOf(item.output, "input_text"), true)
    case "reasoning":
      return [{ text: `reasoning ${JSON.stringify([item.summary, item.encrypted_content ?? null])}` }]
    case "hosted":
      return [{ text: `hosted ${JSON.stringify(item.item)}` }]
  }
}

function contentParts(
  role: string,
  parts: readonly ContentPart[],
  endsMessage: boolean,
): readonly PromptPart[] {
  const blocks = parts.map((part) =>
    blockPart(role, part as unknown as JsonObject, imageOfPart(part, "prompt")),
  )
  return messageParts(blocks, endsMessage)
}
