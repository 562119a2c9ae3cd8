/**
 * Sample: a value that follows a JSON Schema, for a model without thoughts of its own that has to
 * call a tool or to answer in a given form.
 *
 * The plainest value is taken: what is required and no more, the first of several choices, an empty
 * list. A schema that contradicts itself gets something all the same.
 */
import { isObject, wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"

/** An answer that may be any object. */
export const anyObject: JsonObject = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
}

const depthMax = 32

/** `words` stands where any text would do. */
export function sampleOf(schema: JsonObject, words = ""): unknown {
  return sample(schema, { root: schema, words, depth: 0 })
}

/** The sample as the input of a call, which is an object. */
export function sampleObject(schema: JsonObject, words = ""): JsonObject {
  const value = sampleOf(schema, words)
  return isObject(value) ? value : {}
}

interface Scene {
  /** Where references begin. */
  readonly root: JsonObject
  readonly words: string
  readonly depth: number
}

function sample(node: unknown, scene: Scene): unknown {
  if (!isObject(node) || scene.depth > depthMax) return null
  const inner = { ...scene, depth: scene.depth + 1 }
  if (node["const"] !== undefined) return node["const"]
  if (Array.isArray(node["enum"])) return node["enum"][0] ?? null
  if (node["default"] !== undefined) return node["default"]
  if (typeof node["$ref"] === "string") return sample(referred(node["$ref"], scene.root), inner)
  const choices = node["anyOf"] ?? node["oneOf"] ?? node["allOf"]
  if (Array.isArray(choices) && choices.length > 0) return sample(choices[0], inner)
  return sampleType(typeOf(node), node, inner)
}

function sampleType(type: string, node: JsonObject, scene: Scene): unknown {
  switch (type) {
    case "object":
      return sampleMembers(node, scene)
    case "array":
      return Array.from({ length: Math.min(itemsMax, numberAt(node, "minItems") ?? 0) }, () =>
        sample(node["items"], scene),
      )
    case "string":
      return sampleText(node, scene.words)
    case "integer":
    case "number":
      return sampleNumber(node)
    case "boolean":
      return false
    default:
      return null
  }
}

const itemsMax = 16

function sampleMembers(node: JsonObject, scene: Scene): JsonObject {
  const properties = isObject(node["properties"]) ? node["properties"] : {}
  const required = Array.isArray(node["required"]) ? node["required"].map(wordOf) : []
  const entries = required.map((key) => [
    key,
    sample(Object.hasOwn(properties, key) ? properties[key] : { type: "string" }, scene),
  ])
  return Object.fromEntries(entries) as JsonObject
}

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  time: "00:00:00Z",
  email: "nobody@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
}

function sampleText(node: JsonObject, words: string): string {
  const format = wordOf(node["format"])
  const text = Object.hasOwn(formats, format) ? (formats[format] ?? "") : words
  const padded = text.padEnd(Math.min(textMax, numberAt(node, "minLength") ?? 0), "x")
  return padded.slice(0, numberAt(node, "maxLength") ?? padded.length)
}

const textMax = 10_000

function sampleNumber(node: JsonObject): number {
  const above = numberAt(node, "exclusiveMinimum")
  const least = numberAt(node, "minimum") ?? (above === undefined ? undefined : above + 1)
  const most = numberAt(node, "maximum") ?? numberAt(node, "exclusiveMaximum")
  return least ?? Math.min(0, most ?? 0)
}

/** The type, in small letters; the first of several that says something. */
function typeOf(node: JsonObject): string {
  const { type } = node
  const named: unknown = Array.isArray(type) ? type.find((one) => one !== "null") : type
  if (typeof named === "string") return named.toLowerCase()
  return isObject(node["properties"]) ? "object" : "string"
}

function numberAt(node: JsonObject, key: string): number | undefined {
  const value = node[key]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

/** `#/$defs/name`, step by step; nothing if it leads nowhere. */
function referred(reference: string, root: JsonObject): unknown {
  const steps = reference.replace(/^#\/?/, "").split("/")
  return steps.reduce<unknown>(
    (node, step) => (step === "" ? node : isObject(node) && Object.hasOwn(node, step) ? node[step] : null),
    root,
  )
}
