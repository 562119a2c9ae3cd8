/**
 * Items: the shape of each kind of input, by itself.
 *
 * One table says which fields an item has and with what its id begins (recorded for messages,
 * calls and reasoning, documented for the rest).
 */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { invalid } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { imageUrl } from "../openai/image.ts"
import { breakpointField } from "../openai/prompt.ts"
import { anything, checkFields, list, needed, object, oneOf } from "../openai/shape.ts"
import { text, unknownField, wrongType, wrongValue } from "../openai/shape.ts"
import type { Check, Fields } from "../openai/shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { facts } from "./facts.ts"

export const inputItem: Check = (path, value) => {
  if (!isObject(value)) return wrongType(path, "an object", value)
  const type = value["type"] ?? "message"
  if (typeof type !== "string") return wrongType(`${path}.type`, "a string", type)
  if (type === "message") return checkMessage(path, value)
  const rule = Object.hasOwn(itemRules, type) ? itemRules[type] : undefined
  if (rule === undefined) return wrongValue(path, type, ["message", ...Object.keys(itemRules)])
  return checkItem(path, value, rule)
}

interface ItemRule {
  readonly idPrefix: string
  readonly fields: Fields
}

const marker = { prompt_cache_breakpoint: breakpointField }

const inputParts: Readonly<Record<string, Check>> = {
  input_text: object({ type: anything, text: needed(text()), ...marker }),
  input_image: object({
    type: anything,
    image_url: imageUrl,
    file_id: text(),
    detail: oneOf(["low", "high", "auto", "original"]),
    ...marker,
  }),
  input_file: object({
    type: anything,
    file_id: text(),
    file_data: anything,
    file_url: text(),
    filename: text(),
    ...marker,
  }),
}

const assistantParts: Readonly<Record<string, Check>> = {
  output_text: object({
    type: anything,
    text: needed(text()),
    annotations: anything,
    logprobs: anything,
    ...marker,
  }),
  refusal: object({ type: anything, refusal: needed(text()), ...marker }),
}

const callId = text({ max: facts.idMax })
const status = oneOf(facts.statuses)
const toolName = text({ pattern: shared.toolName })
const summaryPart = object({ type: needed(oneOf(["summary_text"])), text: needed(text()) })
const reasoningPart = object({ type: needed(oneOf(["reasoning_text"])), text: needed(text()) })
const inputContent = content(inputParts, facts.inputParts)
const assistantContent = content(assistantParts, facts.assistantParts)

const common = { type: anything, id: anything }
const call = { ...common, call_id: needed(callId), name: needed(toolName), namespace: text(), status }
const output = { ...common, call_id: needed(callId), output: needed(inputContent), status }

/** A tool of the provider; what is inside is the provider's own business. */
const hosted = (idPrefix: string, ...names: readonly string[]): ItemRule => ({
  idPrefix,
  fields: Object.fromEntries(["type", "id", "status", ...names].map((name) => [name, anything])),
})

const itemRules: Readonly<Record<string, ItemRule>> = {
  function_call: { idPrefix: "fc", fields: { ...call, arguments: needed(text()) } },
  function_call_output: { idPrefix: "fc", fields: output },
  custom_tool_call: { idPrefix: "ctc", fields: { ...call, input: needed(text()) } },
  custom_tool_call_output: { idPrefix: "ctc", fields: output },
  reasoning: {
    idPrefix: "rs",
    // recorded: `status` comes in some answers and is refused in requests.
    fields: {
      ...common,
      summary: needed(list(summaryPart)),
      content: list(reasoningPart),
      encrypted_content: text(),
    },
  },
  web_search_call: hosted("ws", "action"),
  file_search_call: hosted("fs", "queries", "results"),
  code_interpreter_call: hosted("ci", "code", "container_id", "outputs"),
  image_generation_call: hosted("ig", "result"),
  computer_call: hosted("cu", "call_id", "action", "actions", "pending_safety_checks"),
  computer_call_output: hosted("cu", "call_id", "output", "acknowledged_safety_checks"),
  local_shell_call: hosted("lsh", "call_id", "action"),
  local_shell_call_output: hosted("lsh", "output"),
  mcp_call: hosted("mcp", "name", "arguments", "server_label", "output", "error", "approval_request_id"),
  mcp_list_tools: hosted("mcpl", "server_label", "tools", "error"),
  mcp_approval_request: hosted("mcpr", "name", "arguments", "server_label"),
  mcp_approval_response: hosted("", "approval_request_id", "approve", "reason"),
  tool_search_call: hosted("tsc", "call_id", "execution", "arguments"),
  tool_search_output: hosted("tso", "call_id", "execution", "tools"),
  compaction: hosted("cmp", "encrypted_content"),
  item_reference: { idPrefix: "", fields: { type: anything, id: needed(text()) } },
}

const messageFields = { ...common, role: anything, status }
const inputMessage: ItemRule = {
  idPrefix: "msg",
  fields: { ...messageFields, content: needed(inputContent) },
}
const assistantMessage: ItemRule = {
  idPrefix: "msg",
  // recorded: what the model calls its own messages comes back with them.
  fields: { ...messageFields, content: needed(assistantContent), phase: oneOf(facts.phases) },
}

function checkMessage(path: string, value: JsonObject): Verdict {
  const role = checkFields(path, value, { role: needed(oneOf(facts.roles)) })
  if (role !== undefined) return role
  return checkItem(path, value, value["role"] === "assistant" ? assistantMessage : inputMessage)
}

function checkItem(path: string, value: JsonObject, rule: ItemRule): Verdict {
  return (
    checkFields(path, value, rule.fields) ??
    unknownField(path, value, rule.fields) ??
    checkId(`${path}.id`, value["id"], rule.idPrefix)
  )
}

/** A string, or parts of the kinds that this side may use. */
function content(parts: Readonly<Record<string, Check>>, names: readonly string[]): Check {
  const part: Check = (path, value) => {
    if (!isObject(value)) return wrongType(path, "an object", value)
    const missing = checkFields(path, value, { type: needed(text()) })
    if (missing !== undefined) return missing
    const type = String(value["type"])
    const check = Object.hasOwn(parts, type) ? parts[type] : undefined
    // recorded: the parameter is the part, not its type.
    return check === undefined ? wrongValue(path, type, names) : check(path, value)
  }
  return (path, value) => {
    if (typeof value === "string") return text()(path, value)
    if (!Array.isArray(value)) return wrongType(path, "one of an array of objects or string", value)
    // recorded for Chat Completions, assumed here.
    return list(part, { min: 1 })(path, value)
  }
}

function checkId(path: string, id: unknown, prefix: string): Verdict {
  if (id === undefined || id === null) return undefined
  if (typeof id !== "string") return wrongType(path, "a string", id)
  if (!/^[A-Za-z0-9_]+$/.test(id)) return invalid(facts.idLetters(path, id), path, "invalid_value")
  if (!id.startsWith(prefix)) {
    return invalid(facts.idPrefix(path, id, prefix), path, "invalid_value")
  }
  return text({ max: facts.idMax })(path, id)
}
