/**
 * Shape: the small checks that the validators of all wires are built from.
 *
 * A check looks at one value under its path and returns a refusal or nothing, so that rules read as
 * tables of fields and as chains of `??`. The grammar is the same everywhere; how a path is written,
 * what counts as absent and what is said of a fault are the words of the wire.
 */
import { isObject } from "./json.ts"
import type { JsonObject } from "./json.ts"
import type { Refusal, Verdict } from "./sim-wire.ts"

export type Check = (path: string, value: unknown) => Verdict

/** A field that may be absent, one that must be there, or one whose check sees its absence too. */
type Field = Check | { readonly needed: Check } | { readonly always: Check }
export type Fields = Readonly<Record<string, Field>>

export type Kind = "string" | "boolean" | "integer" | "decimal" | "array" | "object"

export interface ShapeWords {
  /** The path of a field, or of a place in a list. */
  join(path: string, key: string | number): string
  /** Whether a field that may be absent is. */
  isAbsent(value: unknown): boolean
  /** Fields without a place are looked for before the others are checked. */
  readonly unknownFirst?: boolean
  missing(path: string): Refusal
  unknown(path: string, key: string): Refusal
  wrongType(path: string, kind: Kind, value: unknown): Refusal
  wrongValue(path: string, value: unknown, values: readonly string[]): Refusal
  wrongTag?(path: string, tag: unknown, tags: readonly string[]): Refusal
  /** The path of what a tag has chosen; the same path if there is no such thing. */
  tagged?(path: string, tag: string): string
  belowMin?(path: string, kind: Kind, min: number, value: number): Refusal
  aboveMax?(path: string, kind: Kind, max: number, value: number): Refusal
}

export const needed = (check: Check) => ({ needed: check })
export const always = (check: Check) => ({ always: check })
export const anything: Check = () => undefined

/** Fields that are checked alike, or not at all, by their names with spaces between them. */
export const named = (names: string, check = anything): Fields =>
  Object.fromEntries(names.split(" ").map((name) => [name, check]))

/** The first refusal among the items, in order. */
export function firstRefusal<T>(items: readonly T[], check: (item: T, index: number) => Verdict): Verdict {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

/** Several checks of one value, in order. */
export const all =
  (...checks: readonly Check[]): Check =>
  (path, value) =>
    firstRefusal(checks, (check) => check(path, value))

export const orNull =
  (check: Check): Check =>
  (path, value) =>
    value === null ? undefined : check(path, value)

/** The checks in the words of a wire. */
export function shapesOf(words: ShapeWords) {
  const checkFields = (path: string, value: JsonObject, fields: Fields): Verdict =>
    firstRefusal(Object.entries(fields), ([key, field]) => {
      const where = words.join(path, key)
      const item = value[key]
      if (typeof field === "function") return words.isAbsent(item) ? undefined : field(where, item)
      if ("always" in field) return field.always(where, item)
      return item === undefined ? words.missing(where) : field.needed(where, item)
    })

  const unknownField = (path: string, value: JsonObject, fields: Fields): Verdict => {
    const extra = Object.keys(value).find((key) => !Object.hasOwn(fields, key))
    return extra === undefined ? undefined : words.unknown(path, extra)
  }

  /** An object with these fields, and with others too. */
  const loose =
    (fields: Fields = {}): Check =>
    (path, value) =>
      isObject(value) ? checkFields(path, value, fields) : words.wrongType(path, "object", value)

  const object = (fields: Fields): Check => {
    const known: Check = (path, value) => unknownField(path, value as JsonObject, fields)
    return words.unknownFirst === true ? all(loose(), known, loose(fields)) : all(loose(fields), known)
  }

  const list =
    (check: Check): Check =>
    (path, value) =>
      Array.isArray(value)
        ? firstRefusal<unknown>(value, (item, index) => check(words.join(path, index), item))
        : words.wrongType(path, "array", value)

  /** A string, and what more is asked of it. */
  const text =
    (more?: (path: string, text: string) => Verdict): Check =>
    (path, value) =>
      typeof value === "string" ? more?.(path, value) : words.wrongType(path, "string", value)

  const flag: Check = (path, value) =>
    typeof value === "boolean" ? undefined : words.wrongType(path, "boolean", value)

  const number =
    (kind: "integer" | "decimal", { min = -Infinity, max = Infinity } = {}): Check =>
    (path, value) => {
      if (typeof value !== "number" || (kind === "integer" && !Number.isInteger(value))) {
        return words.wrongType(path, kind, value)
      }
      if (value < min) return words.belowMin?.(path, kind, min, value)
      return value > max ? words.aboveMax?.(path, kind, max, value) : undefined
    }

  const oneOf =
    (values: readonly string[]): Check =>
    (path, value) =>
      typeof value === "string" && values.includes(value) ? undefined : words.wrongValue(path, value, values)

  /** An object whose `type` says which check it is put through. */
  const variants =
    (checks: Readonly<Record<string, Check>>, tags: readonly string[] = Object.keys(checks)): Check =>
    (path, value) => {
      if (!isObject(value)) return words.wrongType(path, "object", value)
      const tag = value["type"]
      const check = typeof tag === "string" && Object.hasOwn(checks, tag) ? checks[tag] : undefined
      if (check === undefined) return words.wrongTag?.(path, tag, tags)
      return check(words.tagged?.(path, String(tag)) ?? path, value)
    }

  return { checkFields, unknownField, loose, object, list, text, flag, number, oneOf, variants }
}
