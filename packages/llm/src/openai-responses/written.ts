/** A Responses body as somebody wrote it: what of it means nothing, and its blocks (LL3). */
import { type Fields, fieldsOf, listOf } from "../json-fields.ts"
import {
  conversation,
  imagesFirst,
  plainImage,
  withOneRole,
  withOrderedTools,
  withoutMarkers,
  type WrittenForm,
  writtenTools,
} from "../recording/written-form.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { readRequest } from "./read-request.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: (body) =>
    withoutMarkers({
      ...withOrderedTools(body, isHostedTool),
      input: listOf(body["input"]).map(writtenOut),
    }),
  blocks: (body, promptRole) => {
    const input =
      typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : body["input"]
    const { instructions } = body
    const given = typeof instructions === "string" ? [{ role: promptRole, content: instructions }] : []
    const items = [...given, ...listOf(input)].map(withParts)
    return [...writtenTools(body["tools"]), ...conversation(items, promptRole)]
  },
  faults: () => [],
}

/** An input item with its type, and its text as a part. */
function writtenOut(value: unknown): Fields {
  const item = fieldsOf(value)
  const { content } = item
  const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : content
  const { output } = item
  const shown = Array.isArray(output) ? { output: output.map(plainImage) } : {}
  return withOneRole({ type: "message", ...item, ...shown, content: imagesFirst(parts) })
}

function withParts(value: unknown): Fields {
  const item = fieldsOf(value)
  const { content, role } = item
  if (item["type"] !== undefined && item["type"] !== "message") return item
  const type = role === "assistant" ? "output_text" : "input_text"
  const parts = typeof content === "string" ? [{ type, text: content }] : content
  return { type: "message", ...item, content: parts }
}
