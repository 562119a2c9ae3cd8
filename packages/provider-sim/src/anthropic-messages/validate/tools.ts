/** Tool rules: the definitions in `tools`, those of the client and those of the provider. */
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { JsonObject } from "../../json.ts"
import { checkCacheControl } from "./cache-control.ts"
import { extraField, firstRefusal, isObject, missingField, numberField, patternField } from "./shape.ts"
import type { Verdict } from "./shape.ts"

/** documented: the fields of a client tool. */
const toolFields = [
  "type",
  "name",
  "description",
  "input_schema",
  "cache_control",
  "strict",
  "input_examples",
  "eager_input_streaming",
]

export const toolNamePattern = facts.toolNamePattern
const propertyPattern = facts.propertyPattern

export function checkTools(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return invalid(facts.notList("tools"))
  return firstRefusal<unknown>(value, checkTool) ?? checkUniqueNames(value as readonly JsonObject[])
}

function checkTool(value: unknown, index: number): Verdict {
  if (!isObject(value)) return invalid(facts.notObject(`tools.${index}`))
  const type = value["type"]
  if (type !== undefined && type !== null && type !== "custom") {
    return checkHostedTool(`tools.${index}`, String(type), value)
  }
  // recorded: the path names the variant.
  const path = `tools.${index}.custom`
  const description = value["description"]
  if (description !== undefined && typeof description !== "string") {
    return invalid(facts.notString(`${path}.description`))
  }
  return (
    patternField(path, value, "name", toolNamePattern) ??
    missingField(path, value, "input_schema") ??
    checkInputSchema(`${path}.input_schema`, value["input_schema"]) ??
    checkCacheControl(path, value["cache_control"]) ??
    extraField(path, value, toolFields)
  )
}

function checkHostedTool(where: string, type: string, value: JsonObject): Verdict {
  const known = facts.hostedTools
  const tool = Object.hasOwn(known, type) ? known[type] : undefined
  if (tool === undefined) {
    const tags = ["custom", ...Object.keys(known)].sort().map((tag) => `'${tag}'`)
    return invalid(facts.unknownTag(where, type, tags.join(", ")))
  }
  const path = `${where}.${type}`
  return (
    missingField(path, value, "name") ??
    (value["name"] === tool.name ? undefined : invalid(facts.notOneOf(`${path}.name`, `'${tool.name}'`))) ??
    numberField(path, value, "max_uses", { min: 1, integer: true }) ??
    checkCacheControl(path, value["cache_control"]) ??
    extraField(path, value, ["type", "name", "cache_control", ...tool.fields])
  )
}

function checkInputSchema(path: string, schema: unknown): Verdict {
  if (!isObject(schema)) return invalid(facts.notDictionary(path))
  // recorded: both texts; documented: an input is an object.
  if (schema["type"] === undefined) return invalid(facts.fieldRequired(`${path}.type`))
  if (schema["type"] !== "object") return invalid(facts.notOneOf(`${path}.type`, "'object'"))
  // recorded: a union at the top level is refused.
  if (["oneOf", "allOf", "anyOf"].some((key) => schema[key] !== undefined)) {
    return invalid(facts.schemaUnion(path))
  }
  const properties = schema["properties"]
  if (properties === undefined) return undefined
  if (!isObject(properties)) return invalid(facts.notDictionary(`${path}.properties`))
  return Object.keys(properties).every((key) => propertyPattern.test(key))
    ? undefined
    : invalid(facts.propertyName(path, propertyPattern.source))
}

function checkUniqueNames(tools: readonly JsonObject[]): Verdict {
  const names = tools.map((tool) => tool["name"])
  return new Set(names).size === names.length ? undefined : invalid(facts.toolNamesTwice)
}
