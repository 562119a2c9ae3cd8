/** Reading JSON that somebody else wrote: nothing here throws and every field may be anything (LL6). */
import type { Json, JsonObject } from "@holdfast/schema/json"

export type Fields = Readonly<Record<string, unknown>>

/** The text as an object, or null if it is none. */
export function parseFields(json: string): Fields | null {
  const value = parseJson(json)
  return isFields(value) ? value : null
}

/** The text as a value, or null if it is no JSON. */
export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    // Only a syntax error throws here.
    return null
  }
}

export function isFields(value: Json | undefined): value is JsonObject
export function isFields(value: unknown): value is Fields
export function isFields(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: Json | undefined): JsonObject
export function fieldsOf(value: unknown): Fields
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Texts by their names in lower case, as headers are. */
export const headersOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).map(([name, item]) => [name.toLowerCase(), textOf(item)]),
  )

/** A count of tokens, or what it was before. */
export const countOf = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : otherwise

/** Names that stand between spaces, as a set. */
export const nameSet = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(" ")))

/** What a name means, from the names that mean each; undefined if none does. */
export function meaningOf<A extends string>(
  names: Readonly<Partial<Record<A, string>>>,
): (name: string) => A | undefined {
  const known = Object.entries<string | undefined>(names).flatMap(([meant, all = ""]) =>
    all.split(" ").map((name) => [name, meant as A] as const),
  )
  const table = new Map(known)
  return (name) => table.get(name)
}

/** What a table says of a name; a name such as `constructor` is in no table. */
export const lookUp = <A>(table: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** Whether a block's text holds whole characters only, escaped ones too. */
export function isWellFormed(json: string, value: unknown): boolean {
  // Most blocks hold neither a half pair nor the escape of one.
  return json.isWellFormed() && (!/\\ud[89a-f]/iu.test(json) || holdsWholePairs(value))
}

function holdsWholePairs(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed()
  if (typeof value !== "object" || value === null) return true
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && holdsWholePairs(item))
}
