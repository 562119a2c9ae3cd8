/** Shape rules: messages, blocks, tools and the inference parameters, each by itself. */
import { isObject, wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { all, always, needed, orNull, shapesOf } from "../shape.ts"
import type { Check } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

const constraint = (path: string, value: unknown, rule: string) =>
  invalid(facts.constraint(wordOf(value), path, `Member must ${rule}`))

/** Fields that nobody knows are passed over. */
const { list, loose, number, oneOf, text } = shapesOf({
  join: (path, key) => (path === "" ? String(key) : `${path}.${key}`),
  isAbsent: (value) => value === undefined,
  missing: (path) => invalid(facts.memberNull(path)),
  unknown: (path) => invalid(facts.wrongType(path)),
  wrongType: (path) => invalid(facts.wrongType(path)),
  wrongValue: (path, value, values) =>
    constraint(path, value, `satisfy enum value set: [${values.join(", ")}]`),
  belowMin: (path, _, min, value) => constraint(path, value, `have value greater than or equal to ${min}`),
  aboveMax: (path, _, max, value) => constraint(path, value, `have value less than or equal to ${max}`),
})

/** An object that sets one of these fields. */
const union = (kind: string, keys: readonly string[], check: Check): Check =>
  all(loose(), (path, value) =>
    keys.some((key) => (value as JsonObject)[key] !== undefined)
      ? check(path, value)
      : invalid(facts.unionEmpty(path, kind, keys.join(", "))),
  )

/** A text that says something; `blank` is what is said of the object around it otherwise. */
const saying = (blank: (path: string) => string): Check =>
  text((path, value) => (value.trim() === "" ? invalid(blank(path.replace(/\.text$/, ""))) : undefined))

const name: Check = (path, value) => {
  if (typeof value !== "string") return invalid(facts.memberNull(path))
  if (!facts.namePattern.test(value)) {
    return constraint(path, value, "satisfy regular expression pattern: [a-zA-Z0-9_-]+")
  }
  const max = facts.nameMax
  return value.length <= max ? undefined : constraint(path, value, `have length less than or equal to ${max}`)
}

/** documented: one type, and two lives. */
const cachePoint = loose({ type: always(oneOf(["default"])), ttl: oneOf(["5m", "1h"]) })

const source = union("ImageSource", ["bytes", "s3Location"], loose({ bytes: text() }))
const image = loose({
  format: always(oneOf(facts.imageFormats)),
  source: always((path, value) =>
    value === undefined || value === null ? invalid(facts.memberNull(path)) : source(path, value),
  ),
})

const reasoning: Check = all(loose({ reasoningText: loose({ text: always(text()) }) }), (path, value) =>
  (value as JsonObject)["reasoningText"] === undefined
    ? loose({ redactedContent: always(text()) })(path, value)
    : undefined,
)

const resultPart = loose({ text: saying(facts.textBlank), image })
const toolResult: Check = all(
  loose({
    toolUseId: always(name),
    content: always((path, value) => (Array.isArray(value) ? undefined : invalid(facts.memberNull(path)))),
  }),
  (path, value) => {
    const { content, status } = value as { readonly content: readonly unknown[]; readonly status?: unknown }
    if (content.length > 0 || status !== "error") return list(resultPart)(`${path}.content`, content)
    return invalid(facts.resultEmpty(path.replace(/\.toolResult$/, "")))
  },
)

/** documented: one of these makes a block of a message. */
const blockKinds = [
  ..."text image document video toolUse toolResult".split(" "),
  ..."reasoningContent cachePoint guardContent citationsContent".split(" "),
]
const block = union(
  "ContentBlock",
  blockKinds,
  loose({
    text: saying(facts.textBlank),
    toolUse: loose({ toolUseId: always(name), name: always(name), input: always(loose()) }),
    toolResult,
    reasoningContent: reasoning,
    cachePoint,
    image,
  }),
)

const message = loose({
  role: always(oneOf(["user", "assistant"])),
  content: always((path, value) =>
    Array.isArray(value) && value.length === 0
      ? invalid(facts.contentEmpty(path.replace(/\.content$/, "")))
      : list(block)(path, value),
  ),
})

const systemBlock: Check = all(loose({ cachePoint }), (path, value) => {
  const { cachePoint: point, guardContent: guarded } = value as JsonObject
  return point === undefined && guarded === undefined
    ? loose({ text: always(saying(facts.systemBlank)) })(path, value)
    : undefined
})

const inputSchema: Check = (path, value) =>
  isObject(value) && isObject(value["json"]) ? undefined : invalid(facts.memberNull(path))

const tool = union(
  "Tool",
  ["toolSpec", "systemTool", "cachePoint"],
  loose({ cachePoint, toolSpec: loose({ name: always(name), inputSchema: always(inputSchema) }) }),
)

const tools: Check = (path, value) => {
  if (!Array.isArray(value) || value.length === 0) {
    return constraint(path, "[]", "have length greater than or equal to 1")
  }
  const shape = list(tool)(path, value)
  if (shape !== undefined) return shape
  const names = value.flatMap((one: { toolSpec?: { name: string } }) => one.toolSpec?.name ?? [])
  const twice = names.find((one, index) => names.indexOf(one) < index)
  return twice === undefined ? undefined : invalid(facts.toolNamesTwice(twice))
}

const body = loose({
  system: orNull(list(systemBlock)),
  messages: needed((path, value) =>
    value === null ? invalid(facts.memberNull(path)) : list(message)(path, value),
  ),
  toolConfig: loose({
    tools: always(tools),
    toolChoice: loose({ tool: loose({ name: always(name) }) }),
  }),
  inferenceConfig: loose({
    maxTokens: number("integer", { min: 1 }),
    temperature: number("decimal", { min: 0, max: 1 }),
    stopSequences: list(text()),
  }),
})

export const checkShape = (value: JsonObject): Verdict => body("", value)
