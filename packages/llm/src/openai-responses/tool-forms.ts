/**
 * Functions among the tools of a body that somebody else wrote: read, and in one form.
 *
 * documented: a function that does not say whether it is strict is made so by the provider, by
 * requiring all of its properties and allowing no others; one that cannot be made strict is not.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import { without } from "../recording/written-form.ts"
import { isStrictSchema, openAiSchemaRules, projectSchema } from "../request/tool-schema.ts"
import type { ToolDefinition } from "../segments.ts"
import { isHostedTool } from "./hosted-tool.ts"

export interface ReadFunctions {
  readonly tools: readonly ToolDefinition[]
  /** Schemas that allow it are enforced. */
  readonly strict: boolean
  readonly unread: readonly string[]
}

export function readFunctions(tools: unknown): ReadFunctions {
  const found = listOf(tools).flatMap((value, at) => {
    const tool = fieldsOf(value)
    return isHostedTool(tool) ? [] : [{ at, tool, plain: plainFunction(tool) }]
  })
  const strict = found.some(({ plain }) => plain["strict"] === true)
  const unread = found.flatMap(({ at, tool, plain }) => [
    ...Object.keys(tool)
      .filter((name) => !known.has(name) && tool[name] !== null)
      .map((name) => `tools[${at}].${name}`),
    ...(typeof tool["name"] === "string" ? [] : [`tools[${at}].name`]),
    // All tools of a request are strict or none is, as far as their schemas allow it.
    ...(plain["strict"] === (strict && isStrictSchema(plain["parameters"] as Json))
      ? []
      : [`tools[${at}].strict`]),
  ])
  const definitions = found.map(({ plain }) => ({
    name: textOf(plain["name"]),
    description: textOf(plain["description"]),
    inputSchema: plain["parameters"] as JsonObject,
  }))
  return { tools: definitions, strict, unread }
}

/** Functions first, each in one form: where the provider's own stand among them says nothing. */
export function plainTools(tools: unknown): readonly Fields[] {
  const given = listOf(tools).map(fieldsOf)
  const hosted = given.filter(isHostedTool).map((tool) => without("cache_control", tool))
  return [...given.filter((tool) => !isHostedTool(tool)).map(plainFunction), ...hosted]
}

const known: ReadonlySet<string> = new Set([
  "type",
  "name",
  "description",
  "parameters",
  "strict",
  "cache_control",
])

/** With its schema as it is sent and its strictness said; without what says nothing. */
function plainFunction(tool: Fields): Fields {
  const { description, parameters, strict: given, cache_control: _, ...rest } = tool
  const schema = projectSchema((isFields(parameters) ? parameters : {}) as JsonObject, {
    ...openAiSchemaRules,
    removedAtTop: [],
  })
  const made = typeof given === "boolean" ? schema : strictly(schema)
  return {
    ...withoutNulls(rest),
    type: "function",
    ...(textOf(description) === "" ? {} : { description }),
    parameters: made ?? schema,
    strict: typeof given === "boolean" ? given : made !== null,
  }
}

const withoutNulls = (value: Fields): Fields =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))

/** The schema as the provider makes it strict; null if it cannot. */
function strictly(schema: JsonObject): JsonObject | null {
  const made = closed(schema) as JsonObject
  return isStrictSchema(made) ? made : null
}

/** Objects with all that they have required, at every depth. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => closed(item))
  if (!isFields(value)) return value
  const inside = Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, item]) => [name, closedMember(name, item)]),
  )
  if (!isFields(value["properties"])) return inside
  const required = listOf(value["required"]) as readonly Json[]
  const others = Object.keys(value["properties"]).filter((name) => !required.includes(name))
  return { additionalProperties: false, ...inside, required: [...required, ...others] }
}

const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"])
const named: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"])

function closedMember(name: string, value: Json): Json {
  if (data.has(name)) return value
  if (!named.has(name) || !isFields(value)) return closed(value)
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, item]) => [key, closed(item)]))
}
