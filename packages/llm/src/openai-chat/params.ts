/**
 * Settings of a Chat request: the only place where options become a server's words (CA2).
 *
 * What is not set is not written, and what a server does not take is not written to it.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import { effortOf, effortOrNone, given, retentionOf, withBodyFields } from "../options.ts"
import type { Reasoning, StructuredOutput, ToolChoice } from "../options.ts"
import { functionName } from "../request/call-shape.ts"
import type { Target } from "../segments.ts"
import type { ChatProfile } from "./profiles.ts"
import { nameSet } from "../json-fields.ts"

/**
 * Fields that are this wire's alone. Any other one may be a compatibility field as long as no option
 * says the same: a server may take what its profile does not write, or in a form without an option.
 */
export const writtenFields: ReadonlySet<string> = nameSet(
  "model stream stream_options max_completion_tokens max_tokens temperature top_p stop verbosity",
  "tool_choice parallel_tool_calls tools messages functions function_call n",
)

export function paramsOf(
  { model, options }: Target,
  profile: ChatProfile,
  cacheKey: string,
  hasTools: boolean,
): string {
  const { generation, body } = options
  const { temperature, topP, stop, toolChoice, structured } = generation
  const { reasoning, verbosity, serviceTier, parallelCalls } = options.model
  const choice = toolChoice && choiceOf(toolChoice, profile)
  const settings: JsonObject = {
    model,
    stream: true,
    ...(profile.askForUsage ? { stream_options: { include_usage: true } } : {}),
    [profile.outputLimitField]: generation.outputTokensMax,
    ...given({ temperature, top_p: topP, stop }),
    ...reasoningFields(reasoning, profile.reasoningControl),
    ...given({ verbosity, response_format: structured && formatOf(structured, profile) }),
    ...(hasTools ? given({ tool_choice: choice, parallel_tool_calls: parallelCalls }) : {}),
    ...(profile.takesCacheKey
      ? { prompt_cache_key: cacheKey, ...given({ prompt_cache_retention: retentionOf(options) }) }
      : {}),
    ...(profile.takesServiceTier ? given({ service_tier: serviceTier }) : {}),
  }
  return canonicalJson(withBodyFields(settings, body, writtenFields))
}

export function reasoningFields(
  reasoning: Reasoning | undefined,
  control: ChatProfile["reasoningControl"],
): JsonObject {
  if (reasoning === undefined) return {}
  const effort = effortOf(reasoning)
  switch (control) {
    case "effort":
      return given({ reasoning_effort: effortOrNone(reasoning) })
    case "thinking":
      if (reasoning.kind === "off") return { thinking: { type: "disabled" } }
      return { thinking: { type: "enabled" }, ...given({ reasoning_effort: effort }) }
    case "reasoning-object":
      if (reasoning.kind === "off") return { reasoning: { enabled: false } }
      if (reasoning.kind === "budget") return { reasoning: { max_tokens: reasoning.tokens } }
      return { reasoning: effort === undefined ? { enabled: true } : { effort } }
  }
}

export const formatOf = ({ name, schema }: StructuredOutput, profile: ChatProfile): JsonObject =>
  profile.structured === "json_object"
    ? { type: "json_object" }
    : { type: "json_schema", json_schema: { name: functionName(name), schema, strict: true } }

export function choiceOf(choice: ToolChoice, profile: ChatProfile): Json {
  if (typeof choice === "object") return { type: "function", function: { name: functionName(choice.tool) } }
  return choice === "required" ? profile.requiredChoice : choice
}
