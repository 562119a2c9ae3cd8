/**
 * Canonical JSON: one text for one value, on every machine and in every rebuild (TU1).
 *
 * Members keep the order in which they are given. In a tool schema and in a call's input that
 * order means something to a model, and durable records keep it; objects that a wire makes itself
 * have a fixed order by construction. What is made equal: no space, half surrogate pairs become
 * U+FFFD (providers refuse them, and a session must not die of one), -0 is 0.
 */
import type { Json } from "@holdfast/schema/json"

export function canonicalJson(value: Json): string {
  const text = JSON.stringify(value)
  // A whole pair is written as itself, so an escape in this range is half of one, or looks so.
  return /\\ud[89a-f]/.test(text) ? JSON.stringify(wellFormed(value)) : text
}

/** A JSON string literal without half surrogate pairs. */
export const canonicalString = (text: string): string => JSON.stringify(text.toWellFormed())

function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => wellFormed(item))
  // fromEntries defines own members, so that a key like __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item as Json)]),
  )
}
