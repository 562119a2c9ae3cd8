/** Parameters that both wires of OpenAI take. */
import type { Check, Fields } from "../shape.ts"
import { anything, needed } from "../shape.ts"
import { facts } from "./facts.ts"
import { cacheOptionsField } from "./prompt.ts"
import { flag, metadata, number, oneOf, text, textOr, typed } from "./shape.ts"
import { isObject } from "../json.ts"

export const functionName = text({ max: facts.toolNameMax, pattern: facts.toolName })

export const sharedParams: Fields = {
  model: needed(text()),
  stream: flag,
  store: flag,
  temperature: number("decimal", { min: 0, max: 2 }),
  top_p: number("decimal", { min: 0, max: 1 }),
  top_logprobs: number("integer", { min: 0, max: 20 }),
  parallel_tool_calls: flag,
  metadata,
  service_tier: oneOf(facts.serviceTiers),
  safety_identifier: text({ max: facts.safetyIdentifierMax }),
  prompt_cache_key: text({ max: facts.promptCacheKeyMax }),
  prompt_cache_options: cacheOptionsField,
  prompt_cache_retention: oneOf(facts.retentions),
  user: text(),
  moderation: anything,
}

/** Whether a model is asked to sample otherwise than it does while it reasons. */
export function changesSampling(temperature: number | null | undefined, effort: string | null | undefined) {
  return (temperature ?? 1) !== 1 && effort !== "none"
}

/** What may be refused of a request that changes the sampling and leaves the effort to the model. */
export function doubtOfSampling(
  name: string,
  temperature: number | null | undefined,
  effort: string | null | undefined,
): readonly string[] {
  const isDoubtful = changesSampling(temperature, effort) && (effort ?? null) === null
  return isDoubtful && facts.effortlessModels.test(name) ? [facts.unsupportedParameter("temperature")] : []
}

/** One of three words, or an object; `named` is the shape of one that names a function. */
export const toolChoice = (kinds: string, named: Check): Check =>
  textOr(kinds, isObject, typed(text(), { function: named }), oneOf(["none", "auto", "required"]))

/** The form of an answer; `schema` is the shape of one that follows a schema. */
export const answerFormat = (schema: Check): Check =>
  typed(oneOf(["text", "json_object", "json_schema"]), { json_schema: schema })
