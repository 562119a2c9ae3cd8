/** Parameter rules: every top-level field except `messages`, `system` and `tools`. */
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { JsonObject } from "../../json.ts"
import type { MessagesBody } from "../request-body.ts"
import type { SimModel } from "../../model.ts"
import { always, anything, firstRefusal, named, needed, orNull } from "../../shape.ts"
import type { Fields } from "../../shape.ts"
import type { Accepted, Verdict } from "../../sim-wire.ts"
import { cacheControl } from "./cache-control.ts"
import { betasOf } from "./http.ts"
import { closedSchema } from "./schema.ts"
import { flag, list, matching, number, object, oneOf, text, variants } from "./shape.ts"

const choice = { type: anything, disable_parallel_tool_use: flag }

const display = orNull(oneOf(facts.displays))

/** documented: the parameters of the Messages API, and their ranges. */
const fields: Fields = {
  model: needed(text()),
  messages: needed(anything),
  // documented: nothing is put out for 0, and the cache is filled.
  max_tokens: needed(number("integer", { min: 0 })),
  stream: flag,
  temperature: orNull(number("decimal", { min: 0, max: 1 })),
  top_p: orNull(number("decimal", { min: 0, max: 1 })),
  top_k: orNull(number("integer", { min: 0 })),
  // recorded: whitespace cannot stop a model.
  stop_sequences: list(text((_, stop) => (stop.trim() === "" ? invalid(facts.stopBlank) : undefined))),
  metadata: object({ user_id: orNull(text()) }),
  service_tier: oneOf(["auto", "standard_only"]),
  output_config: object({
    effort: orNull(oneOf(facts.efforts)),
    format: orNull(object({ type: always(oneOf(["json_schema"])), schema: needed(closedSchema) })),
    task_budget: anything,
  }),
  thinking: variants({
    enabled: object({
      type: anything,
      display,
      budget_tokens: needed(number("integer", { min: facts.thinkingBudgetMin })),
    }),
    adaptive: object({ type: anything, display }),
    between_tools: object(named("type")),
    disabled: object(named("type")),
  }),
  tool_choice: variants({
    auto: object(choice),
    any: object(choice),
    none: object(named("type")),
    tool: object({ name: needed(matching(facts.toolNamePattern)), ...choice }),
  }),
  cache_control: cacheControl,
  speed: orNull(oneOf(["standard", "fast"])),
  inference_geo: orNull(text()),
  user_profile_id: orNull(text()),
  workspace_id: orNull(text()),
  ...named("system tools container diagnostics context_management mcp_servers"),
}

/** Shape of the parameters; what depends on the model comes in `checkLimits`. */
export const checkParams = (body: JsonObject): Verdict => object(fields)("", body)

/** Rules that need the model or several parameters at once. */
export function checkLimits({ body, model, outputMax, request }: Accepted<MessagesBody>): Verdict {
  // recorded: the text; documented: output limits are per model.
  if (body.max_tokens > outputMax) {
    return invalid(facts.outputTooLarge(body.max_tokens, outputMax, body.model))
  }
  return checkBetas(body, betasOf(request)) ?? checkThinkingLimits(body, model) ?? checkToolChoiceUse(body)
}

/** What is taken although the newest models may refuse it. */
export function doubtsOfParams({ body, request }: Accepted<MessagesBody>): readonly string[] {
  const isTwice = (body.temperature ?? null) !== null && (body.top_p ?? null) !== null
  const isAdaptive = body.thinking?.type === "adaptive" && facts.adaptivelessModels.test(body.model)
  return [
    ...betasOf(request)
      .filter((beta) => !facts.betasKnown.includes(beta))
      .map(facts.betaDoubt),
    ...(isTwice ? [facts.samplingTwice] : []),
    ...(isAdaptive ? [facts.adaptiveUnsupported] : []),
  ]
}

/** documented: a parameter of a beta exists for those who name it. */
function checkBetas(body: MessagesBody, betas: readonly string[]): Verdict {
  return firstRefusal(Object.entries(facts.betaParams), ([name, pattern]) => {
    const isSet = ((body as unknown as JsonObject)[name] ?? null) !== null
    return isSet && !betas.some((beta) => pattern.test(beta)) ? invalid(facts.extraInput(name)) : undefined
  })
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
  if (body.temperature !== undefined && body.temperature !== 1) return invalid(facts.thinkingTemperature)
  if (body.top_k !== undefined) return invalid(facts.thinkingTopK)
  // documented: with thinking, `top_p` lies between 0.95 and 1. The wording is assumed.
  if (body.top_p !== undefined && body.top_p < 0.95) return invalid(facts.thinkingTopP)
  const forced = body.tool_choice?.type
  // recorded: a forced call leaves no room for thinking.
  if (forced === "any" || forced === "tool") return invalid(facts.thinkingForced)
  return undefined
}

function checkToolChoiceUse(body: MessagesBody): Verdict {
  const chosen = body.tool_choice
  if (chosen === undefined) return undefined
  const tools = body.tools ?? []
  if (tools.length === 0) return invalid(facts.choiceWithoutTools)
  if (chosen.type === "tool" && !tools.some((tool) => tool.name === chosen.name)) {
    return invalid(facts.choiceUnknown(chosen.name))
  }
  return undefined
}
