/**
 * Input as the JSON text that is sent of it.
 *
 * JSON.stringify leaves out or calls null what JSON cannot say, and null takes a limit away. So that is
 * refused, by the field in which it stands (CO3); what a field may be stays the business of whoever reads it.
 */

export type JsonText =
  | { readonly kind: "text"; readonly text: string }
  /** In words for the caller. */
  | { readonly kind: "refused"; readonly message: string }

/** `bytesText` writes bytes, where they stand for a text. */
export function jsonText(
  fields: Readonly<Record<string, unknown>>,
  bytesText?: (bytes: Uint8Array) => string,
): JsonText {
  const paths = new Map<unknown, string>()
  let refused: string | null = null
  const write = function (this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
    const given = this[name]
    if (bytesText !== undefined && given instanceof Uint8Array) return bytesText(given)
    const path = pathBelow(paths.get(this), name, Array.isArray(this))
    const what = unsayable(value) ?? (value === undefined && Array.isArray(this) ? "undefined" : null)
    if (what !== null) {
      refused ??= unsayableField(path, what)
      return undefined
    }
    // The same object may stand at two places: what is in it is written right after it.
    if (typeof value === "object") paths.set(value, path)
    return value
  }
  try {
    const text = JSON.stringify(fields, write)
    return refused === null ? { kind: "text", text } : { kind: "refused", message: refused }
  } catch {
    // A circle, or a getter of the caller that throws: in neither case is there a text.
    const message = "The payload must be JSON: it holds itself, or something in it throws when it is read."
    return { kind: "refused", message }
  }
}

/** The name of what JSON has no word for; null of anything else. */
export function unsayable(value: unknown): string | null {
  if (isNumber(value)) return Number.isFinite(Number(value)) ? null : String(value)
  return names[typeof value] ?? null
}

/** One in a box is written as if it had none. */
const isNumber = (value: unknown): boolean =>
  typeof value === "number" || Object.prototype.toString.call(value) === "[object Number]"

export const unsayableField = (path: string, what: string): string =>
  `The field "${path.slice(0, pathLengthMax)}" must be something that JSON can say, which ${what} is not.`

const pathLengthMax = 200

const names: Readonly<Record<string, string>> = {
  bigint: "a BigInt",
  function: "a function",
  symbol: "a symbol",
}

const pathBelow = (around: string | undefined, name: string, isListed: boolean): string =>
  around === undefined || around === "" ? name : isListed ? `${around}[${name}]` : `${around}.${name}`
