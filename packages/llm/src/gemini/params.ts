/**
 * Settings of a Gemini request: the only place where options become this provider's words (CA2).
 *
 * What is not set is not written. The model stands first for the record; it is part of the address
 * and not of the body. Compatibility fields of `generationConfig` stand beside what is written there.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import { fieldsOf, nameSet } from "../json-fields.ts"
import { given, type Reasoning, type StructuredOutput, type ToolChoice, withBodyFields } from "../options.ts"
import type { Target } from "../segments.ts"
import { type GeminiFamily, isVertex } from "./families.ts"
import { geminiName } from "./part-shape.ts"
import { projectToGemini } from "./schema-projection.ts"

/** Fields that this wire writes itself; a compatibility field may not overwrite them. */
export const writtenFields: ReadonlySet<string> = nameSet(
  "model generationConfig toolConfig tools systemInstruction contents cachedContent",
)

export function paramsOf(target: Target, family: GeminiFamily, hasTools: boolean): string {
  const { model, options } = target
  const { generation, body } = options
  const { temperature, topP, stop, structured } = generation
  const thinking = thinkingOf(options.model.reasoning, family, model)
  const config: JsonObject = {
    maxOutputTokens: generation.outputTokensMax,
    ...given({ temperature, topP, stopSequences: stop, thinkingConfig: thinking }),
    ...(structured === undefined ? {} : formatOf(structured)),
  }
  const settings: JsonObject = {
    model,
    generationConfig: withBodyFields(config, fieldsOf(body["generationConfig"])),
    ...given({ toolConfig: hasTools ? toolConfigOf(target) : undefined }),
  }
  return canonicalJson(withBodyFields(settings, body, writtenFields))
}

export const formatOf = ({ schema }: StructuredOutput): JsonObject => ({
  responseMimeType: "application/json",
  responseSchema: projectToGemini(schema),
})

/** documented: what an effort is worth to models that count tokens. */
const budgetOfEffort: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
}

/** documented: the highest level is `high`. */
const levelOf = (effort: string): string => (effort === "xhigh" || effort === "max" ? "high" : effort)

/** Null where nothing is to be said. */
export function thinkingOf(
  reasoning: Reasoning | undefined,
  { thinking }: GeminiFamily,
  model: string,
): JsonObject | null {
  if (reasoning === undefined || thinking === "none") return null
  switch (reasoning.kind) {
    case "budget":
      return { thinkingBudget: reasoning.tokens, includeThoughts: true }
    case "off":
      if (thinking === "budget") return { thinkingBudget: 0 }
      // documented: these models always think; the larger ones know no `minimal`.
      return { thinkingLevel: /\bpro\b/.test(model) ? "low" : "minimal" }
    default: {
      const { effort } = reasoning
      if (thinking === "level") {
        return { ...given({ thinkingLevel: effort && levelOf(effort) }), includeThoughts: true }
      }
      // documented: -1 lets the model decide.
      const budget = effort === undefined ? -1 : (budgetOfEffort[effort] ?? budgetOfEffort["high"] ?? -1)
      return { thinkingBudget: budget, includeThoughts: true }
    }
  }
}

/**
 * documented: functions stand beside hosted tools only where the answer tells what those did, and a
 * model is then not told `AUTO`. recorded: Vertex does not know the field.
 */
export function toolConfigOf({ endpoint, options }: Target): JsonObject {
  const { toolChoice } = options.generation
  const told = (options.model.hostedTools ?? []).length > 0 && !isVertex(endpoint)
  const choice = toolChoice === "auto" && told ? { mode: "VALIDATED" } : toolChoice && choiceOf(toolChoice)
  return given({ functionCallingConfig: choice, includeServerSideToolInvocations: told || undefined })
}

const modes = { auto: "AUTO", none: "NONE", required: "ANY" } as const

const choiceOf = (choice: ToolChoice): JsonObject =>
  typeof choice === "object"
    ? { mode: "ANY", allowedFunctionNames: [geminiName(choice.tool)] }
    : { mode: modes[choice] }
