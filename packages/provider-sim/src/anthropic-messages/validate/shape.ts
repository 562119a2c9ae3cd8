/**
 * Shape: the small checks every validator is built from.
 *
 * A check returns a refusal or nothing, so a sequence of rules reads as a chain of `??`. The
 * wording follows the provider's schema library (recorded).
 */
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { Verdict } from "../../sim-wire.ts"
import type { JsonObject } from "../../json.ts"

export { isObject } from "../../json.ts"
export type { Verdict } from "../../sim-wire.ts"

/** recorded: `{path}: Extra inputs are not permitted`. */
export function extraField(path: string, value: JsonObject, allowed: readonly string[]): Verdict {
  const extra = Object.keys(value).find((key) => !allowed.includes(key))
  return extra === undefined ? undefined : invalid(facts.extraInput(join(path, extra)))
}

/** recorded: `{path}: Field required`. */
export function missingField(path: string, value: JsonObject, key: string): Verdict {
  return value[key] === undefined ? invalid(facts.fieldRequired(join(path, key))) : undefined
}

/** recorded: `{path}: Input should be a valid string`. */
export function stringField(path: string, value: JsonObject, key: string): Verdict {
  return (
    missingField(path, value, key) ??
    (typeof value[key] === "string" ? undefined : invalid(facts.notString(join(path, key))))
  )
}

/** recorded: `{path}: String should match pattern '…'`. */
export function patternField(path: string, value: JsonObject, key: string, pattern: RegExp): Verdict {
  return (
    stringField(path, value, key) ??
    (pattern.test(value[key] as string)
      ? undefined
      : invalid(facts.notMatching(join(path, key), pattern.source)))
  )
}

/** recorded: an absent boolean is fine, anything else is not. */
export function booleanField(path: string, value: JsonObject, key: string): Verdict {
  return value[key] === undefined || typeof value[key] === "boolean"
    ? undefined
    : invalid(facts.notBoolean(join(path, key)))
}

/** recorded: bounds of an optional number. */
export function numberField(
  path: string,
  value: JsonObject,
  key: string,
  bounds: { readonly min: number; readonly max?: number; readonly integer?: boolean },
): Verdict {
  const field = value[key]
  const where = join(path, key)
  if (field === undefined || field === null) return undefined
  if (typeof field !== "number") {
    return invalid(facts.notNumber(where, bounds.integer === true ? "integer" : "number"))
  }
  if (bounds.integer === true && !Number.isInteger(field)) {
    return invalid(facts.notNumber(where, "integer"))
  }
  if (field < bounds.min) return invalid(facts.belowMin(where, bounds.min))
  if (bounds.max !== undefined && field > bounds.max) {
    return invalid(facts.aboveMax(where, bounds.max))
  }
  return undefined
}

/** The first refusal among the items, in order. */
export function firstRefusal<T>(items: readonly T[], check: (item: T, index: number) => Verdict): Verdict {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

export function join(path: string, key: string | number): string {
  return path === "" ? String(key) : `${path}.${key}`
}
