/**
 * JSON rules: bytes to one object, as strictly as the provider's parser.
 *
 * JavaScript accepts an escape of half a surrogate pair; the provider's parser does not, and that
 * refusal is a classic way for a session to die.
 */
import { invalid } from "../api-error.ts"
import type { Refusal } from "../api-error.ts"
import type { JsonObject } from "../request-body.ts"
import { isObject } from "./shape.ts"

export type ParsedJson =
  | { readonly kind: "object"; readonly value: JsonObject }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export function parseBody(bytes: Uint8Array): ParsedJson {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Only bytes that are no UTF-8 throw here. assumed: the wording.
    return refused("str is not valid UTF-8: surrogates not allowed")
  }
  const surrogate = findLoneSurrogate(text)
  if (surrogate !== undefined) return refused(surrogate)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Only a syntax error throws here. assumed: the position is left out.
    return refused("unexpected character")
  }
  // assumed: the wording for a document that is no object.
  if (!isObject(value)) {
    return { kind: "refused", refusal: invalid("Input should be a valid dictionary or object") }
  }
  return { kind: "object", value }
}

function refused(detail: string): ParsedJson {
  // recorded: the prefix.
  return { kind: "refused", refusal: invalid(`The request body is not valid JSON: ${detail}`) }
}

/** recorded: the three texts, with line, column and character of the escape. */
function findLoneSurrogate(text: string): string | undefined {
  for (let at = text.indexOf("\\"); at >= 0; at = text.indexOf("\\", at)) {
    const unit = escapedUnit(text, at)
    if (unit === undefined || (unit & 0xf800) !== 0xd800) {
      at += unit === undefined ? 2 : 6
      continue
    }
    if (unit >= 0xdc00) return `invalid high surrogate in string: ${position(text, at)}`
    const low = escapedUnit(text, at + 6)
    if (low === undefined) return `no low surrogate in string: ${position(text, at)}`
    if ((low & 0xfc00) !== 0xdc00) return `invalid low surrogate in string: ${position(text, at)}`
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
