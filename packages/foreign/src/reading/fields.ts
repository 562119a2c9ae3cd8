/** Fields of somebody else's JSON: each may be absent or of another kind, which is null and no failure. */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { ForeignImage } from "../record.ts"

export type JsonFields = JsonObject

export const isObject = (value: unknown): value is JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonFields => (isObject(value) ? value : {})

export const elementsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : [])

export const stringOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** An id: text that is not empty. */
export const nameOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null

/** Tokens: what is no whole number from 0 on counts nothing. */
export const tokenCount = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0

export const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null

const timeMax = 8_640_000_000_000_000

/** Milliseconds since 1970, of a number or of a date as text. */
export function timeOf(value: unknown): number | null {
  const time = typeof value === "string" ? Date.parse(value) : value
  return typeof time === "number" && time > 0 && time <= timeMax ? Math.trunc(time) : null
}

/** `data:image/png;base64,…` apart; any other address stays a name. */
export function imageOfUrl(url: string, mediaType: string | null = null): ForeignImage {
  const data = /^data:([\w.+/-]+);base64,/.exec(url)
  if (data === null) return { mediaType, name: url }
  return { mediaType: data[1] ?? mediaType ?? "", base64: url.slice(data[0].length) }
}
