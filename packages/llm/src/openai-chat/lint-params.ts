/** Settings that a Chat server refuses, alone or beside others (LL3). */
import { type Fields, fieldsOf, isFields, listOf, parseFields } from "../json-fields.ts"
import type { Report } from "../request/checked-chain.ts"
import type { Target } from "../segments.ts"
import type { Encoded } from "../wire.ts"
import type { ChatProfile } from "./profiles.ts"

export interface CheckedParams extends Pick<Encoded, "params" | "blocks"> {
  readonly target: Target
  readonly profile: ChatProfile
  readonly toolNames: ReadonlySet<string>
}

export function checkParams(checked: CheckedParams, report: Report): void {
  const { target, profile, toolNames } = checked
  const params = parseFields(checked.params)
  if (params === null || params["model"] !== target.model || params["stream"] !== true) {
    return report("params", 0, "the settings are not those of a stream of this model")
  }
  const output = params[profile.outputLimitField]
  if (!Number.isSafeInteger(output) || (output as number) < 1) {
    report("params", 0, "the output limit is not a positive number")
  }
  const chosen = fieldsOf(fieldsOf(params["tool_choice"])["function"])["name"]
  if (typeof chosen === "string" && !toolNames.has(chosen)) {
    report("tool-choice", 0, `the chosen tool ${chosen} is not declared: choose one of the tools`)
  }
  if (profile.name === "openai") checkOpenai(params, checked, report)
}

/** documented: the least and the most that OpenAI takes. */
const ranges: Readonly<Record<string, readonly [min: number, max: number]>> = {
  temperature: [0, 2],
  top_p: [0, 1],
  frequency_penalty: [-2, 2],
  presence_penalty: [-2, 2],
  top_logprobs: [0, 20],
}

/** documented: stop sequences of one request. */
const stopsMax = 4

function checkOpenai(params: Fields, { blocks }: CheckedParams, report: Report): void {
  for (const [name, [min, max]] of Object.entries(ranges)) {
    const value = params[name]
    if (typeof value === "number" && (value < min || value > max)) {
      report("params", 0, `${name} is ${value}: set it between ${min} and ${max}`)
    }
  }
  if (listOf(params["stop"]).length > stopsMax) {
    report("params", 0, `more than ${stopsMax} stop sequences: leave some out`)
  }
  if (params["top_logprobs"] !== undefined && params["logprobs"] !== true) {
    report("params", 0, "top_logprobs need logprobs: true")
  }
  const { type, json_schema: format } = fieldsOf(params["response_format"])
  const { schema, strict } = fieldsOf(format)
  if (type === "json_schema" && strict === true && !isClosed(schema)) {
    report("params", 0, "the schema of the answer leaves members open: require all and allow no other")
  }
  // recorded: 'messages' must contain the word 'json' in some form.
  const said = blocks.filter(({ segment }) => segment !== "tools")
  if (type === "json_object" && !said.some(({ json }) => /json/i.test(json))) {
    report("params", 0, "the answer is to be JSON and no message says so: name JSON in one")
  }
}

/** Members of a schema in which nothing is a schema. */
const dataInside: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"])
const namesInside: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"])

/** documented: a strict schema requires all properties of an object and allows no other, at every depth. */
export function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed)
  if (!isFields(schema)) return true
  const { properties, required, additionalProperties } = schema
  if (isFields(properties)) {
    const named = new Set(listOf(required))
    if (additionalProperties !== false || Object.keys(properties).some((name) => !named.has(name)))
      return false
  }
  return Object.entries(schema).every(([key, value]) => {
    if (dataInside.has(key)) return true
    return isClosed(namesInside.has(key) && isFields(value) ? Object.values(value) : value)
  })
}
