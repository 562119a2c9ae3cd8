/** Parameter rules: the shape of every top-level field; the items of `input` have their own. */
import type { JsonObject } from "../json.ts"
import { facts as shared } from "../openai/facts.ts"
import { answerFormat, functionName, sharedParams, toolChoice } from "../openai/params.ts"
import { schemaAt } from "../openai/schema.ts"
import { checkFields, flag, list, number, object, oneOf, loose, text } from "../openai/shape.ts"
import { textOr, typed, unknownField } from "../openai/shape.ts"
import { all, anything, named, needed } from "../shape.ts"
import type { Fields } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { facts } from "./facts.ts"
import { inputItem } from "./items.ts"

/** recorded: unknown parameters are looked for first. */
export function checkParams(body: JsonObject): Verdict {
  return unknownField("", body, fields) ?? checkFields("", body, fields)
}

const functionShape = object({
  type: anything,
  name: needed(functionName),
  description: text(),
  parameters: anything,
  strict: flag,
  defer_loading: flag,
})

/** documented: what a tool of the provider cannot do without; the rest is its own business. */
const tool = typed(oneOf(facts.toolTypes), {
  // documented: without the flag the service makes the schema strict itself, or lets it be.
  function: all(functionShape, schemaAt("parameters", "function")),
  file_search: loose({ vector_store_ids: needed(list(text())) }),
  code_interpreter: loose({ container: needed(anything) }),
  mcp: loose({ server_label: needed(text()) }),
})

const formatShape = object({
  type: anything,
  name: needed(functionName),
  schema: needed(loose()),
  description: text(),
  strict: flag,
})
const format = answerFormat(all(formatShape, schemaAt("schema", "response_format")))

/** documented: the parameters of the endpoint. */
const fields: Fields = {
  ...sharedParams,
  ...named("conversation prompt context_management"),
  input: needed(
    textOr("one of a string or array of input items", Array.isArray, list(inputItem, { min: 1 })),
  ),
  instructions: text(),
  stream_options: object({ include_obfuscation: flag }),
  background: flag,
  include: list(oneOf(facts.includes)),
  max_output_tokens: number("integer", { min: facts.outputTokensMin }),
  max_tool_calls: number("integer", { min: 1 }),
  previous_response_id: text(),
  reasoning: object({
    effort: oneOf(shared.efforts),
    summary: oneOf(facts.summaries),
    generate_summary: oneOf(facts.summaries),
    context: text(),
    mode: text(),
  }),
  text: object({ format, verbosity: oneOf(shared.verbosities) }),
  tool_choice: toolChoice(
    "one of a tool choice object or string",
    object({ type: anything, name: needed(text()) }),
  ),
  tools: list(tool, { max: shared.toolsMax }),
  truncation: oneOf(facts.truncations),
}
