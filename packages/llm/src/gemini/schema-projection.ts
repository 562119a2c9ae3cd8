/**
 * JSON Schema as Gemini takes it: a subset of OpenAPI's, in which one unknown keyword makes it refuse
 * every tool (LL3).
 *
 * Keywords are data. What has another form here is said in it: references are replaced by what they
 * name, `oneOf` and lists of types by `anyOf`, `null` by `nullable`, a constant by an enumeration.
 * The rest is removed, which allows more and never something else.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { fieldsOf, isFields, nameSet } from "../json-fields.ts"

/** documented: members of the provider's schema, beside those that hold schemas. */
const keptKeywords: ReadonlySet<string> = nameSet(
  "type format title description nullable enum default minimum maximum minLength maxLength pattern",
  "minItems maxItems minProperties maxProperties required propertyOrdering",
)

/** recorded: another format of a type is refused. */
const formatsOfType: Readonly<Record<string, readonly string[]>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
}

/** References may lead back to themselves: past either limit a value may be anything. */
const depthMax = 24
const schemasMax = 2_000

/** A function's parameters, or null where it has none: an object without properties is refused. */
export function projectParameters(schema: JsonObject): JsonObject | null {
  const projected = projectToGemini({ ...schema, type: "object" })
  return isFields(projected["properties"]) ? projected : null
}

export const projectToGemini = (schema: JsonObject): JsonObject =>
  new Projection(schema).project(schema, depthMax)

/** What in a schema the provider would refuse, by its path; empty if nothing. */
export function refusedKeywords(schema: Json, path = "parameters"): readonly string[] {
  if (!isFields(schema)) return [path]
  return Object.entries(schema).flatMap(([key, value]) => {
    if (key === "properties") {
      if (!isFields(value) || Object.keys(value).length === 0) return [`${path}.properties`]
      return Object.entries(value).flatMap(([name, item]) => refusedKeywords(item, `${path}.${name}`))
    }
    if (key === "items") return refusedKeywords(value, `${path}.items`)
    if (key === "anyOf") {
      if (!Array.isArray(value) || value.length === 0) return [`${path}.anyOf`]
      return value.flatMap((item: Json) => refusedKeywords(item, `${path}.anyOf`))
    }
    if (key === "type") return typeof value === "string" ? [] : [`${path}.type`]
    return keptKeywords.has(key) || key === "example" ? [] : [`${path}.${key}`]
  })
}

class Projection {
  readonly #root: JsonObject
  /** References that lead to where we are. */
  readonly #inside: string[] = []
  #schemas = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  project(given: JsonObject, depth: number): JsonObject {
    this.#schemas += 1
    if (depth === 0 || this.#schemas > schemasMax) return describedOnly(given)
    const before = this.#inside.length
    const projected = this.#resolvedProjection(this.#merged(this.#resolved(given), depth), depth)
    this.#inside.length = before
    return projected
  }

  #resolvedProjection(schema: JsonObject, depth: number): JsonObject {
    const kept = Object.fromEntries(
      Object.entries(schema).filter(([key, value]) => keptKeywords.has(key) && value !== null),
    )
    const { type: types, nullable } = typesOf(schema["type"])
    const [type] = types
    const variants = this.#variants(schema, types, depth)
    const { type: _, ...rest } = kept
    const projected: JsonObject = {
      // A union says its types itself.
      ...(type === undefined || variants.anyOf !== null ? {} : { type }),
      ...rest,
      ...(nullable || variants.nullable ? { nullable: true } : {}),
      ...this.#children(schema, type, depth),
      ...(variants.anyOf === null ? {} : { anyOf: variants.anyOf }),
    }
    return withoutRefused(projected, schema["const"])
  }

  /** What a reference names, with what is said beside it. */
  #resolved(schema: JsonObject): JsonObject {
    let found = schema
    for (;;) {
      const { $ref, ...beside } = found
      if (typeof $ref !== "string") return found
      const named = $ref.startsWith("#/") ? lookUpPath(this.#root, $ref) : null
      if (named === null || this.#inside.includes($ref)) return beside
      this.#inside.push($ref)
      found = { ...named, ...beside }
    }
  }

  /** All that must hold at once is one schema. */
  #merged(schema: JsonObject, depth: number): JsonObject {
    const { allOf, ...own } = schema
    if (!Array.isArray(allOf) || depth === 0) return own
    return (allOf as readonly Json[])
      .filter((item) => isFields(item))
      .reduce<JsonObject>((sum, item) => {
        const one = this.#merged(this.#resolved(item), depth - 1)
        const properties = { ...fieldsOf(sum["properties"]), ...fieldsOf(one["properties"]) }
        const required = [...listOf(sum["required"]), ...listOf(one["required"])]
        return {
          ...one,
          ...sum,
          ...(Object.keys(properties).length === 0 ? {} : { properties }),
          ...(required.length === 0 ? {} : { required }),
        }
      }, own)
  }

  #children(schema: JsonObject, type: string | undefined, depth: number): JsonObject {
    const properties = Object.entries(fieldsOf(schema["properties"])).map(
      ([name, item]) => [name, this.project(fieldsOf(item), depth - 1)] as const,
    )
    if (properties.length > 0) return { properties: Object.fromEntries(properties) }
    const tuple = schema["prefixItems"] ?? schema["items"]
    const items = Array.isArray(tuple) ? tuple[0] : tuple
    if (type !== "array" && items === undefined) return {}
    const projected = this.project(fieldsOf(items as Json | undefined), depth - 1)
    // recorded: a list must say of what.
    const anything = Object.keys(projected).length === 0
    return { items: anything ? { type: "string" } : projected }
  }

  /** Several types, or several schemas of which one holds. */
  #variants(
    schema: JsonObject,
    types: readonly string[],
    depth: number,
  ): { readonly anyOf: readonly JsonObject[] | null; readonly nullable: boolean } {
    const given = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].filter((item) => isFields(item))
    if (given.length === 0) {
      return { anyOf: types.length < 2 ? null : types.map((type) => ({ type })), nullable: false }
    }
    const others = given.filter((item) => item["type"] !== "null")
    const anyOf = others.map((item) => this.project(item, depth - 1))
    return { anyOf: anyOf.length === 0 ? null : anyOf, nullable: others.length < given.length }
  }
}

function typesOf(type: Json | undefined): { readonly type: readonly string[]; readonly nullable: boolean } {
  const types = listOf(Array.isArray(type) ? type : [type]).filter((item) => typeof item === "string")
  const others = types.filter((item) => item !== "null")
  return { type: others, nullable: others.length < types.length }
}

/** What is left to say of a value that may be anything. */
const describedOnly = ({ description }: JsonObject): JsonObject =>
  typeof description === "string" ? { description } : {}

/** Keywords that are known but refused with this type or these values. */
function withoutRefused(schema: JsonObject, constant: Json | undefined): JsonObject {
  const { enum: values, format, required, ...rest } = schema
  const type = typeof rest["type"] === "string" ? rest["type"].toLowerCase() : ""
  const named = Object.keys(fieldsOf(rest["properties"]))
  const wanted = [...new Set(listOf(required))].filter((name) => named.includes(name as string))
  const allowed = constant === undefined ? values : [constant]
  // recorded: only texts can be enumerated.
  const texts = listOf(allowed).filter((value) => typeof value === "string" && value !== "")
  const enumerated = texts.length > 0 && texts.length === listOf(allowed).length
  const untyped = type === "" && enumerated ? { type: "string" } : {}
  return {
    ...untyped,
    ...rest,
    ...(formatsOfType[type]?.includes(format as string) === true ? { format: format as string } : {}),
    ...(enumerated && (type === "" || type === "string") ? { enum: texts } : {}),
    ...(wanted.length === 0 ? {} : { required: wanted }),
  }
}

function lookUpPath(root: JsonObject, pointer: string): JsonObject | null {
  let at: Json | undefined = root
  for (const step of pointer.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~")
    at = isFields(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return isFields(at) ? at : null
}

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [])
