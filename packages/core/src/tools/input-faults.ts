/**
 * Input faults: what is wrong with the input of a call, in words that a model can act on.
 *
 * Read off the JSON Schema that the model was given, so that both speak of the same names. It knows what
 * the schemas of built-in tools use and lets the rest pass: the tool's own codec has the last word.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { nearNames } from "@holdfast/schema/names/near-names"

const faultsMax = 10
const shownUnitsMax = 60

/** What the model is told of an input that does not fit, so that nothing was done with it. */
export const unfitText = (name: string, faults: readonly string[]): string =>
  `The input does not fit the tool "${name}", so nothing was done. Correct it and call again.\n${faults.join("\n")}`

/** One sentence for each fault; none where the input fits. */
export function inputFaults(schema: JsonObject, input: Json): readonly string[] {
  return faultsOf(schema, input, "").slice(0, faultsMax)
}

function faultsOf(schema: JsonObject, value: Json, at: string): readonly string[] {
  const where = at === "" ? "The input" : `"${at}"`
  if (!fits(schema, value)) return [`${where} must be ${wanted(schema)}, not ${shown(value)}.`]
  if (schema["type"] === "array" && Array.isArray(value)) {
    const items = schema["items"]
    if (!isObject(items)) return []
    return value.flatMap((item, index) => faultsOf(items, item as Json, `${at}[${index}]`))
  }
  return schema["type"] === "object" && isObject(value) ? fieldFaults(schema, value, at) : []
}

function fieldFaults(schema: JsonObject, value: JsonObject, at: string): readonly string[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : []
  const names = Object.keys(properties)
  const path = (name: string) => (at === "" ? name : `${at}.${name}`)
  const unknown =
    schema["additionalProperties"] === false ? Object.keys(value).filter((name) => !names.includes(name)) : []
  return [
    ...unknown.map((name) => unknownField(path(name), name, names)),
    ...required.filter((name) => value[name] === undefined).map((name) => `"${path(name)}" is missing.`),
    ...names.flatMap((name) => {
      const field = properties[name]
      const given = value[name]
      return given === undefined || !isObject(field) ? [] : faultsOf(field, given, path(name))
    }),
  ]
}

function unknownField(path: string, name: string, names: readonly string[]): string {
  const [near] = nearNames(name, names)
  const hint = near === undefined ? `The fields are: ${names.join(", ")}.` : `Did you mean "${near}"?`
  return `There is no field "${path}". ${hint}`
}

function fits(schema: JsonObject, value: Json): boolean {
  const { type, enum: choices } = schema
  if (Array.isArray(choices)) return choices.includes(value as never)
  switch (type) {
    case "string":
      return typeof value === "string" && within(value.length, schema["minLength"], schema["maxLength"])
    case "integer":
    case "number":
      return (
        typeof value === "number" &&
        (type === "number" || Number.isInteger(value)) &&
        within(value, schema["minimum"], schema["maximum"])
      )
    case "boolean":
      return typeof value === "boolean"
    case "array":
      return Array.isArray(value) && within(value.length, schema["minItems"], schema["maxItems"])
    case "object":
      return isObject(value)
    default:
      return true
  }
}

const within = (size: number, least: Json | undefined, most: Json | undefined): boolean =>
  (typeof least !== "number" || size >= least) && (typeof most !== "number" || size <= most)

function wanted(schema: JsonObject): string {
  const { type, enum: choices } = schema
  if (Array.isArray(choices)) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`
  switch (type) {
    case "string":
      return `a text${sizes(schema["minLength"] === 1 ? undefined : schema["minLength"], schema["maxLength"], " characters")}${schema["minLength"] === 1 ? " that is not empty" : ""}`
    case "integer":
      return `a whole number${sizes(schema["minimum"], schema["maximum"], "")}`
    case "number":
      return `a number${sizes(schema["minimum"], schema["maximum"], "")}`
    case "boolean":
      return "true or false"
    case "array":
      return `a list${sizes(schema["minItems"], schema["maxItems"], " entries")}`
    default:
      return "an object"
  }
}

function sizes(least: Json | undefined, most: Json | undefined, unit: string): string {
  if (typeof least === "number" && typeof most === "number") return ` of ${least} to ${most}${unit}`
  if (typeof least === "number") return ` of at least ${least}${unit}`
  return typeof most === "number" ? ` of at most ${most}${unit}` : ""
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= shownUnitsMax ? text : `${text.slice(0, shownUnitsMax).toWellFormed()}…`
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
