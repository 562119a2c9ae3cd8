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
