/** Parameter rules: the shape of every top-level field; the items of `input` have their own. */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { facts as shared } from "../openai/facts.ts"
import { cacheOptionsField } from "../openai/prompt.ts"
import { checkSchema } from "../openai/schema.ts"
import { anything, checkFields, flag, list, metadata, needed, number, object } from "../openai/shape.ts"
import { oneOf, text, unknownField, wrongType, wrongValue } from "../openai/shape.ts"
import type { Check, Fields } from "../openai/shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { facts } from "./facts.ts"
import { inputItem } from "./items.ts"

/** recorded: unknown parameters are looked for first. */
export function checkParams(body: JsonObject): Verdict {
  return unknownField("", body, fields) ?? checkFields("", body, fields)
}

const name = text({ max: shared.toolNameMax, pattern: shared.toolName })

const input: Check = (path, value) => {
  if (typeof value === "string") return text()(path, value)
  if (!Array.isArray(value)) return wrongType(path, "one of a string or array of input items", value)
  return list(inputItem, { min: 1 })(path, value)
}

const functionFields: Fields = {
  type: anything,
  name: needed(name),
  description: text(),
  parameters: anything,
  strict: flag,
  defer_loading: flag,
}

const tool: Check = (path, value) => {
  if (!isObject(value)) return wrongType(path, "an object", value)
  const missing = checkFields(path, value, { type: needed(text()) })
  if (missing !== undefined) return missing
  const type = String(value["type"])
  if (!facts.toolTypes.includes(type)) {
    return wrongValue(`${path}.type`, type, facts.toolTypes)
  }
  if (type === "function") return checkFunction(path, value)
  return checkFields(path, value, Object.hasOwn(hostedFields, type) ? (hostedFields[type] ?? {}) : {})
}

/** documented: what a tool of the provider cannot do without; the rest is its own business. */
const hostedFields: Readonly<Record<string, Fields>> = {
  file_search: { vector_store_ids: needed(list(text())) },
  code_interpreter: { container: needed(anything) },
  mcp: { server_label: needed(text()) },
}

function checkFunction(path: string, value: JsonObject): Verdict {
  const shape = checkFields(path, value, functionFields) ?? unknownField(path, value, functionFields)
  const parameters = value["parameters"] ?? undefined
  if (shape !== undefined || parameters === undefined) return shape
  return checkSchema(parameters, {
    name: `function '${String(value["name"])}'`,
    path: `${path}.parameters`,
    code: "invalid_function_parameters",
    // documented: without the flag the service makes the schema strict itself, or lets it be.
    strict: value["strict"] === true,
  })
}

const schemaFields: Fields = {
  type: anything,
  name: needed(name),
  schema: needed(anything),
  description: text(),
  strict: flag,
}

const format: Check = (path, value) => {
  if (!isObject(value)) return wrongType(path, "an object", value)
  const kind = checkFields(path, value, { type: needed(oneOf(["text", "json_object", "json_schema"])) })
  if (kind !== undefined || value["type"] !== "json_schema") return kind
  return (
    checkFields(path, value, schemaFields) ??
    unknownField(path, value, schemaFields) ??
    checkSchema(value["schema"], {
      name: `response_format '${String(value["name"])}'`,
      path: `${path}.schema`,
      code: "invalid_json_schema",
      strict: value["strict"] === true,
    })
  )
}

const toolChoice: Check = (path, value) => {
  if (typeof value === "string") return oneOf(["none", "auto", "required"])(path, value)
  if (!isObject(value)) return wrongType(path, "one of a tool choice object or string", value)
  return value["type"] === "function"
    ? object({ type: anything, name: needed(text()) })(path, value)
    : checkFields(path, value, { type: needed(text()) })
}

/** documented: the parameters of the endpoint. */
const fields: Fields = {
  model: needed(text()),
  input: needed(input),
  instructions: text(),
  stream: flag,
  stream_options: object({ include_obfuscation: flag }),
  store: flag,
  background: flag,
  include: list(oneOf(facts.includes)),
  max_output_tokens: number("integer", { min: facts.outputTokensMin }),
  max_tool_calls: number("integer", { min: 1 }),
  metadata,
  parallel_tool_calls: flag,
  previous_response_id: text(),
  conversation: anything,
  prompt: anything,
  context_management: anything,
  prompt_cache_key: text({ max: shared.promptCacheKeyMax }),
  prompt_cache_options: cacheOptionsField,
  prompt_cache_retention: oneOf(shared.retentions),
  reasoning: object({
    effort: oneOf(shared.efforts),
    summary: oneOf(facts.summaries),
    generate_summary: oneOf(facts.summaries),
    context: text(),
  }),
  safety_identifier: text({ max: shared.safetyIdentifierMax }),
  service_tier: oneOf(shared.serviceTiers),
  temperature: number("decimal", { min: 0, max: 2 }),
  text: object({ format, verbosity: oneOf(shared.verbosities) }),
  tool_choice: toolChoice,
  tools: list(tool, { max: shared.toolsMax }),
  top_logprobs: number("integer", { min: 0, max: 20 }),
  top_p: number("decimal", { min: 0, max: 1 }),
  truncation: oneOf(facts.truncations),
  user: text(),
}
