/** Parameter rules: every top-level field except `messages`, `system` and `tools`. */
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { JsonObject } from "../../json.ts"
import type { MessagesBody } from "../request-body.ts"
import type { SimModel } from "../../model.ts"
import { booleanField, extraField, firstRefusal, isObject, missingField } from "./shape.ts"
import { numberField, patternField, stringField } from "./shape.ts"
import type { Verdict } from "./shape.ts"

/** documented: the body parameters of the Messages API without beta headers. */
const topLevelFields = [
  "model",
  "messages",
  "max_tokens",
  "system",
  "stream",
  "tools",
  "tool_choice",
  "thinking",
  "temperature",
  "top_k",
  "top_p",
  "stop_sequences",
  "metadata",
  "service_tier",
  "output_config",
  "cache_control",
]

const thinkingBudgetMin = facts.thinkingBudgetMin

/** Shape of the parameters; what depends on the model comes in `checkLimits`. */
export function checkParams(body: JsonObject): Verdict {
  return (
    stringField("", body, "model") ??
    missingField("", body, "messages") ??
    missingField("", body, "max_tokens") ??
    // documented: at least one token must be generated.
    numberField("", body, "max_tokens", { min: 1, integer: true }) ??
    booleanField("", body, "stream") ??
    // documented: the ranges.
    numberField("", body, "temperature", { min: 0, max: 1 }) ??
    numberField("", body, "top_p", { min: 0, max: 1 }) ??
    numberField("", body, "top_k", { min: 0, integer: true }) ??
    checkStopSequences(body["stop_sequences"]) ??
    checkMetadata(body["metadata"]) ??
    checkServiceTier(body["service_tier"]) ??
    checkOutputConfig(body["output_config"]) ??
    checkThinkingShape(body["thinking"]) ??
    checkToolChoiceShape(body["tool_choice"]) ??
    // recorded: `{field}: Extra inputs are not permitted`.
    extraField("", body, topLevelFields)
  )
}

/** Rules that need the model or several parameters at once. */
export function checkLimits(body: MessagesBody, model: SimModel, outputMax: number): Verdict {
  // recorded: the text; documented: output limits are per model.
  if (body.max_tokens > outputMax) {
    return invalid(facts.outputTooLarge(body.max_tokens, outputMax, body.model))
  }
  return checkThinkingLimits(body, model) ?? checkToolChoiceUse(body)
}

function checkStopSequences(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return invalid(facts.notList("stop_sequences"))
  return firstRefusal<unknown>(value, (item, index) => {
    if (typeof item !== "string") return invalid(facts.notString(`stop_sequences.${index}`))
    // recorded: whitespace cannot stop a model.
    return item.trim() === "" ? invalid(facts.stopBlank) : undefined
  })
}

function checkMetadata(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return invalid(facts.notDictionary("metadata"))
  const user = value["user_id"]
  // documented: `user_id` is the only field.
  if (user !== undefined && user !== null && typeof user !== "string") {
    return invalid(facts.notString("metadata.user_id"))
  }
  return extraField("metadata", value, ["user_id"])
}

function checkServiceTier(value: unknown): Verdict {
  // documented: the two values.
  if (value === undefined || value === "auto" || value === "standard_only") return undefined
  return invalid(facts.notOneOf("service_tier", "'auto' or 'standard_only'"))
}

function checkOutputConfig(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return invalid(facts.notDictionary("output_config"))
  return extraField("output_config", value, ["effort", "format"])
}

function checkThinkingShape(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return invalid(facts.notDictionary("thinking"))
  if (value["type"] === "enabled") {
    return (
      missingField("thinking.enabled", value, "budget_tokens") ??
      // recorded: the path names the variant.
      numberField("thinking.enabled", value, "budget_tokens", { min: thinkingBudgetMin, integer: true }) ??
      extraField("thinking.enabled", value, ["type", "budget_tokens", "display"])
    )
  }
  if (value["type"] === "adaptive") return extraField("thinking.adaptive", value, ["type", "display"])
  if (value["type"] === "disabled") return extraField("thinking.disabled", value, ["type"])
  return invalid(facts.unknownTag("thinking", String(value["type"]), "'adaptive', 'disabled', 'enabled'"))
}

function checkThinkingLimits(body: MessagesBody, model: SimModel): Verdict {
  const thinking = body.thinking
  if (thinking === undefined || thinking.type === "disabled") return undefined
  // documented: not every model thinks. The wording is assumed.
  if (model.thinking !== true) return invalid(facts.thinkingUnsupported(body.model))
  // recorded: thinking counts towards the output limit.
  if (thinking.type === "enabled" && thinking.budget_tokens >= body.max_tokens) {
    return invalid(facts.budgetTooLarge)
  }
  // recorded: sampling cannot be changed while thinking. The text about `top_k` is assumed.
  if (body.temperature !== undefined && body.temperature !== 1) {
    return invalid(facts.thinkingTemperature)
  }
  if (body.top_k !== undefined) return invalid(facts.thinkingTopK)
  // documented: with thinking, `top_p` lies between 0.95 and 1. The wording is assumed.
  if (body.top_p !== undefined && body.top_p < 0.95) {
    return invalid(facts.thinkingTopP)
  }
  const choice = body.tool_choice?.type
  // recorded: a forced call leaves no room for thinking.
  if (choice === "any" || choice === "tool") {
    return invalid(facts.thinkingForced)
  }
  return undefined
}

function checkToolChoiceShape(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!isObject(value)) return invalid(facts.notDictionary("tool_choice"))
  const type = value["type"]
  // documented: the four variants and their fields.
  if (type === "auto" || type === "any") {
    return (
      booleanField(`tool_choice.${type}`, value, "disable_parallel_tool_use") ??
      extraField(`tool_choice.${type}`, value, ["type", "disable_parallel_tool_use"])
    )
  }
  if (type === "none") return extraField("tool_choice.none", value, ["type"])
  if (type === "tool") {
    return (
      patternField("tool_choice.tool", value, "name", facts.toolNamePattern) ??
      booleanField("tool_choice.tool", value, "disable_parallel_tool_use") ??
      extraField("tool_choice.tool", value, ["type", "name", "disable_parallel_tool_use"])
    )
  }
  return invalid(facts.unknownTag("tool_choice", String(type), "'any', 'auto', 'none', 'tool'"))
}

function checkToolChoiceUse(body: MessagesBody): Verdict {
  const choice = body.tool_choice
  if (choice === undefined) return undefined
  const tools = body.tools ?? []
  if (tools.length === 0) return invalid(facts.choiceWithoutTools)
  if (choice.type === "tool" && !tools.some((tool) => tool.name === choice.name)) {
    return invalid(facts.choiceUnknown(choice.name))
  }
  return undefined
}
