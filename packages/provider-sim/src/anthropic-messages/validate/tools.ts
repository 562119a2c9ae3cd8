/** Tool rules: the definitions in `tools`, those of the client and those of the provider. */
import { isObject } from "../../json.ts"
import type { JsonObject } from "../../json.ts"
import { all, named, needed, orNull } from "../../shape.ts"
import type { Check, Fields } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import { cacheControl } from "./cache-control.ts"
import { list, loose, matching, number, object, oneOf, text, variants } from "./shape.ts"

export function checkTools(value: unknown): Verdict {
  if (value === undefined) return undefined
  return list(tool)("tools", value) ?? checkUniqueNames(value as readonly JsonObject[])
}

const tool: Check = (path, value) =>
  kinds(path, isObject(value) && (value["type"] ?? null) === null ? { ...value, type: "custom" } : value)

/** recorded: the texts; documented: an input is an object. */
const inputSchema = all(loose({ type: needed(oneOf(["object"])), properties: loose() }), (path, value) => {
  const schema = value as JsonObject
  // recorded: a union at the top level is refused.
  const isUnion = ["oneOf", "allOf", "anyOf"].some((key) => schema[key] !== undefined)
  if (isUnion) return invalid(facts.schemaUnion(path))
  return Object.keys(schema["properties"] ?? {}).every((key) => facts.propertyPattern.test(key))
    ? undefined
    : invalid(facts.propertyName(path, facts.propertyPattern.source))
})

const hosted = (name: string, settings: Fields): Check =>
  object({ ...named("type"), name: needed(oneOf([name])), ...settings, cache_control: cacheControl })

const uses = {
  ...named("allowed_domains blocked_domains"),
  max_uses: orNull(number("integer", { min: 1 })),
}

/** documented: the fields of a client tool, and the tools that the provider runs, by type. */
const kinds = variants({
  custom: object({
    ...named("type strict input_examples eager_input_streaming"),
    description: text(),
    name: needed(matching(facts.toolNamePattern)),
    input_schema: needed(inputSchema),
    cache_control: cacheControl,
  }),
  code_execution_20250825: hosted("code_execution", {}),
  web_fetch_20250910: hosted("web_fetch", { ...uses, ...named("citations max_content_tokens") }),
  web_search_20250305: hosted("web_search", { ...uses, ...named("user_location") }),
})

function checkUniqueNames(tools: readonly JsonObject[]): Verdict {
  const names = tools.map((one) => one["name"])
  return new Set(names).size === names.length ? undefined : invalid(facts.toolNamesTwice)
}
