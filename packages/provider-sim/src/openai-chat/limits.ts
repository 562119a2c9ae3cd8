/** Limits: rules that need the model or several parameters at once. */
import { isObject, wordOf } from "../json.ts"
import type { ChatDialect, SimModel } from "../model.ts"
import { invalid } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { changesSampling, doubtOfSampling } from "../openai/params.ts"
import { checkCacheParams } from "../openai/prompt.ts"
import type { Verdict } from "../sim-wire.ts"
import { outputLimitOf, stopsOf, toolsOf } from "./body.ts"
import type { ChatBody } from "./body.ts"
import { facts } from "./facts.ts"

export function checkLimits(
  body: ChatBody,
  model: SimModel,
  outputMax: number,
  dialect: ChatDialect,
): Verdict {
  return (
    (dialect === "openai" ? checkReasoning(body, model) : undefined) ??
    (dialect === "deepseek" && model.thinking === true ? checkThinkingBack(body) : undefined) ??
    checkOutput(body, outputMax) ??
    checkToolUse(body) ??
    checkTogether(body) ??
    checkCacheParams(body, body.model, model)
  )
}

/** What is taken of a reasoning model although it may refuse it. */
export function doubtsOfReasoning(body: ChatBody): readonly string[] {
  const penalties = (["frequency_penalty", "presence_penalty"] as const).filter(
    (one) => (body[one] ?? 0) !== 0,
  )
  return [
    ...doubtOfSampling(body.model, body.temperature, body.reasoning_effort),
    ...(stopsOf(body).length > 0 ? [shared.unsupportedParameter("stop")] : []),
    ...penalties.map(shared.unsupportedParameter),
  ]
}

/** recorded: what a reasoning model does not take, and what only it takes. */
function checkReasoning(body: ChatBody, model: SimModel): Verdict {
  if (model.thinking !== true) {
    const path = "reasoning_effort"
    return (body.reasoning_effort ?? null) === null
      ? undefined
      : invalid(shared.unsupportedParameter(path), path, "unsupported_parameter")
  }
  if ((body.max_tokens ?? null) !== null) {
    return invalid(facts.maxTokensUnsupported, "max_tokens", "unsupported_parameter")
  }
  const { temperature, reasoning_effort: effort } = body
  if (!changesSampling(temperature, effort)) return undefined
  if (doubtOfSampling(body.model, temperature, effort).length > 0) return undefined
  const message = shared.unsupportedValue("temperature", String(temperature), "1")
  return invalid(message, "temperature", "unsupported_value")
}

/** documented: within a tool loop the thinking of each call comes back with it. */
function checkThinkingBack(body: ChatBody): Verdict {
  const start = body.messages.findLastIndex((message) => message.role === "user")
  const index = body.messages.findIndex(
    (message, at) =>
      at > start && (message.tool_calls ?? []).length > 0 && typeof message.reasoning_content !== "string",
  )
  return index < 0 ? undefined : invalid(facts.deepseekThinkingMissing(index), null, "invalid_request_error")
}

function checkOutput(body: ChatBody, outputMax: number): Verdict {
  if ((body.max_tokens ?? null) !== null && (body.max_completion_tokens ?? null) !== null) {
    return invalid(facts.maxTokensTwice, "max_tokens", "invalid_parameter_combination")
  }
  const asked = outputLimitOf(body) ?? 0
  if (asked <= outputMax) return undefined
  const param = (body.max_tokens ?? null) === null ? "max_completion_tokens" : "max_tokens"
  return invalid(facts.outputTooLarge(asked, outputMax), param, "invalid_value")
}

function checkToolUse(body: ChatBody): Verdict {
  const tools = toolsOf(body)
  const choice = body.tool_choice ?? undefined
  if (tools.length === 0) {
    if (choice !== undefined) return invalid(facts.choiceWithoutTools, "tool_choice")
    return (body.parallel_tool_calls ?? null) === null
      ? undefined
      : invalid(facts.parallelWithoutTools, "parallel_tool_calls")
  }
  if (!isObject(choice) || !isObject(choice["function"])) return undefined
  const { name } = choice["function"]
  return tools.some((one) => one.name === name)
    ? undefined
    : invalid(facts.choiceUnknown(wordOf(name)), "tool_choice")
}

function checkTogether(body: ChatBody): Verdict {
  if ((body.stream_options ?? null) !== null && body.stream !== true) {
    return invalid(facts.streamOptionsAlone, "stream_options")
  }
  const isJson = body.response_format?.["type"] === "json_object"
  return isJson && !/json/i.test(JSON.stringify(body.messages))
    ? invalid(facts.jsonWordMissing, "messages")
    : undefined
}
