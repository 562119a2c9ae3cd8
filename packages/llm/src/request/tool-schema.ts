/**
 * Tool schemas as OpenAI and its kin take them: rules as data, and one walk (LL3).
 *
 * What a server does not understand is removed, never rewritten into something else. A schema is
 * declared strict only if it is so by itself: making optional fields required would change what a
 * tool means.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { isFields, nameSet } from "../json-fields.ts"

export interface SchemaRules {
  /** Keywords that the server refuses anywhere. */
  readonly removed: readonly string[]
  /** Keywords that it refuses at the top. */
  readonly removedAtTop: readonly string[]
}

/** recorded, of OpenAI and of Bedrock: an input is an object with properties and no union at the top. */
export const openAiSchemaRules: SchemaRules = {
  removed: ["$schema", "$id", "$comment"],
  removedAtTop: ["oneOf", "anyOf", "allOf", "not", "enum"],
}

/** A schema as it is sent: an object, without what the rules remove. */
export function projectSchema(schema: JsonObject, rules: SchemaRules): JsonObject {
  const kept = without(schema, [...rules.removed, ...rules.removedAtTop])
  const projected = Object.fromEntries(
    Object.entries(kept).map(([key, value]) => [key, projectKeyword(key, value, rules)]),
  )
  return {
    ...projected,
    type: "object",
    properties: isFields(projected["properties"]) ? projected["properties"] : {},
  }
}

/** A schema without what is removed wherever it stands: it says nothing about an input. */
export const withoutAnnotations = (schema: JsonObject): JsonObject =>
  projectSchema(schema, { ...openAiSchemaRules, removedAtTop: [] })

/** Members whose own members are names and not keywords. */
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
export const namesInside: ReadonlySet<string> = new Set(named)
/** Members whose value is data, in which nothing is a keyword. */
export const dataInside = new Set(["const", "enum", "default", "examples", "required"])

function projectKeyword(key: string, value: Json, rules: SchemaRules): Json {
  if (dataInside.has(key)) return value
  if (namesInside.has(key) && isFields(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, projectValue(item, rules)]))
  }
  return projectValue(value, rules)
}

function projectValue(value: Json, rules: SchemaRules): Json {
  if (Array.isArray(value)) return value.map((item: Json) => projectValue(item, rules))
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(without(value, rules.removed)).map(([key, item]) => [
      key,
      projectKeyword(key, item, rules),
    ]),
  )
}

/** documented: what strict mode does not take. */
const looseKeywords: ReadonlySet<string> = nameSet(
  "allOf not dependentRequired dependentSchemas if then else patternProperties propertyNames",
  "unevaluatedProperties oneOf",
)

/** documented: strict wants every property required, no other one allowed, at every depth. */
export function isStrictSchema(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (!isFields(schema)) return true
  if ([...looseKeywords].some((key) => schema[key] !== undefined)) return false
  const properties = schema["properties"]
  if (schema["type"] === "object" || properties !== undefined) {
    if (schema["additionalProperties"] !== false || !isFields(properties)) return false
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
    if (Object.keys(properties).some((name) => !required.has(name))) return false
  }
  return Object.entries(schema).every(([key, value]) => {
    if (dataInside.has(key)) return true
    if (namesInside.has(key) && isFields(value)) return Object.values(value).every(isStrictSchema)
    return isStrictSchema(value)
  })
}

/** Whether an input is strict as it is sent. */
export const isStrictInput = (schema: JsonObject): boolean =>
  isStrictSchema(projectSchema(schema, openAiSchemaRules))

/** documented: what is wrong with a format whose schema shall be enforced; it says what to change. */
export const strictFault = ({ schema, strict }: Readonly<Record<string, unknown>>): readonly string[] =>
  strict === true && !isStrictSchema((schema ?? {}) as Json)
    ? ["the schema of the answer leaves members open: require all and allow no other"]
    : []

const without = (value: JsonObject, removed: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([key]) => !removed.includes(key)))
