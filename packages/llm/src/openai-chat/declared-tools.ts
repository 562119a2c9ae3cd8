/** The tools of a Chat body that somebody else wrote. */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import { isStrictSchema, openAiSchemaRules, projectSchema } from "../request/tool-schema.ts"
import type { ToolDefinition } from "../segments.ts"

export interface ReadTools {
  readonly tools: readonly ToolDefinition[]
  /** Whether schemas are enforced that allow it. */
  readonly strict: boolean
  readonly unread: readonly string[]
}

export function readTools(value: unknown): ReadTools {
  const tools: ToolDefinition[] = []
  const unread: string[] = []
  const declared = listOf(value).map(fieldsOf)
  const strict = declared.some(isStrict)
  declared.forEach((tool, at) => {
    const type = tool["type"] ?? "function"
    if (type !== "function") return unread.push(`tools[${at}]: ${textOf(type) || "no type"}`)
    const missing = unreadOf(tool, strict).map((place) => `tools[${at}]${place}`)
    const { name, description, parameters } = fieldsOf(tool["function"])
    const inputSchema = (isFields(parameters) ? parameters : emptySchema) as JsonObject
    tools.push({ name: textOf(name), description: textOf(description), inputSchema })
    return unread.push(...missing)
  })
  return { tools, strict, unread }
}

/** documented: a function without parameters takes none. */
export const emptySchema = { type: "object", properties: {} } as const

const isStrict = (tool: Fields): boolean => fieldsOf(tool["function"])["strict"] === true

function unreadOf(tool: Fields, anyStrict: boolean): readonly string[] {
  const given = fieldsOf(tool["function"])
  const schema = fieldsOf(given["parameters"])
  return [
    ...membersBeside(tool, ["type", "function", ...marks]),
    ...(textOf(given["name"]) === "" ? [".function.name"] : []),
    ...membersBeside(given, ["name", "description", "parameters", "strict"]).map((at) => `.function${at}`),
    ...unreadSchema(given["parameters"]).map((at) => `.function.parameters${at}`),
    // Strictness is the request's: every schema that allows it is enforced, and no other one.
    ...(anyStrict && isStrict(tool) !== isStrictSchema(projectSchema(schema as JsonObject, openAiSchemaRules))
      ? [".function.strict"]
      : []),
  ]
}

function unreadSchema(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (!isFields(value)) return [""]
  const { type = "object", properties = {} } = value
  return [
    ...(type === "object" ? [] : [".type"]),
    ...(isFields(properties) ? [] : [".properties"]),
    ...openAiSchemaRules.removedAtTop.filter((name) => value[name] !== undefined).map((name) => `.${name}`),
  ]
}

/** Marks of a cache, wherever they stand. */
export const marks: readonly string[] = ["cache_control", "prompt_cache_breakpoint"]

/** Places of what says something beside the known members. */
export const membersBeside = (fields: Fields, known: readonly string[]): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    known.includes(name) || isUnsaid(value) ? [] : [`.${name}`],
  )

/** A member that is there and says nothing: clients send an answer back with all that stood in it. */
export const isUnsaid = (value: unknown): boolean =>
  value === null || value === "" || value === false || (Array.isArray(value) && value.length === 0)
