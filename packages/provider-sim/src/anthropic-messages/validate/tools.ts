/** Tool rules: the definitions in `tools`, those of the client and those of the provider. */
import { isObject, wordOf } from "../../json.ts"
import type { JsonObject } from "../../json.ts"
import { all, named, needed, orNull } from "../../shape.ts"
import type { Check, Fields } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { MessagesBody } from "../request-body.ts"
import { cacheControl } from "./cache-control.ts"
import { jsonSchema } from "./schema.ts"
import { flag, list, loose, matching, number, object, oneOf, text, variants } from "./shape.ts"

export function checkTools(value: unknown): Verdict {
  if (value === undefined) return undefined
  return list(tool)("tools", value) ?? checkUniqueNames(value as readonly JsonObject[])
}

/** Types of a known tool whose date nobody has seen. */
export function doubtsOfTools({ tools = [] }: MessagesBody): readonly string[] {
  const types = tools.flatMap(({ type }) => (typeof type === "string" && type !== "custom" ? [type] : []))
  return types.filter((type) => !facts.toolDates.includes(type.slice(-8))).map(facts.toolDoubt)
}

const tool: Check = (path, value) => {
  const tag = isObject(value) ? (value["type"] ?? "custom") : undefined
  const typed = typeof tag === "string" ? familyOf(tag) : undefined
  if (typed !== undefined) return checkTyped(typed)(`${path}.${wordOf(tag)}`, value)
  return kinds(path, isObject(value) ? { ...value, type: tag } : value)
}

/** The tool that a type with a date stands for. */
export function familyOf(type: string): keyof typeof facts.typedTools | undefined {
  const family = /^([a-z0-9_]+?)(_\d{8})?$/.exec(type)?.[1] ?? ""
  return Object.hasOwn(facts.typedTools, family) ? (family as keyof typeof facts.typedTools) : undefined
}

/** recorded: the texts; documented: an input is an object. */
const objectSchema = all(loose({ type: needed(oneOf(["object"])), properties: orNull(loose()) }), jsonSchema)
const inputSchema = all(objectSchema, (path, value) => {
  const schema = value as JsonObject
  // recorded: a union at the top level is refused.
  const isUnion = ["oneOf", "allOf", "anyOf"].some((key) => schema[key] !== undefined)
  if (isUnion) return invalid(facts.schemaUnion(path))
  return Object.keys(schema["properties"] ?? {}).every((key) => facts.propertyPattern.test(key))
    ? undefined
    : invalid(facts.propertyName(path, facts.propertyPattern.source))
})

/** documented: settings that a tool of any type may have. */
const common: Fields = { ...named("type allowed_callers"), defer_loading: flag, cache_control: cacheControl }

const uses = {
  ...named("allowed_domains blocked_domains"),
  max_uses: orNull(number("integer", { min: 1 })),
}

/** documented: what a type has of its own; the settings of the others are their own business. */
const settings: Readonly<Partial<Record<keyof typeof facts.typedTools, Fields>>> = {
  bash: named("strict input_examples"),
  code_execution: named("strict"),
  memory: named("strict input_examples"),
  web_fetch: { ...uses, ...named("citations max_content_tokens use_cache strict response_inclusion") },
  web_search: { ...uses, ...named("user_location strict response_inclusion") },
}

/** A tool that has a type of its own: the provider runs it, or knows its form. */
function checkTyped(family: keyof typeof facts.typedTools): Check {
  const name = facts.typedTools[family]
  const own = settings[family]
  const fields = name === "" ? common : { ...common, name: needed(oneOf([name])) }
  return own === undefined ? loose(fields) : object({ ...fields, ...own })
}

/** documented: the fields of a client tool. */
const kinds = variants(
  {
    custom: object({
      ...common,
      ...named("strict input_examples eager_input_streaming"),
      description: text(),
      name: needed(matching(facts.toolNamePattern)),
      input_schema: needed(inputSchema),
    }),
  },
  ["custom", ...Object.keys(facts.typedTools)],
)

function checkUniqueNames(tools: readonly JsonObject[]): Verdict {
  const names = tools.flatMap((one) => one["name"] ?? [])
  return new Set(names).size === names.length ? undefined : invalid(facts.toolNamesTwice)
}
