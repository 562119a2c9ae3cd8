/**
 * Settings of a Messages request: the only place where options become this provider's words (CA2).
 *
 * What is not set is not written. The order of members is fixed, so that the same options always
 * give the same bytes (TU1).
 */
import type { JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import { withBodyFields, type Reasoning, type ToolChoice } from "../options.ts"
import type { Target } from "../segments.ts"

/** Fields that this wire writes itself; a compatibility field may not overwrite them. */
export const writtenFields: ReadonlySet<string> = new Set([
  "model",
  "max_tokens",
  "stream",
  "thinking",
  "temperature",
  "top_p",
  "stop_sequences",
  "tool_choice",
  "output_config",
  "service_tier",
  "tools",
  "system",
  "messages",
])

/** `leads`: the answer that a tool loop continues begins with thinking. */
export function paramsOf({ model, options }: Target, leads: boolean): string {
  const { generation, body } = options
  const { temperature, topP, stop, toolChoice, structured, outputTokensMax } = generation
  const { reasoning, serviceTier, parallelCalls } = options.model
  const effort = effortOf(reasoning)
  const choice = choiceOf(toolChoice, parallelCalls)
  const thinking = thinkingOf(reasoning, leads)
  const settings: JsonObject = {
    model,
    max_tokens: outputTokensMax,
    stream: true,
    ...(thinking === null ? {} : { thinking }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop_sequences: stop }),
    ...(choice === null ? {} : { tool_choice: choice }),
    ...(effort === undefined && structured === undefined
      ? {}
      : {
          output_config: {
            ...(effort === undefined ? {} : { effort }),
            ...(structured === undefined
              ? {}
              : { format: { type: "json_schema", schema: structured.schema } }),
          },
        }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  }
  return canonicalJson(withBodyFields(settings, body, writtenFields))
}

/** documented: a budget is only legal where the loop began with thinking; adaptive thinking always is. */
function thinkingOf(reasoning: Reasoning | undefined, leads: boolean): JsonObject | null {
  switch (reasoning?.kind) {
    case "budget":
      return leads ? { type: "enabled", budget_tokens: reasoning.tokens } : null
    case "adaptive":
      return { type: "adaptive" }
    case "off":
      return { type: "disabled" }
    default:
      return null
  }
}

const effortOf = (reasoning: Reasoning | undefined): string | undefined =>
  reasoning?.kind === "effort" || reasoning?.kind === "adaptive" ? reasoning.effort : undefined

const choiceNames = { auto: "auto", none: "none", required: "any" } as const

function choiceOf(choice: ToolChoice | undefined, parallel: boolean | undefined): JsonObject | null {
  if (choice === undefined && parallel === undefined) return null
  const named =
    typeof choice === "object" ? { type: "tool", name: choice.tool } : { type: choiceNames[choice ?? "auto"] }
  return parallel === undefined || choice === "none"
    ? named
    : { ...named, disable_parallel_tool_use: !parallel }
}
