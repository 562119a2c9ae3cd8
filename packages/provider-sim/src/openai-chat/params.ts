/** Parameter rules: the shape of every top-level field except the messages. */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { ChatDialect } from "../model.ts"
import { invalid } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { cacheOptionsField } from "../openai/prompt.ts"
import { checkSchema } from "../openai/schema.ts"
import { anything, checkFields, flag, list, metadata, needed, number, object } from "../openai/shape.ts"
import { oneOf, text, unknownField, wrongType } from "../openai/shape.ts"
import type { Check, Fields } from "../openai/shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { facts } from "./facts.ts"

export function checkParams(body: JsonObject, dialect: ChatDialect): Verdict {
  if (body["model"] === undefined) return invalid(facts.modelMissing)
  // assumed: compatible servers pass over what they do not know.
  const unknown = dialect === "openai" ? unknownField("", body, fields) : undefined
  return unknown ?? checkFields("", body, fields)
}

const functionName = text({ max: shared.toolNameMax, pattern: shared.toolName })

const toolShape = object({
  type: needed(oneOf(["function"])),
  function: needed(
    object({
      name: needed(functionName),
      description: text({ max: facts.descriptionMax }),
      parameters: anything,
      strict: flag,
    }),
  ),
})

const tool: Check = (path, value) => {
  const shape = toolShape(path, value)
  if (shape !== undefined) return shape
  const inside = (value as { readonly function: JsonObject }).function
  return checkInner(inside, "parameters", {
    name: `function '${String(inside["name"])}'`,
    path: `${path}.function.parameters`,
    code: "invalid_function_parameters",
  })
}

const formatShape = object({
  type: anything,
  json_schema: needed(
    object({ name: needed(functionName), schema: anything, description: text(), strict: flag }),
  ),
})

const responseFormat: Check = (path, value) => {
  if (!isObject(value)) return wrongType(path, "an object", value)
  const kind = checkFields(path, value, { type: needed(oneOf(["text", "json_object", "json_schema"])) })
  if (kind !== undefined || value["type"] !== "json_schema") return kind
  const shape = formatShape(path, value)
  if (shape !== undefined) return shape
  const inside = value["json_schema"] as JsonObject
  const name = `response_format '${String(inside["name"])}'`
  return checkInner(inside, "schema", { name, path, code: "invalid_json_schema" })
}

function checkInner(
  inside: JsonObject,
  key: string,
  place: { readonly name: string; readonly path: string; readonly code: string },
): Verdict {
  const schema = inside[key] ?? undefined
  return schema === undefined
    ? undefined
    : checkSchema(schema, { ...place, strict: inside["strict"] === true })
}

const namedChoice = object({
  type: anything,
  function: needed(object({ name: needed(functionName) })),
})

const toolChoice: Check = (path, value) => {
  if (typeof value === "string") return oneOf(["none", "auto", "required"])(path, value)
  if (!isObject(value)) return wrongType(path, "one of a string or object", value)
  return value["type"] === "function"
    ? namedChoice(path, value)
    : checkFields(path, value, { type: needed(text()) })
}

const stop: Check = (path, value) =>
  typeof value === "string" ? undefined : list(text(), { max: facts.stopsMax })(path, value)

const outputTokens = number("integer", { min: facts.outputTokensMin })

/** documented: the parameters of the endpoint. */
const fields: Fields = {
  messages: needed(anything),
  model: needed(text()),
  stream: flag,
  stream_options: object({ include_usage: flag, include_obfuscation: flag }),
  max_tokens: outputTokens,
  max_completion_tokens: outputTokens,
  temperature: number("decimal", { min: 0, max: 2 }),
  top_p: number("decimal", { min: 0, max: 1 }),
  frequency_penalty: number("decimal", { min: -2, max: 2 }),
  presence_penalty: number("decimal", { min: -2, max: 2 }),
  n: number("integer", { min: 1, max: 128 }),
  logprobs: flag,
  top_logprobs: number("integer", { min: 0, max: 20 }),
  logit_bias: anything,
  seed: number("integer", {}),
  stop,
  tools: list(tool, { min: 1, max: shared.toolsMax }),
  tool_choice: toolChoice,
  parallel_tool_calls: flag,
  response_format: responseFormat,
  reasoning_effort: oneOf(shared.efforts),
  verbosity: oneOf(shared.verbosities),
  prediction: anything,
  modalities: anything,
  audio: anything,
  web_search_options: anything,
  metadata,
  store: flag,
  service_tier: oneOf(shared.serviceTiers),
  safety_identifier: text({ max: shared.safetyIdentifierMax }),
  prompt_cache_key: text({ max: shared.promptCacheKeyMax }),
  prompt_cache_options: cacheOptionsField,
  prompt_cache_retention: oneOf(shared.retentions),
  user: text(),
}
