/**
 * One spelling of a body that somebody else wrote.
 *
 * documented: the API takes the names of fields in camel case and as they stand in its definitions,
 * one value where a list of one is meant, bytes in both alphabets of base64, and types of a schema
 * in capitals. Here each is written as this wire writes it. What belongs to a user (arguments,
 * results, labels, names of properties) is never respelled.
 */
import { type Fields, isFields } from "../json-fields.ts"

export const oneSpelling = (body: Fields): Fields => spellFields(body)

function spellFields(given: Fields): Fields {
  // A field that is null is not set.
  const set = Object.entries(given).filter(([, value]) => value !== null)
  return Object.fromEntries(
    set.map(([written, value]) => {
      const name = nameOf(written, given)
      return [name, spellMember(name, value)]
    }),
  )
}

/** Two spellings beside each other are two fields, of which one is not known. */
function nameOf(written: string, beside: Fields): string {
  const name = written.replaceAll(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(beside, name) ? written : name
}

/** Values that belong to a user, or to a language of its own. */
const opaque: ReadonlySet<string> = new Set(["args", "response", "labels", "headers"])

/** Schemas, and whether their keywords are the provider's fields. */
const schemas: ReadonlyMap<string, boolean> = new Map([
  ["parameters", true],
  ["responseSchema", true],
  ["parametersJsonSchema", false],
  ["responseJsonSchema", false],
])

const lists: ReadonlySet<string> = new Set([
  "contents",
  "parts",
  "tools",
  "functionDeclarations",
  "safetySettings",
  "stopSequences",
  "allowedFunctionNames",
])

function spellMember(name: string, value: unknown): unknown {
  if (opaque.has(name)) return value
  const own = schemas.get(name)
  if (own !== undefined) return plainSchema(value, own)
  if (name === "inlineData" && isFields(value)) return spellBytes(spellFields(value))
  if (name === "systemInstruction" && typeof value === "string") return { parts: [{ text: value }] }
  if (!lists.has(name)) return spellValue(value)
  const items = Array.isArray(value) ? value : [value]
  return items.map((item) =>
    name === "parts" && typeof item === "string" ? { text: item } : spellValue(item),
  )
}

function spellValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(spellValue)
  return isFields(value) ? spellFields(value) : value
}

const spellBytes = (inline: Fields): Fields =>
  typeof inline["data"] === "string" ? { ...inline, data: plainBase64(inline["data"]) } : inline

/** The same bytes in the common alphabet, padded. */
export function plainBase64(text: string): string {
  const common = text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")
  return common.padEnd(Math.ceil(common.length / 4) * 4, "=")
}

const ofNames: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"])
const ofSchemas: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "additionalProperties",
])

/** A schema with its types as JSON Schema spells them. `own`: its keywords are the provider's fields. */
function plainSchema(value: unknown, own: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => plainSchema(item, own))
  if (!isFields(value)) return value
  const plain: Record<string, unknown> = {}
  for (const [written, item] of Object.entries(value)) {
    const name = own ? nameOf(written, value) : written
    if (ofNames.has(name) && isFields(item)) {
      plain[name] = Object.fromEntries(Object.entries(item).map(([key, one]) => [key, plainSchema(one, own)]))
    } else if (ofSchemas.has(name)) plain[name] = plainSchema(item, own)
    else if (name === "type") plain[name] = lowerTypes(item)
    else if (name === "nullable" && item === false) continue
    else plain[name] = countOfText(name, item)
  }
  return plain
}

const lowerTypes = (type: unknown): unknown =>
  Array.isArray(type) ? type.map(lowerTypes) : typeof type === "string" ? type.toLowerCase() : type

/** documented: counts are 64 bits wide, so they may be written as text. */
const countOfText = (name: string, value: unknown): unknown =>
  /^(?:min|max)[A-Z]/.test(name) && typeof value === "string" && /^\d{1,15}$/.test(value)
    ? Number(value)
    : value
