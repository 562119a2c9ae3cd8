/**
 * Settings of a Responses request: the only place where options become this provider's words (CA2).
 *
 * Nothing is stored with the provider: what it needs again comes back sealed (LL4).
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import { withBodyFields, type Reasoning, type ToolChoice } from "../options.ts"
import { functionName } from "../request/call-shape.ts"
import type { Target } from "../segments.ts"

/** Fields that this wire writes itself; a compatibility field may not overwrite them. */
export const writtenFields: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "store",
  "include",
  "max_output_tokens",
  "temperature",
  "top_p",
  "reasoning",
  "text",
  "tool_choice",
  "parallel_tool_calls",
  "prompt_cache_key",
  "prompt_cache_retention",
  "service_tier",
  "tools",
  "input",
  "instructions",
  "previous_response_id",
  "conversation",
  "prompt",
  "background",
])

export function paramsOf({ model, options }: Target, cacheKey: string, hasTools: boolean): string {
  const { generation, body, traits } = options
  const { temperature, topP, toolChoice, structured } = generation
  const { reasoning, reasoningSummary, verbosity, cacheTtl, serviceTier, parallelCalls } = options.model
  const thinking = reasoningOf(reasoning, reasoningSummary)
  const retention = cacheTtl === "24h" || cacheTtl === "in_memory" ? cacheTtl : undefined
  const settings: JsonObject = {
    model,
    stream: true,
    store: false,
    // recorded: a model that does not reason refuses to seal anything.
    ...(traits.reasoning === true ? { include: ["reasoning.encrypted_content"] } : {}),
    max_output_tokens: generation.outputTokensMax,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(thinking === null ? {} : { reasoning: thinking }),
    ...(verbosity === undefined && structured === undefined
      ? {}
      : {
          text: {
            ...(structured === undefined
              ? {}
              : {
                  format: {
                    type: "json_schema",
                    name: functionName(structured.name),
                    schema: structured.schema,
                    strict: true,
                  },
                }),
            ...(verbosity === undefined ? {} : { verbosity }),
          },
        }),
    ...(toolChoice === undefined || !hasTools ? {} : { tool_choice: choiceOf(toolChoice) }),
    ...(parallelCalls === undefined || !hasTools ? {} : { parallel_tool_calls: parallelCalls }),
    prompt_cache_key: cacheKey,
    ...(retention === undefined ? {} : { prompt_cache_retention: retention }),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
  }
  return canonicalJson(withBodyFields(settings, body, writtenFields))
}

/** The wire knows efforts only; a budget of tokens has no word here. */
function reasoningOf(reasoning: Reasoning | undefined, summary: string | undefined): JsonObject | null {
  const effort = effortOf(reasoning)
  if (effort === undefined && summary === undefined) return null
  return { ...(effort === undefined ? {} : { effort }), ...(summary === undefined ? {} : { summary }) }
}

function effortOf(reasoning: Reasoning | undefined): string | undefined {
  if (reasoning?.kind === "off") return "none"
  return reasoning?.kind === "effort" || reasoning?.kind === "adaptive" ? reasoning.effort : undefined
}

const choiceOf = (choice: ToolChoice): Json =>
  typeof choice === "object" ? { type: "function", name: functionName(choice.tool) } : choice
