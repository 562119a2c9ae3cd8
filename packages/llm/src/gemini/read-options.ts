/**
 * Settings of a Gemini body as options, for replays of recorded traffic.
 *
 * A setting is read where the wire writes the same again. What has another form, such as a schema
 * that the projection would change or a budget that the model's generation does not count, stays
 * where it was, as a compatibility field. What can be neither is named.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, lookUp, textOf } from "../json-fields.ts"
import { plainOptions, type Reasoning, type RequestOptions, type ToolChoice } from "../options.ts"
import { readOptions } from "../request/read-request.ts"
import { familyOf, isVertex } from "./families.ts"
import type { partTools } from "./hosted-tool.ts"
import { thinkingOf } from "./params.ts"
import { lostKeywords } from "./schema-projection.ts"

export interface ReadSettings {
  readonly options: RequestOptions
  readonly unread: readonly string[]
}

/** `value` has one spelling. */
export function readSettings(
  value: Fields,
  { functions, hosted }: ReturnType<typeof partTools>,
  tag: { readonly model: string; readonly endpoint: string },
): ReadSettings {
  const { contents: _c, systemInstruction: _s, tools: _t, ...settings } = value
  const { toolConfig, generationConfig, cachedContent, model: named, ...rest } = settings
  const names = functions.map((one) => textOf(fieldsOf(one)["name"]))
  const choice = readToolConfig(fieldsOf(toolConfig), names, hosted.length > 0, tag.endpoint)
  const config = readConfig(fieldsOf(generationConfig), tag.model)
  const unread = [
    ...choice.unread,
    ...config.unread,
    ...(cachedContent === undefined ? [] : ["cachedContent"]),
    // The address names the model; another name beside it cannot be told again.
    ...(named === undefined || lastWord(named) === lastWord(tag.model) ? [] : ["model"]),
  ]
  const { passed } = config
  return {
    unread,
    options: {
      generation: {
        ...config.options.generation,
        ...(choice.toolChoice === null ? {} : { toolChoice: choice.toolChoice }),
      },
      model: {
        ...config.options.model,
        ...(hosted.length === 0 ? {} : { hostedTools: hosted as readonly JsonObject[] }),
      },
      body: {
        ...rest,
        ...(Object.keys(passed).length === 0 ? {} : { generationConfig: passed }),
      } as JsonObject,
      traits: {},
    },
  }
}

const lastWord = (model: unknown): string => textOf(model).split("/").at(-1) ?? ""

interface ReadConfig {
  readonly options: RequestOptions
  /** What stays where it was. */
  readonly passed: Fields
  readonly unread: readonly string[]
}

function readConfig(config: Fields, model: string): ReadConfig {
  const { maxOutputTokens, temperature, topP, stopSequences, thinkingConfig, ...others } = config
  const sampling = { maxOutputTokens, temperature, topP, stopSequences }
  const given = Object.entries(sampling).filter(([, value]) => value !== undefined)
  const read = readOptions(Object.fromEntries(given), [])
  const { generation } = read
  const taken = [maxOutputTokens, generation.temperature, generation.topP, generation.stop]
  const left = Object.entries(sampling).filter(
    ([, value], at) => value !== undefined && taken[at] === undefined,
  )
  const unlimited = maxOutputTokens !== undefined && generation.outputTokensMax !== maxOutputTokens
  const reasoning = readReasoning(fieldsOf(thinkingConfig), model)
  const schema = structuredSchema(config)
  const { responseMimeType: _m, responseSchema: _s, responseJsonSchema: _j, ...unstructured } = others
  return {
    options: {
      ...read,
      generation: { ...generation, ...(schema === null ? {} : { structured: { name: "answer", schema } }) },
      model: reasoning === null ? {} : { reasoning },
    },
    passed: {
      ...Object.fromEntries(left),
      ...(schema === null ? others : unstructured),
      ...(reasoning !== null || thinkingConfig === undefined ? {} : { thinkingConfig }),
    },
    unread: unlimited ? ["generationConfig.maxOutputTokens"] : [],
  }
}

/** The schema of a structured answer; null where the wire could not say it as it stands. */
export function structuredSchema(config: Fields): JsonObject | null {
  const { responseMimeType, responseSchema, responseJsonSchema } = config
  if (responseMimeType !== "application/json") return null
  if (responseSchema !== undefined && responseJsonSchema !== undefined) return null
  const schema = responseSchema ?? responseJsonSchema
  return isFields(schema) && lostKeywords(schema as JsonObject).length === 0 ? (schema as JsonObject) : null
}

/** The reasoning for which the wire writes this; whether thoughts are told is our policy. */
function readReasoning(config: Fields, model: string): Reasoning | null {
  const { thinkingBudget, thinkingLevel, includeThoughts, ...others } = config
  if (Object.keys(others).length > 0) return null
  const asked = { thinkingBudget, thinkingLevel: thinkingLevel && textOf(thinkingLevel).toLowerCase() }
  if (asked.thinkingBudget === undefined && asked.thinkingLevel === undefined) return null
  const family = familyOf({ provider: "", endpoint: "", model, options: plainOptions(1) })
  const written = (reasoning: Reasoning) => fieldsOf(thinkingOf(reasoning, family, model))
  const fits = (reasoning: Reasoning) => {
    const wire = written(reasoning)
    return wire["thinkingBudget"] === asked.thinkingBudget && wire["thinkingLevel"] === asked.thinkingLevel
  }
  const fitting = candidates(asked).filter(fits)
  const exact = fitting.find((reasoning) => written(reasoning)["includeThoughts"] === includeThoughts)
  return exact ?? fitting[0] ?? null
}

const candidates = (asked: {
  readonly thinkingBudget: unknown
  readonly thinkingLevel: unknown
}): readonly Reasoning[] => [
  ...(typeof asked.thinkingLevel === "string"
    ? [{ kind: "effort", effort: asked.thinkingLevel } as const]
    : []),
  { kind: "off" },
  { kind: "adaptive" },
  ...(typeof asked.thinkingBudget === "number"
    ? [{ kind: "budget", tokens: asked.thinkingBudget } as const]
    : []),
]

interface ReadChoice {
  readonly toolChoice: ToolChoice | null
  readonly unread: readonly string[]
}

const calling = "toolConfig.functionCallingConfig"

function readToolConfig(
  config: Fields,
  names: readonly string[],
  hosted: boolean,
  endpoint: string,
): ReadChoice {
  const { functionCallingConfig, includeServerSideToolInvocations: told, ...others } = config
  const unread = Object.keys(others).map((name) => `toolConfig.${name}`)
  const mixed = names.length > 0 && hosted && !isVertex(endpoint)
  // The wire asks for it where it must, and nowhere else.
  if (told === true && !mixed) unread.push("toolConfig.includeServerSideToolInvocations")
  if (functionCallingConfig === undefined) return { toolChoice: null, unread }
  const choice = readChoice(fieldsOf(functionCallingConfig), names, mixed && told === true)
  return { toolChoice: choice.toolChoice, unread: [...unread, ...choice.unread] }
}

/** `told`: beside hosted tools the wire says `VALIDATED` where others say `AUTO`. */
function readChoice(config: Fields, declared: readonly string[], told: boolean): ReadChoice {
  const { mode, allowedFunctionNames, ...others } = config
  const allowed = listOf(allowedFunctionNames)
  const unread = Object.keys(others).map((name) => `${calling}.${name}`)
  const [only] = allowed
  switch (textOf(mode).toUpperCase()) {
    case "ANY":
      if (allowed.length === 1 && typeof only === "string") return { toolChoice: { tool: only }, unread }
      if (declared.every((name) => allowed.length === 0 || allowed.includes(name)))
        return { toolChoice: "required", unread }
      return { toolChoice: null, unread: [...unread, `${calling}.allowedFunctionNames`] }
    case "VALIDATED":
      if (told && allowed.length === 0) return { toolChoice: "auto", unread }
      return { toolChoice: null, unread: [...unread, `${calling}.mode: VALIDATED`] }
    default: {
      const named = allowed.length === 0 ? [] : [`${calling}.allowedFunctionNames`]
      const choice = lookUp(choices, textOf(mode).toUpperCase())
      const other = choice === undefined ? [`${calling}.mode: ${textOf(mode)}`] : []
      return { toolChoice: choice ?? null, unread: [...unread, ...named, ...other] }
    }
  }
}

/** Modes beside which no function is named. */
const choices: Readonly<Record<string, "auto" | "none" | null>> = {
  AUTO: "auto",
  NONE: "none",
  MODE_UNSPECIFIED: null,
  "": null,
}
