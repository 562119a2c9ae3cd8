/**
 * Shape: the small checks the validators of both wires are built from.
 *
 * A check looks at one value under its path and returns a refusal or nothing. Absent and null
 * fields are fine unless they are `needed` (recorded: null stands for the default).
 */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

export type Check = (path: string, value: unknown) => Verdict
export type Fields = Readonly<Record<string, Check | { readonly needed: Check }>>

/** A field that must be there. */
export const needed = (check: Check) => ({ needed: check })

export const anything: Check = () => undefined

/** An object with these fields; with others too if it is `open`. */
export function object(fields: Fields, open = false): Check {
  return (path, value) => {
    if (!isObject(value)) return wrongType(path, "an object", value)
    return checkFields(path, value, fields) ?? (open ? undefined : unknownField(path, value, fields))
  }
}

export function checkFields(path: string, value: JsonObject, fields: Fields): Verdict {
  for (const [key, field] of Object.entries(fields)) {
    const where = join(path, key)
    const isPresent = value[key] !== undefined && value[key] !== null
    if (!isPresent && typeof field === "function") continue
    if (value[key] === undefined) {
      return invalid(facts.missingParameter(where), where, "missing_required_parameter")
    }
    const refusal = (typeof field === "function" ? field : field.needed)(where, value[key])
    if (refusal !== undefined) return refusal
  }
  return undefined
}

export function unknownField(path: string, value: JsonObject, fields: Fields): Verdict {
  const extra = Object.keys(value).find((key) => !Object.hasOwn(fields, key))
  if (extra === undefined) return undefined
  const where = join(path, extra)
  return invalid(facts.unknownParameter(where), where, "unknown_parameter")
}

export function text(limits: { readonly max?: number; readonly pattern?: RegExp } = {}): Check {
  return (path, value) => {
    if (typeof value !== "string") return wrongType(path, "a string", value)
    const max = limits.max ?? facts.stringMax
    if (value.length > max) {
      return invalid(facts.stringTooLong(path, max, value.length), path, "string_above_max_length")
    }
    return limits.pattern === undefined || limits.pattern.test(value)
      ? undefined
      : invalid(facts.pattern(path, limits.pattern.source), path, "invalid_value")
  }
}

export function number(
  kind: "integer" | "decimal",
  bounds: { readonly min?: number; readonly max?: number },
): Check {
  return (path, value) => {
    if (typeof value !== "number" || (kind === "integer" && !Number.isInteger(value))) {
      return wrongType(path, kind === "integer" ? "an integer" : "a decimal", value)
    }
    if (bounds.min !== undefined && value < bounds.min) {
      return invalid(facts.belowMin(path, kind, bounds.min, value), path, `${kind}_below_min_value`)
    }
    if (bounds.max !== undefined && value > bounds.max) {
      return invalid(facts.aboveMax(path, kind, bounds.max, value), path, `${kind}_above_max_value`)
    }
    return undefined
  }
}

export const flag: Check = (path, value) =>
  typeof value === "boolean" ? undefined : wrongType(path, "a boolean", value)

export function oneOf(values: readonly string[]): Check {
  return (path, value) => {
    if (typeof value !== "string") return wrongType(path, "a string", value)
    return values.includes(value) ? undefined : wrongValue(path, value, values)
  }
}

export function list(check: Check, limits: { readonly min?: 1; readonly max?: number } = {}): Check {
  return (path, value) => {
    if (!Array.isArray(value)) return wrongType(path, "an array", value)
    if (limits.min === 1 && value.length === 0) {
      return invalid(facts.arrayEmpty(path), path, "empty_array")
    }
    if (limits.max !== undefined && value.length > limits.max) {
      const message = facts.arrayTooLong(path, limits.max, value.length)
      return invalid(message, path, "array_above_max_length")
    }
    return firstRefusal<unknown>(value, (item, index) => check(`${path}[${index}]`, item))
  }
}

/** documented: up to 16 pairs of short strings. */
export const metadata: Check = (path, value) => {
  if (!isObject(value)) return wrongType(path, "an object", value)
  const pairs = Object.entries(value)
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
}

export function wrongType(path: string, expected: string, value: unknown): Verdict {
  return invalid(facts.wrongType(path, expected, kindOf(value)), path, "invalid_type")
}

export function wrongValue(path: string, value: string, values: readonly string[]): Verdict {
  return invalid(facts.wrongValue(value, quoted(values)), path, "invalid_value")
}

/** The first refusal among the items, in order. */
export function firstRefusal<T>(items: readonly T[], check: (item: T, index: number) => Verdict): Verdict {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`
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
