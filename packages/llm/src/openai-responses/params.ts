/**
 * Settings of a Responses request: the only place where options become this provider's words (CA2).
 *
 * Nothing is stored with the provider: what it needs again comes back sealed (LL4).
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import { fieldsOf, listOf, nameSet } from "../json-fields.ts"
import { effortOrNone, given, retentionOf, withBodyFields } from "../options.ts"
import type { RequestOptions, StructuredOutput, ToolChoice } from "../options.ts"
import { functionName } from "../request/call-shape.ts"
import type { Target } from "../segments.ts"

/**
 * Fields that this wire writes itself; a compatibility field may not overwrite them. Of `include`,
 * `text` and `reasoning` it adds what the wire has no word for.
 */
export const writtenFields: ReadonlySet<string> = nameSet(
  "model stream store include max_output_tokens temperature top_p reasoning text tool_choice",
  "parallel_tool_calls prompt_cache_key prompt_cache_retention service_tier tools input instructions",
  "previous_response_id conversation prompt background",
)

/** `functions`: names of the tools that are ours; without any tool nothing is said about their use. */
export function paramsOf(
  { model, options }: Target,
  cacheKey: string,
  hasTools: boolean,
  functions: readonly string[],
): string {
  const { generation, body } = options
  const { temperature, topP, toolChoice } = generation
  const { serviceTier, parallelCalls, hostedTools = [] } = options.model
  const choice = toolChoice && choiceOf(toolChoice, functions, hostedTools)
  const settings: JsonObject = {
    model,
    stream: true,
    store: false,
    ...given({ include: includeOf(options) }),
    max_output_tokens: generation.outputTokensMax,
    ...given({ temperature, top_p: topP, reasoning: reasoningOf(options), text: textOf(options) }),
    ...(hasTools ? given({ tool_choice: choice, parallel_tool_calls: parallelCalls }) : {}),
    prompt_cache_key: cacheKey,
    ...given({ prompt_cache_retention: retentionOf(options), service_tier: serviceTier }),
  }
  return canonicalJson(withBodyFields(settings, body, writtenFields))
}

export const sealedReasoning = "reasoning.encrypted_content"

/** recorded: a model that does not reason refuses to seal anything. */
const includeOf = ({ traits, body }: RequestOptions): readonly string[] => [
  ...(traits.reasoning === true ? [sealedReasoning] : []),
  ...listOf(body["include"]).filter((name): name is string => typeof name === "string"),
]

/** The wire knows efforts only; a budget of tokens has no word here. */
function reasoningOf({ model, body }: RequestOptions): JsonObject {
  const { reasoning, reasoningSummary: summary } = model
  return { ...fieldsOf(body["reasoning"]), ...given({ effort: effortOrNone(reasoning), summary }) }
}

function textOf({ generation, model, body }: RequestOptions): JsonObject {
  const format = generation.structured && formatOf(generation.structured)
  return { ...fieldsOf(body["text"]), ...given({ format, verbosity: model.verbosity }) }
}

export const formatOf = ({ name, schema }: StructuredOutput): JsonObject => ({
  type: "json_schema",
  name: functionName(name),
  schema,
  strict: true,
})

/** A choice names a function, or one of the provider's own tools by its name, its server or its type (LL8). */
export function choiceOf(
  choice: ToolChoice,
  functions: readonly string[],
  hosted: readonly JsonObject[],
): Json {
  if (typeof choice !== "object") return choice
  const name = functionName(choice.tool)
  const own = functions.includes(choice.tool) ? null : hostedChoice(choice.tool, hosted)
  return own ?? { type: "function", name }
}

/** documented: how tools that are no functions are chosen. Null if none is called so. */
function hostedChoice(called: string, hosted: readonly JsonObject[]): JsonObject | null {
  for (const { type = "", name, server_label: server } of hosted) {
    if (type === "custom") {
      if (name === called) return { type, name }
    } else if (type === "mcp") {
      if (server === called) return { type, server_label: server }
    } else if (type === called) return { type }
  }
  return null
}
