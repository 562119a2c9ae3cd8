/**
 * Settings of an AI SDK call: the only place where options become its words (CA2).
 *
 * `model` names the model for the record and is not part of the call. `providerOptions` are a
 * compatibility field and pass as they are.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import { effortOrNone, given, type ToolChoice, withBodyFields } from "../options.ts"
import type { Target } from "../segments.ts"
import { nameSet } from "../json-fields.ts"

/** Fields that this wire writes itself; a compatibility field may not overwrite them. */
const writtenFields: ReadonlySet<string> = nameSet(
  "model maxOutputTokens temperature topP stopSequences toolChoice responseFormat reasoning tools",
  "prompt abortSignal headers",
)

export function paramsOf({ model, options }: Target, hasTools: boolean): string {
  const { temperature, topP, stop, toolChoice, structured, outputTokensMax } = options.generation
  const settings: JsonObject = {
    model,
    maxOutputTokens: outputTokensMax,
    ...given({ temperature, topP, stopSequences: stop }),
    ...(toolChoice === undefined || !hasTools ? {} : { toolChoice: choiceOf(toolChoice) }),
    ...(structured === undefined
      ? {}
      : { responseFormat: { type: "json", name: structured.name, schema: structured.schema } }),
    // documented: version 4 takes an effort; earlier ones look into `providerOptions` alone.
    ...given({ reasoning: effortOrNone(options.model.reasoning) }),
  }
  return canonicalJson(withBodyFields(settings, options.body, writtenFields))
}

const choiceOf = (choice: ToolChoice): JsonObject =>
  typeof choice === "object" ? { type: "tool", toolName: choice.tool } : { type: choice }
