/** What one item of a transcript holds, in either of its two shapes. */
import { answerParts, contentOf, resultOf } from "../claude-code/blocks.ts"
import { isWrapped } from "../claude-code/kinds.ts"
import { itemOf } from "../codex/items.ts"
import { isObject, type JsonFields, elementsOf, stringOf } from "../reading/fields.ts"
import type { ForeignImage, ForeignPart, ResultRecord } from "../record.ts"

export interface Holds {
  /** The model said it. */
  readonly answer: boolean
  readonly parts: readonly ForeignPart[]
  readonly results: readonly Pick<ResultRecord, "call" | "state" | "text" | "images">[]
  readonly prompt: {
    readonly by: "person" | "agent"
    readonly text: string
    readonly images: readonly ForeignImage[]
  } | null
  readonly unknown: readonly string[]
}

const nothing: Holds = { answer: false, parts: [], results: [], prompt: null, unknown: [] }

export function anthropicItem(item: JsonFields): Holds {
  if (item["role"] === "assistant") return { ...nothing, answer: true, ...answerParts(item["content"]) }
  const { text, images, unknown } = contentOf(item["content"])
  const results = elementsOf(item["content"])
    .filter(isObject)
    .filter((block) => block["type"] === "tool_result")
    .map(resultOf)
  const by = item["role"] !== "user" || isWrapped(text) ? ("agent" as const) : ("person" as const)
  const said = text !== "" || images.length > 0
  return { ...nothing, results, prompt: said ? { by, text, images } : null, unknown }
}

export function openaiItem(item: JsonFields): Holds {
  const read = itemOf(item)
  if (read === null) return { ...nothing, unknown: [stringOf(item["type"]) ?? ""] }
  if (read.kind === "part") return { ...nothing, answer: true, parts: [read.part] }
  if (read.kind === "result") return { ...nothing, results: [read.result] }
  const { by, text, images } = read
  return { ...nothing, prompt: { by, text, images } }
}
