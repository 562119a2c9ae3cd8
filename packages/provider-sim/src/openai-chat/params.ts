/** Parameter rules: the shape of every top-level field except the messages. */
import type { JsonObject } from "../json.ts"
import type { ChatDialect } from "../model.ts"
import { invalid } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { answerFormat, functionName, sharedParams, toolChoice } from "../openai/params.ts"
import { schemaAt } from "../openai/schema.ts"
import {
  checkFields,
  flag,
  list,
  number,
  object,
  oneOf,
  text,
  unknownField,
  variants,
} from "../openai/shape.ts"
import { all, anything, named, needed } from "../shape.ts"
import type { Check, Fields } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { facts } from "./facts.ts"

export function checkParams(body: JsonObject, dialect: ChatDialect): Verdict {
  if (body["model"] === undefined) return invalid(facts.modelMissing)
  // assumed: compatible servers pass over what they do not know.
  const unknown = dialect === "openai" ? unknownField("", body, fields) : undefined
  return unknown ?? checkFields("", body, fields)
}

const functionShape = object({
  name: needed(functionName),
  description: text(),
  parameters: anything,
  strict: flag,
})
const functionOf = all(functionShape, schemaAt("parameters", "function"))

/** documented: functions, and tools that take a text. */
const tool = variants({
  function: object({ type: anything, function: needed(functionOf) }),
  custom: object({
    type: anything,
    custom: needed(object({ name: needed(functionName), description: text(), format: anything })),
  }),
})

const formatShape = object({
  name: needed(functionName),
  schema: anything,
  description: text(),
  strict: flag,
})
const jsonSchema = all(
  formatShape,
  schemaAt("schema", "response_format", () => "response_format"),
)

const stop: Check = (path, value) =>
  typeof value === "string" ? undefined : list(text(), { max: facts.stopsMax })(path, value)

const outputTokens = number("integer", { min: facts.outputTokensMin })
const penalty = number("decimal", { min: -2, max: 2 })

/** documented: the parameters of the endpoint. */
const fields: Fields = {
  ...sharedParams,
  ...named("logit_bias prediction modalities audio web_search_options"),
  messages: needed(anything),
  stream_options: object({ include_usage: flag, include_obfuscation: flag }),
  max_tokens: outputTokens,
  max_completion_tokens: outputTokens,
  frequency_penalty: penalty,
  presence_penalty: penalty,
  n: number("integer", { min: 1, max: 128 }),
  logprobs: flag,
  seed: number("integer"),
  stop,
  tools: list(tool, { min: 1, max: shared.toolsMax }),
  // documented: deprecated, and taken.
  functions: list(functionOf, { min: 1, max: shared.toolsMax }),
  function_call: anything,
  tool_choice: toolChoice(
    "one of a string or object",
    object({ type: anything, function: needed(object({ name: needed(functionName) })) }),
  ),
  response_format: answerFormat(object({ type: anything, json_schema: needed(jsonSchema) })),
  reasoning_effort: oneOf(shared.efforts),
  verbosity: oneOf(shared.verbosities),
}
