/** A Responses body as somebody wrote it: what it means, and its blocks (LL3). */
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import { conversation, type WrittenBlock, type WrittenForm, writtenTools } from "../recording/written-form.ts"
import { bodyFaults } from "./body-faults.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { givenItems, plainItems, withoutMarks } from "./item-meaning.ts"
import { readRequest } from "./read-request.ts"
import { plainSettings } from "./read-settings.ts"
import { plainTools } from "./tool-forms.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: (body, asked) => ({
    ...plainSettings(body, asked),
    tools: plainTools(body["tools"]),
    input: plainItems(body),
  }),
  blocks: (body, promptRole) => [
    ...writtenTools(listOf(body["tools"]).map(fieldsOf).map(withParameters)),
    ...conversation(storedIn(body, givenItems(body).map(withParts)), promptRole).map(onItsSide),
  ],
  faults: bodyFaults,
}

/** documented: a function without parameters takes none. */
const withParameters = (tool: Fields): Fields =>
  !isHostedTool(tool) && (tool["parameters"] === undefined || tool["parameters"] === null)
    ? { ...tool, parameters: { type: "object", properties: {} } }
    : tool

/** Content in shorthand as the part that it stands for, without marks and without what is null. */
function withParts(given: Fields): Fields {
  const item = withoutMarks(given)
  const { content, output, role } = item
  if (Array.isArray(output)) return { ...item, output: output.map(fieldsOf).map(withoutMarks) }
  if (item["type"] !== undefined && item["type"] !== "message") return item
  if (item["type"] === undefined && role === undefined) return { type: "item_reference", ...item }
  const type = role === "assistant" ? "output_text" : "input_text"
  const parts = typeof content === "string" ? [{ type, text: content }] : listOf(content).map(fieldsOf)
  return { type: "message", ...item, content: parts.map(withoutMarks) }
}

/**
 * With a conversation that the provider keeps, a result may answer a call that stands there, and
 * reasoning may be named by its id. Both are whole then, though not in this body.
 */
function storedIn(body: Fields, items: readonly Fields[]): readonly Fields[] {
  const isKept = ["previous_response_id", "conversation", "prompt"].some(
    (name) => (body[name] ?? null) !== null,
  )
  const points = isKept || items.some(({ type }) => type === "item_reference")
  const called = new Set(items.map(({ type, call_id: id }) => (type === "function_call" ? id : null)))
  return items.map((item) => {
    if (item["type"] === "reasoning" && body["store"] !== false && textOf(item["id"]) !== "") {
      return { summary: [], encrypted_content: "stored", ...item }
    }
    if (!points || item["type"] !== "function_call_output" || called.has(item["call_id"])) return item
    return { type: "message", role: "user", content: [{ type: "input_text", text: "a result" }] }
  })
}

/** An approval is the client's word, although its name does not say so. */
const onItsSide = (block: WrittenBlock): WrittenBlock =>
  block.content["type"] === "mcp_approval_response" ? { ...block, role: "user" } : block
