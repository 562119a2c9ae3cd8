/**
 * Items: the shape of each kind of input, by itself.
 *
 * One table says which fields an item has and with what its id begins (recorded for messages,
 * calls and reasoning, documented for the rest).
 */
import { isObject } from "../json.ts"
import { invalid } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { imageUrl } from "../openai/image.ts"
import { contentPart as part } from "../openai/prompt.ts"
import { list, object, oneOf, loose, text, textOr, variants, wrongType } from "../openai/shape.ts"
import { all, anything, named, needed } from "../shape.ts"
import type { Check, Fields } from "../shape.ts"
import { facts } from "./facts.ts"

export const inputItem: Check = (path, value) =>
  items(path, isObject(value) && (value["type"] ?? null) === null ? { ...value, type: "message" } : value)

const inputParts: Readonly<Record<string, Check>> = {
  input_text: part({ text: needed(text()) }),
  input_image: part({
    image_url: imageUrl,
    file_id: text(),
    detail: oneOf(["low", "high", "auto", "original"]),
  }),
  input_file: part({ file_id: text(), file_data: anything, file_url: text(), filename: text() }),
}

const assistantParts: Readonly<Record<string, Check>> = {
  output_text: part({ text: needed(text()), annotations: anything, logprobs: anything }),
  refusal: part({ refusal: needed(text()) }),
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

const item = (idPrefix: string, fields: Fields): Check => all(object(fields), loose({ id: ownId(idPrefix) }))

/** A tool of the provider; what is inside is the provider's own business. */
const hosted = (idPrefix: string, names: string): Check => item(idPrefix, named(`type id status ${names}`))

const messageFields = { ...common, role: anything, status }
const inputMessage = item("msg", { ...messageFields, content: needed(inputContent) })
const assistantMessage = item("msg", {
  ...messageFields,
  content: needed(assistantContent),
  // recorded: what the model calls its own messages comes back with them.
  phase: oneOf(facts.phases),
})

const items = variants({
  message: all(loose({ role: needed(oneOf(facts.roles)) }), (path, value) =>
    ((value as { role: string }).role === "assistant" ? assistantMessage : inputMessage)(path, value),
  ),
  function_call: item("fc", { ...call, arguments: needed(text()) }),
  function_call_output: item("fc", output),
  custom_tool_call: item("ctc", { ...call, input: needed(text()) }),
  custom_tool_call_output: item("ctc", output),
  // recorded: `status` comes in some answers and is refused in requests.
  reasoning: item("rs", {
    ...common,
    summary: needed(list(summaryPart)),
    content: list(reasoningPart),
    encrypted_content: text(),
  }),
  web_search_call: hosted("ws", "action"),
  file_search_call: hosted("fs", "queries results"),
  code_interpreter_call: hosted("ci", "code container_id outputs"),
  image_generation_call: hosted("ig", "result"),
  computer_call: hosted("cu", "call_id action actions pending_safety_checks"),
  computer_call_output: hosted("cu", "call_id output acknowledged_safety_checks"),
  local_shell_call: hosted("lsh", "call_id action"),
  local_shell_call_output: hosted("lsh", "output"),
  mcp_call: hosted("mcp", "name arguments server_label output error approval_request_id"),
  mcp_list_tools: hosted("mcpl", "server_label tools error"),
  mcp_approval_request: hosted("mcpr", "name arguments server_label"),
  mcp_approval_response: hosted("", "approval_request_id approve reason"),
  shell_call: loose(),
  shell_call_output: loose(),
  apply_patch_call: loose(),
  apply_patch_call_output: loose(),
  tool_search_call: hosted("tsc", "call_id execution arguments"),
  tool_search_output: hosted("tso", "call_id execution tools"),
  compaction: hosted("cmp", "encrypted_content"),
  item_reference: object({ type: anything, id: needed(text()) }),
})

/** A string, or parts of the kinds that this side may use. */
function content(parts: Readonly<Record<string, Check>>, names: readonly string[]): Check {
  // recorded for Chat Completions, assumed here: at least one.
  const listed = list(variants(parts, names), { min: 1 })
  return textOr("one of an array of objects or string", Array.isArray, listed)
}

function ownId(prefix: string): Check {
  return (path, id) => {
    if (typeof id !== "string") return wrongType(path, "a string", id)
    if (!/^[A-Za-z0-9_]+$/.test(id)) return invalid(facts.idLetters(path, id), path, "invalid_value")
    if (!id.startsWith(prefix)) return invalid(facts.idPrefix(path, id, prefix), path, "invalid_value")
    return text({ max: facts.idMax })(path, id)
  }
}
