/** Tool rules: the definitions in `tools`, all of them client tools. */
import { invalid } from "../api-error.ts"
import type { JsonObject } from "../../json.ts"
import { checkCacheControl } from "./cache-control.ts"
import { extraField, firstRefusal, isObject, missingField, patternField } from "./shape.ts"
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

/** documented: names of tools. */
export const toolNamePattern = /^[a-zA-Z0-9_-]{1,128}$/

/** recorded: names of the properties of an input. */
const propertyPattern = /^[a-zA-Z0-9_.-]{1,64}$/

export function checkTools(value: unknown): Verdict {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return invalid("tools: Input should be a valid list")
  return firstRefusal<unknown>(value, checkTool) ?? checkUniqueNames(value as readonly JsonObject[])
}

function checkTool(value: unknown, index: number): Verdict {
  if (!isObject(value)) return invalid(`tools.${index}: Input should be a valid dictionary or object`)
  const type = value["type"]
  // assumed: hosted tools exist at the provider, the simulated one offers none.
  if (type !== undefined && type !== null && type !== "custom") {
    return invalid(
      `tools.${index}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'custom'`,
    )
  }
  // recorded: the path names the variant.
  const path = `tools.${index}.custom`
  const description = value["description"]
  if (description !== undefined && typeof description !== "string") {
    return invalid(`${path}.description: Input should be a valid string`)
  }
  return (
    patternField(path, value, "name", toolNamePattern) ??
    missingField(path, value, "input_schema") ??
    checkInputSchema(`${path}.input_schema`, value["input_schema"]) ??
    checkCacheControl(path, value["cache_control"]) ??
    extraField(path, value, toolFields)
  )
}

function checkInputSchema(path: string, schema: unknown): Verdict {
  if (!isObject(schema)) return invalid(`${path}: Input should be a valid dictionary`)
  // recorded: both texts; documented: an input is an object.
  if (schema["type"] === undefined) return invalid(`${path}.type: Field required`)
  if (schema["type"] !== "object") return invalid(`${path}.type: Input should be 'object'`)
  // recorded: a union at the top level is refused.
  if (["oneOf", "allOf", "anyOf"].some((key) => schema[key] !== undefined)) {
    return invalid(`${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`)
  }
  const properties = schema["properties"]
  if (properties === undefined) return undefined
  if (!isObject(properties)) return invalid(`${path}.properties: Input should be a valid dictionary`)
  return Object.keys(properties).every((key) => propertyPattern.test(key))
    ? undefined
    : invalid(`${path}.properties: Property keys should match pattern '${propertyPattern.source}'`)
}

function checkUniqueNames(tools: readonly JsonObject[]): Verdict {
  const names = tools.map((tool) => tool["name"])
  // recorded.
  return new Set(names).size === names.length ? undefined : invalid("tools: Tool names must be unique.")
}
