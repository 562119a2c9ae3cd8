/** Text that can be stored and sent: whole characters, and none of them NUL, which no provider takes. */
import type { Json, JsonObject } from "@holdfast/schema/json"

/** Characters of one text; no record may be longer than a line of a bundle. */
export const textCharactersMax = 4 * 1_048_576

export function cleanText(text: string): string {
  const kept = text.length > textCharactersMax ? text.slice(0, textCharactersMax) : text
  return (kept.isWellFormed() ? kept : kept.toWellFormed()).replaceAll("\u0000", "")
}

/** Deeper than any call that somebody made; what lies below is left out. */
const nestingMax = 100

export function cleanJson(value: Json, depth = 0): Json {
  if (typeof value === "string") return cleanText(value)
  if (typeof value !== "object" || value === null) return value
  if (depth >= nestingMax) return null
  if (Array.isArray(value)) return value.map((item: Json) => cleanJson(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([name, item]) => [cleanText(name), cleanJson(item, depth + 1)]),
  )
}
