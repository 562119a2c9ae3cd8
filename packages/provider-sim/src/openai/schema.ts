/**
 * JSON Schema rules for the parameters of functions and for structured output.
 *
 * Two rules always hold: the root is an object, and an array names its items. In strict mode every
 * object closes itself and requires all of its properties (documented).
 */
import { isObject, wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { firstRefusal } from "../shape.ts"
import type { Check } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"
import { wrongType } from "./shape.ts"

interface SchemaPlace {
  /** `function 'read'` or `response_format 'answer'`. */
  readonly name: string
  readonly path: string
  readonly code: string
  readonly strict: boolean
}

const depthMax = 64

/** The schema under this key, if there is one, of something with a name; `at` is where a fault is. */
export const schemaAt =
  (key: string, kind: "function" | "response_format", at = (path: string) => `${path}.${key}`): Check =>
  (path, value) => {
    const { [key]: schema, name, strict } = value as JsonObject
    if (schema === undefined || schema === null) return undefined
    const code = kind === "function" ? "invalid_function_parameters" : "invalid_json_schema"
    const place = { name: `${kind} '${wordOf(name)}'`, path: at(path), code, strict: strict === true }
    return checkSchema(schema, place)
  }

function checkSchema(schema: unknown, place: SchemaPlace): Verdict {
  if (!isObject(schema)) return wrongType(place.path, "an object", schema)
  // documented: a function without parameters may say so with an empty object.
  if (Object.keys(schema).length === 0 && !place.strict) return undefined
  const isUnion = ["oneOf", "anyOf", "allOf", "enum", "not"].some((key) => schema[key] !== undefined)
  if (isUnion) return refuse(facts.schemaTopLevel(place.name), place)
  if (schema["type"] !== "object") {
    const got = typeof schema["type"] === "string" ? schema["type"] : "None"
    return refuse(facts.schemaRoot(place.name, got), place)
  }
  return checkNode(schema, [], place)
}

function checkNode(node: unknown, context: readonly string[], place: SchemaPlace): Verdict {
  if (!isObject(node) || context.length > depthMax) return undefined
  return (
    checkKeywords(node, context, place) ??
    checkObjectNode(node, context, place) ??
    checkArrayNode(node, context, place) ??
    firstRefusal(childrenOf(node), ([steps, child]) => checkNode(child, [...context, ...steps], place))
  )
}

function checkKeywords(node: JsonObject, context: readonly string[], place: SchemaPlace): Verdict {
  const keyword = place.strict ? facts.strictKeywords.find((key) => node[key] !== undefined) : undefined
  if (keyword === undefined) return undefined
  return refuse(facts.schemaKeyword(place.name, contextOf(context), keyword), place)
}

function checkObjectNode(node: JsonObject, context: readonly string[], place: SchemaPlace): Verdict {
  if (!place.strict || !hasType(node, "object")) return undefined
  const where = contextOf(context)
  if (node["additionalProperties"] !== false) return refuse(facts.schemaAdditional(place.name, where), place)
  const keys = isObject(node["properties"]) ? Object.keys(node["properties"]) : []
  const required: readonly unknown[] = Array.isArray(node["required"]) ? node["required"] : []
  const missing = keys.find((key) => !required.includes(key))
  if (missing !== undefined) return refuse(facts.schemaRequired(place.name, where, missing), place)
  const extra = required.find((key) => !keys.includes(String(key)))
  return extra === undefined
    ? undefined
    : refuse(facts.schemaExtraRequired(place.name, where, wordOf(extra)), place)
}

function checkArrayNode(node: JsonObject, context: readonly string[], place: SchemaPlace): Verdict {
  if (!hasType(node, "array") || node["items"] !== undefined || node["prefixItems"] !== undefined) {
    return undefined
  }
  return refuse(facts.schemaItems(place.name, contextOf(context)), place)
}

function childrenOf(node: JsonObject): readonly (readonly [readonly string[], unknown])[] {
  const named = (key: string) =>
    isObject(node[key]) ? Object.entries(node[key]).map(([name, child]) => [[key, name], child] as const) : []
  const listed = (key: string) =>
    Array.isArray(node[key])
      ? node[key].map((child: unknown, index) => [[key, String(index)], child] as const)
      : []
  return [
    ...named("properties"),
    ...named("$defs"),
    ...named("definitions"),
    ...listed("anyOf"),
    ...listed("prefixItems"),
    ...(isObject(node["items"]) ? [[["items"], node["items"]] as const] : []),
  ]
}

function hasType(node: JsonObject, type: string): boolean {
  return node["type"] === type || (Array.isArray(node["type"]) && node["type"].includes(type))
}

/** recorded: a Python tuple. */
function contextOf(steps: readonly string[]): string {
  const names = steps.map((step) => `'${step}'`)
  return names.length === 1 ? `(${names[0]},)` : `(${names.join(", ")})`
}

function refuse(message: string, place: SchemaPlace): Verdict {
  return invalid(message, place.path, place.code)
}
