/** Schema rules: what is a JSON Schema at all, and what one of an answer may not leave open. */
import { isObject, wordOf } from "../../json.ts"
import type { JsonObject } from "../../json.ts"
import { firstRefusal } from "../../shape.ts"
import type { Check } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"

const depthMax = 64
const types = ["string", "number", "integer", "boolean", "object", "array", "null"]

/** recorded: what is no schema of the draft is refused as a whole. */
export const jsonSchema: Check = (path, value) =>
  nodesOf(value).every(isSchema) ? undefined : invalid(facts.schemaInvalid(path))

/** recorded: an answer follows no schema whose objects are open. */
export const closedSchema: Check = (path, value) =>
  jsonSchema(path, value) ?? firstRefusal(nodesOf(value), (node) => checkClosed(path, node))

function checkClosed(path: string, node: unknown): Verdict {
  if (!isObject(node) || ![node["type"]].flat().includes("object")) return undefined
  const open = node["additionalProperties"]
  if (open === false) return undefined
  return invalid(open === undefined ? facts.schemaOpen(path) : facts.schemaOpened(path, JSON.stringify(open)))
}

function isSchema(node: unknown): boolean {
  if (typeof node === "boolean") return true
  if (!isObject(node)) return false
  const { type, required, properties } = node
  const isTyped = [type].flat().every((one) => one === undefined || types.includes(wordOf(one)))
  const isListed = required === undefined || required === null || Array.isArray(required)
  return isTyped && isListed && (properties === undefined || properties === null || isObject(properties))
}

/** The schema and every schema inside it. */
function nodesOf(schema: unknown, depth = 0): readonly unknown[] {
  if (!isObject(schema) || depth > depthMax) return [schema]
  return [schema, ...childrenOf(schema).flatMap((child) => nodesOf(child, depth + 1))]
}

function childrenOf(node: JsonObject): readonly unknown[] {
  const named = ["properties", "$defs", "definitions"].flatMap((key) =>
    isObject(node[key]) ? Object.values(node[key]) : [],
  )
  const listed = ["anyOf", "oneOf", "allOf", "prefixItems"].flatMap((key): readonly unknown[] =>
    Array.isArray(node[key]) ? node[key] : [],
  )
  return [...named, ...listed, ...(node["items"] === undefined ? [] : [node["items"]].flat())]
}
