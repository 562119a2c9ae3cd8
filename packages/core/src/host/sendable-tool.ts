/**
 * What a provider would refuse in a tool by itself, for whoever would know it before any request holds the
 * tool: one that is refused fails every request that offers it.
 *
 * The rules are those of the linters (LL3): a request with the tool is written and judged beside one without
 * it. Every wire is asked, since a Session may change its model, or fall back to another's.
 */
import { knownWires } from "@holdfast/llm/known-wires"
import { plainOptions } from "@holdfast/llm/options"
import { namesInside } from "@holdfast/llm/request/tool-schema"
import type { Segments, Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Wire } from "@holdfast/llm/wire"
import type { Json, JsonObject } from "@holdfast/schema/json"

/** In words for who made it; null where every wire takes it. */
export async function toolFault(tool: ToolDefinition): Promise<string | null> {
  const strange = strangeType(tool.inputSchema)
  if (strange !== null) {
    const field = `inputSchema.${strange}.type`.slice(0, fieldLengthMax)
    return `The field "${field}" must be a type of JSON Schema: ${typeList.join(", ")}.`
  }
  for (const [name, { load }] of Object.entries(knownWires)) {
    const [fault] = faultsOn(await load(), tool)
    if (fault !== undefined)
      return `The tool must be one that every provider takes, and ${name} refuses it: ${fault}.`
  }
  return null
}

const fieldLengthMax = 200

function faultsOn(wire: Wire, tool: ToolDefinition): readonly string[] {
  const without = new Set(faultsWith(wire, []))
  return faultsWith(wire, [tool]).filter((message) => !without.has(message))
}

function faultsWith(wire: Wire, tools: readonly ToolDefinition[]): readonly string[] {
  const target: Target = { provider: wire.name, model: "any", endpoint: "", options: plainOptions(1) }
  const encoded = wire.encode({ ...nothingElse, tools }, target)
  return wire.lint(encoded, target).map(({ message }) => message)
}

const nothingElse: Omit<Segments, "tools"> = {
  system: "",
  agent: "",
  historyBaseline: [],
  historyDelta: [],
  tail: [{ kind: "user", text: "Hello" }],
}

const typeList: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"]
const typeNames: ReadonlySet<unknown> = new Set(typeList)

/** documented: JSON Schema knows seven types. Where another stands, as `properties.day`; null where none does. */
function strangeType(schema: Json, path = ""): string | null {
  const below = (key: string) => (path === "" ? key : `${path}.${key}`)
  if (Array.isArray(schema)) return firstOf(schema, (item, at) => strangeType(item, below(String(at))))
  if (!isObject(schema)) return null
  const { type } = schema
  const given: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (type !== undefined && (given.length === 0 || !given.every((name) => typeNames.has(name)))) return path
  return firstOf(Object.entries(schema), ([key, value]) => {
    if (namesInside.has(key) && isObject(value))
      return firstOf(Object.entries(value), ([name, item]) => strangeType(item, `${below(key)}.${name}`))
    return schemaInside.has(key) ? strangeType(value, below(key)) : null
  })
}

/** Members that are schemas, or lists of them: what stands anywhere else may be data, or mean nothing. */
const schemaInside: ReadonlySet<string> = new Set(
  "items prefixItems additionalItems contains additionalProperties propertyNames anyOf oneOf allOf not if then else".split(
    " ",
  ),
)

function firstOf<A, B>(items: readonly A[], find: (item: A, at: number) => B | null): B | null {
  for (const [at, item] of items.entries()) {
    const found = find(item, at)
    if (found !== null) return found
  }
  return null
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
