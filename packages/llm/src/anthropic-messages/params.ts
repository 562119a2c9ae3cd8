/**
 * Settings of a Messages request: the only place where options become this provider's words (CA2).
 *
 * What is not set is not written. The order of members is fixed, so that the same options always
 * give the same bytes (TU1).
 */
import type { JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import { fieldsOf, nameSet } from "../json-fields.ts"
import { effortOf, given, withBodyFields } from "../options.ts"
import type { Reasoning, StructuredOutput, ToolChoice } from "../options.ts"
import type { Target } from "../segments.ts"

/** Fields that this wire writes itself; a compatibility field may not overwrite them. */
export const writtenFields: ReadonlySet<string> = nameSet(
  "model max_tokens stream thinking temperature top_p stop_sequences tool_choice output_config",
  "service_tier tools system messages",
)

/** What settings depend on beside the options. */
export interface Conversation {
  /** The answer that a tool loop continues begins with thinking. */
  readonly leads: boolean
  /** There are tools to choose from. */
  readonly tools: boolean
}

export function paramsOf({ model, options }: Target, { leads, tools }: Conversation): string {
  const { generation, body } = options
  const { temperature, topP, stop, toolChoice, structured, outputTokensMax } = generation
  const { reasoning, reasoningSummary, serviceTier, parallelCalls } = options.model
  // recorded: a choice without tools is refused, so how calls are made is not said alone where there are none.
  const choice = toolChoice === undefined && !tools ? null : choiceOf(toolChoice, parallelCalls)
  const thinking = shownThinking(thinkingOf(reasoning, leads), reasoningSummary)
  const output = withBodyFields(
    given({ effort: effortOf(reasoning), format: structured && formatOf(structured) }),
    fieldsOf(body["output_config"]),
  )
  const settings: JsonObject = {
    model,
    max_tokens: outputTokensMax,
    stream: true,
    ...given({ thinking, temperature, top_p: topP, stop_sequences: stop }),
    ...given({ tool_choice: choice, output_config: output, service_tier: serviceTier }),
  }
  return canonicalJson(withBodyFields(settings, body, writtenFields))
}

/** documented: a budget is only legal where the loop began with thinking; adaptive thinking always is. */
export function thinkingOf(reasoning: Reasoning | undefined, leads: boolean): JsonObject | null {
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

/** documented: whether thinking is told in short or not at all; other providers have other words for it. */
export const displays: ReadonlySet<unknown> = new Set(["summarized", "omitted"])

const shownThinking = (thinking: JsonObject | null, summary: string | undefined): JsonObject | null =>
  thinking === null || thinking["type"] === "disabled" || summary === undefined || !displays.has(summary)
    ? thinking
    : { ...thinking, display: summary }

export const formatOf = ({ schema }: StructuredOutput): JsonObject => ({ type: "json_schema", schema })

const choiceNames = { auto: "auto", none: "none", required: "any" } as const

export function choiceOf(choice: ToolChoice | undefined, parallel: boolean | undefined): JsonObject | null {
  if (choice === undefined && parallel === undefined) return null
  const named =
    typeof choice === "object" ? { type: "tool", name: choice.tool } : { type: choiceNames[choice ?? "auto"] }
  return parallel === undefined || choice === "none"
    ? named
    : { ...named, disable_parallel_tool_use: !parallel }
}
