/**
 * JSON: one object from the bytes of a request, as strictly as the parsers of providers.
 *
 * JavaScript accepts an escape of half a surrogate pair; the providers' parsers do not, and that
 * refusal is a classic way for a session to die.
 */

export type JsonObject = { readonly [key: string]: unknown }

export type ParsedJson = { readonly kind: "object"; readonly value: JsonObject } | BrokenJson

export type BrokenJson =
  | { readonly kind: "not-object" | "not-utf8" | "syntax" }
  | { readonly kind: "surrogate"; readonly problem: string; readonly at: string }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A value as a word of a message: `String` throws at an object whose own `toString` is no function. */
export function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined")
}

export function parseJson(bytes: Uint8Array): ParsedJson {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Only bytes that are no UTF-8 throw here.
    return { kind: "not-utf8" }
  }
  const surrogate = findLoneSurrogate(text)
  if (surrogate !== undefined) return { kind: "surrogate", ...surrogate }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Only a syntax error throws here.
    return { kind: "syntax" }
  }
  return isObject(value) ? { kind: "object", value } : { kind: "not-object" }
}

/** A JSON text of an object, or nothing; for arguments that a client sends back as a string. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    // A string that is no JSON is an ordinary answer here.
    return undefined
  }
}

const depthMax = 200

/** How a provider reads the members of an object. */
export interface Reading {
  nameOf(key: string): string
  /** Members whose value belongs to the client, and those whose own members have any name. */
  readonly untouched: ReadonlySet<string>
  readonly maps?: ReadonlySet<string>
}

/** A value as a provider reads it that takes null for absence, and perhaps several names for a member. */
export function reread<T>(value: T, reading: Reading, depth = 0): T {
  if (depth > depthMax) return value
  if (Array.isArray(value)) return value.map((item: unknown) => reread(item, reading, depth + 1)) as T
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([key, item]) => {
    if (item === null) return []
    const name = reading.nameOf(key)
    if (reading.untouched.has(name)) return [[name, item]]
    const inner = reading.maps?.has(name) === true ? { ...reading, nameOf: (same: string) => same } : reading
    return [[name, reread(item, inner, depth + 1)]]
  })
  return Object.fromEntries(members) as T
}

function findLoneSurrogate(text: string): { readonly problem: string; readonly at: string } | undefined {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at)) {
    const unit = escapedUnit(text, at)
    if (unit === undefined || (unit & 0xf800) !== 0xd800) {
      at += unit === undefined ? 2 : 6
      continue
    }
    if (unit >= 0xdc00) return { problem: "invalid high surrogate", at: position(text, at) }
    const low = escapedUnit(text, at + 6)
    if (low === undefined) return { problem: "no low surrogate", at: position(text, at) }
    if ((low & 0xfc00) !== 0xdc00) return { problem: "invalid low surrogate", at: position(text, at) }
    at += 12
  }
  return undefined
}

function escapedUnit(text: string, at: number): number | undefined {
  const match = /^\\u([0-9a-fA-F]{4})$/.exec(text.slice(at, at + 6))
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1], 16)
}

function position(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split("\n").length
  return `line ${line} column ${at - before.lastIndexOf("\n")} (char ${at})`
}
