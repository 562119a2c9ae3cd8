/**
 * Settings of a Converse request: the only place where options become this provider's words (CA2).
 *
 * What is not set is not written, and what a family does not take is not written to it. The model
 * stands first for the record; it is part of the address and not of the body. The choice of a tool
 * stands last, because the body keeps it with the tools.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { thinkingOf } from "../anthropic-messages/params.ts"
import { canonicalJson } from "../canonical.ts"
import { type Fields, fieldsOf, nameSet } from "../json-fields.ts"
import { effortOf, given, withBodyFields } from "../options.ts"
import type { Reasoning, StructuredOutput, ToolChoice } from "../options.ts"
import { functionName } from "../request/call-shape.ts"
import type { Target } from "../segments.ts"
import type { ConverseFamily } from "./families.ts"

/** Fields that this wire writes itself; a compatibility field may not overwrite them. */
export const writtenFields: ReadonlySet<string> = nameSet(
  "model modelId inferenceConfig additionalModelRequestFields outputConfig serviceTier toolConfig",
  "system messages",
)

export interface RequestShape {
  /** The answer that a tool loop continues begins with reasoning. */
  readonly leads: boolean
  readonly hasTools: boolean
}

export function paramsOf(
  { model, options }: Target,
  family: ConverseFamily,
  { leads, hasTools }: RequestShape,
): string {
  const { generation, body } = options
  const { temperature, topP, stop, toolChoice, structured, outputTokensMax } = generation
  const { serviceTier, reasoning } = options.model
  const own = reasoningOf(reasoning, family, leads)
  const inference: JsonObject = {
    ...(reasonsWithoutLimit(own) ? {} : { maxTokens: outputTokensMax }),
    ...given({ temperature, topP, stopSequences: stop }),
  }
  const merge = (written: JsonObject, name: string) => withBodyFields(written, fieldsOf(body[name]))
  const fields = merge(own, "additionalModelRequestFields")
  const settings: JsonObject = {
    model,
    inferenceConfig: merge(inference, "inferenceConfig"),
    ...given({ additionalModelRequestFields: fields, outputConfig: structured && formatOf(structured) }),
    ...(serviceTier === undefined ? {} : { serviceTier: { type: serviceTier } }),
  }
  const choice = toolChoice === undefined || !hasTools ? null : choiceOf(toolChoice, family)
  return canonicalJson({
    ...withBodyFields(settings, body, writtenFields),
    ...(choice === null ? {} : { toolConfig: { toolChoice: choice } }),
  })
}

/** documented: Nova reasons with high effort only where no limit of the output is given. */
export const reasonsWithoutLimit = (fields: Fields): boolean =>
  fieldsOf(fields["reasoningConfig"])["maxReasoningEffort"] === "high"

/** documented: each maker has words of its own for how much its models reason. */
export function reasoningOf(
  reasoning: Reasoning | undefined,
  { reasoningControl }: ConverseFamily,
  leads: boolean,
): JsonObject {
  if (reasoning === undefined) return {}
  const effort = effortOf(reasoning)
  switch (reasoningControl) {
    case "none":
      return {}
    case "reasoning_effort":
      return given({ reasoning_effort: effort })
    case "reasoningConfig":
      if (reasoning.kind === "off") return { reasoningConfig: { type: "disabled" } }
      return { reasoningConfig: { type: "enabled", maxReasoningEffort: effort ?? "medium" } }
    case "thinking":
      return given({ thinking: thinkingOf(reasoning, leads), output_config: given({ effort }) })
  }
}

/** documented: the schema is a text. */
export const formatOf = ({ name, schema }: StructuredOutput): JsonObject => ({
  textFormat: {
    type: "json_schema",
    structure: { jsonSchema: { name: functionName(name), schema: canonicalJson(schema) } },
  },
})

/** Null where the family cannot be told: there is no word for `none`. */
export function choiceOf(choice: ToolChoice, { toolChoices }: ConverseFamily): JsonObject | null {
  const kind = typeof choice === "object" ? "tool" : choice === "required" ? "any" : choice
  if (kind === "none" || !toolChoices.includes(kind)) return null
  return typeof choice === "object" ? { tool: { name: functionName(choice.tool) } } : { [kind]: {} }
}
