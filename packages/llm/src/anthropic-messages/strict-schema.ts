/**
 * Schemas that this provider enforces where a tool is declared strict (LL3).
 *
 * documented: every object closes itself with `additionalProperties: false`, members may be optional,
 * and keywords that bound a value are refused. What is refused would fail the whole request, so a
 * tool whose schema holds more is declared as ever.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { isFields, nameSet } from "../json-fields.ts"
import { dataInside } from "../request/tool-schema.ts"

export function isEnforceable(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isEnforceable)
  if (!isFields(schema)) return true
  const { type, properties, additionalProperties } = schema
  const isObject = type === "object" || properties !== undefined
  if (isObject ? additionalProperties !== false : additionalProperties !== undefined) return false
  return Object.entries(schema as JsonObject).every(([key, value]) => {
    if (refused.has(key)) return false
    if (dataInside.has(key)) return true
    if (key === "minItems") return value === 0 || value === 1
    return key === "properties" && isFields(value)
      ? Object.values(value as JsonObject).every(isEnforceable)
      : isEnforceable(value)
  })
}

/** A reference may lead back to itself, so none is followed. */
const refused: ReadonlySet<string> = nameSet(
  "$ref $defs definitions minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength",
  "maxLength pattern maxItems uniqueItems contains minProperties maxProperties oneOf not if then else",
  "patternProperties propertyNames dependentRequired dependentSchemas unevaluatedProperties",
)
