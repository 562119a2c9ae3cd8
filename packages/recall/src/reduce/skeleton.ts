/** A skeleton keeps what a call was about: of a long input, short values stay and long ones are named (TG2). */
import type { Json } from "@holdfast/schema/json"

/** An input up to this length stays as it is. */
const inputUnitsMax = 500
/** A value up to this length stays as it is, such as a path. */
const valueUnitsMax = 80
const valueUnitsKept = 40

const known = new WeakMap<object, Json>()

/** The very value where nothing is left out. */
export function skeletonInput(input: Json): Json {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input
  const made = known.get(input) ?? shortened(input as { readonly [key: string]: Json })
  known.set(input, made)
  return made
}

function shortened(input: { readonly [key: string]: Json }): Json {
  if (JSON.stringify(input).length <= inputUnitsMax) return input
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, shortValue(value)]))
}

function shortValue(value: Json): Json {
  if (typeof value === "string")
    return value.length <= valueUnitsMax ? value : `${wholeUnits(value)}...[truncated]`
  if (Array.isArray(value)) return `[${value.length} items]`
  return typeof value === "object" && value !== null ? "[object]" : value
}

/** No half of a surrogate pair: a wire would refuse it. */
function wholeUnits(value: string): string {
  const kept = value.slice(0, valueUnitsKept)
  return /[\uD800-\uDBFF]$/.test(kept) ? kept.slice(0, -1) : kept
}
