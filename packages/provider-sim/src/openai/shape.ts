/** Shape: the checks of both wires in OpenAI's words (recorded: null stands for the default). */
import { wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { all, firstRefusal, shapesOf } from "../shape.ts"
import type { Check, Kind } from "../shape.ts"
import type { Refusal } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

const expected: Readonly<Record<Kind, string>> = {
  string: "a string",
  boolean: "a boolean",
  integer: "an integer",
  decimal: "a decimal",
  array: "an array",
  object: "an object",
}

const missing = (path: string) => invalid(facts.missingParameter(path), path, "missing_required_parameter")

const join = (path: string, key: string | number) => {
  if (typeof key === "number") return `${path}[${key}]`
  return path === "" ? key : `${path}.${key}`
}

const shapes = shapesOf({
  join,
  isAbsent: (value) => value === undefined || value === null,
  missing,
  unknown: (path, key) =>
    invalid(facts.unknownParameter(join(path, key)), join(path, key), "unknown_parameter"),
  wrongType: (path, kind, value) => wrongType(path, expected[kind], value),
  wrongValue,
  // recorded: the parameter is the part, not its type.
  wrongTag: (path, tag, tags) =>
    typeof tag === "string" ? wrongValue(path, tag, tags) : noTag(`${path}.type`, tag),
  belowMin: (path, kind, min, value) =>
    invalid(facts.belowMin(path, kind, min, value), path, `${kind}_below_min_value`),
  aboveMax: (path, kind, max, value) =>
    invalid(facts.aboveMax(path, kind, max, value), path, `${kind}_above_max_value`),
})

export const { checkFields, unknownField, object, loose, flag, number, oneOf, variants } = shapes

export const text = ({ max = facts.stringMax, pattern = /^/ } = {}): Check =>
  shapes.text((path, value) => {
    if (value.length > max) {
      return invalid(facts.stringTooLong(path, max, value.length), path, "string_above_max_length")
    }
    return pattern.test(value)
      ? undefined
      : invalid(facts.pattern(path, pattern.source), path, "invalid_value")
  })

export const list = (check: Check, { min = 0, max = Infinity } = {}): Check =>
  all((path, value) => {
    if (!Array.isArray(value)) return undefined
    if (value.length < min) return invalid(facts.arrayEmpty(path), path, "empty_array")
    if (value.length <= max) return undefined
    return invalid(facts.arrayTooLong(path, max, value.length), path, "array_above_max_length")
  }, shapes.list(check))

/** A text, or what else it may be; `kinds` names both. */
export const textOr =
  (kinds: string, isOther: (value: unknown) => boolean, other: Check, words = text()): Check =>
  (path, value) => {
    if (typeof value === "string") return words(path, value)
    return isOther(value) ? other(path, value) : wrongType(path, kinds, value)
  }

/** An object with a type, and what its own type asks for. */
export const typed = (type: Check, own: Readonly<Record<string, Check>>): Check =>
  all(loose({ type: { needed: type } }), (path, value) => {
    const name = wordOf((value as JsonObject)["type"])
    return Object.hasOwn(own, name) ? own[name]?.(path, value) : undefined
  })

/** documented: up to 16 pairs of short strings. */
export const metadata: Check = all(loose(), (path, value) => {
  const pairs = Object.entries(value as JsonObject)
  const max = facts.metadataKeysMax
  if (pairs.length > max) {
    const message = facts.propertiesTooMany(path, max, pairs.length)
    return invalid(message, path, "object_above_max_properties")
  }
  return firstRefusal(
    pairs,
    ([key, item]) =>
      text({ max: facts.metadataKeyMax })(`${path}.${key}`, key) ??
      text({ max: facts.metadataValueMax })(`${path}.${key}`, item),
  )
})

export function wrongType(path: string, kinds: string, value: unknown): Refusal {
  return invalid(facts.wrongType(path, kinds, kindOf(value)), path, "invalid_type")
}

function noTag(path: string, tag: unknown): Refusal {
  return tag === undefined ? missing(path) : wrongType(path, "a string", tag)
}

export function wrongValue(path: string, value: unknown, values: readonly string[]): Refusal {
  if (typeof value !== "string") return wrongType(path, "a string", value)
  return invalid(facts.wrongValue(value, quoted(values)), path, "invalid_value")
}

/** recorded: `'a', 'b', and 'c'`, and two without a comma. */
function quoted(values: readonly string[]): string {
  const names = values.map((value) => `'${value}'`)
  if (names.length <= 2) return names.join(" and ")
  return `${names.slice(0, -1).join(", ")}, and ${names.at(-1)}`
}

function kindOf(value: unknown): string {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}
