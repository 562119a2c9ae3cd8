/** Limits: rules that need the model or several parameters at once. */
import type { SimModel } from "../model.ts"
import { invalid } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { changesSampling, doubtOfSampling } from "../openai/params.ts"
import { checkCacheParams } from "../openai/prompt.ts"
import type { Verdict } from "../sim-wire.ts"
import { formatOf, itemsOf, wantsEncrypted } from "./body.ts"
import type { ResponsesBody } from "./body.ts"
import { facts } from "./facts.ts"

export function checkLimits(body: ResponsesBody, model: SimModel, outputMax: number): Verdict {
  return (
    checkOutput(body.max_output_tokens ?? 0, outputMax) ??
    checkReasoning(body, model) ??
    checkToolChoice(body) ??
    checkJsonWord(body) ??
    checkCacheParams(body, body.model, model)
  )
}

function checkOutput(asked: number, outputMax: number): Verdict {
  if (asked <= outputMax) return undefined
  return invalid(facts.outputTooLarge(asked, outputMax), "max_output_tokens", "invalid_value")
}

function checkReasoning(body: ResponsesBody, model: SimModel): Verdict {
  const unsupported = (path: string) =>
    invalid(shared.unsupportedParameter(path), path, "unsupported_parameter")
  if (model.thinking !== true) {
    if ((body.reasoning?.effort ?? null) !== null) return unsupported("reasoning.effort")
    if ((body.reasoning?.summary ?? null) !== null) return unsupported("reasoning.summary")
    return wantsEncrypted(body) ? invalid(facts.encryptedUnsupported, "include") : undefined
  }
  // recorded: a reasoning model keeps its own sampling, unless it is told not to reason (documented).
  const { temperature, reasoning } = body
  const isSet = changesSampling(temperature, reasoning?.effort)
  const isDoubtful = doubtOfSampling(body.model, temperature, reasoning?.effort).length > 0
  return isSet && !isDoubtful ? unsupported("temperature") : undefined
}

function checkToolChoice(body: ResponsesBody): Verdict {
  const choice = body.tool_choice ?? "auto"
  const tools = body.tools ?? []
  if (choice === "required" && tools.length === 0) {
    return invalid(facts.choiceWithoutTools("required"), "tool_choice")
  }
  if (typeof choice === "string" || choice["type"] !== "function") return undefined
  const isFound = tools.some((one) => one.type === "function" && one.name === choice["name"])
  return isFound ? undefined : invalid(facts.choiceUnknown("function"), "tool_choice")
}

function checkJsonWord(body: ResponsesBody): Verdict {
  if (formatOf(body)["type"] !== "json_object") return undefined
  const said = JSON.stringify(itemsOf(body).filter((item) => "role" in item))
  return /json/i.test(said) ? undefined : invalid(facts.jsonWordMissing, "text.format")
}
