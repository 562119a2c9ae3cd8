/** The options of a call, so that a misspelt one is told and not passed over: a signal that nobody heeds stops nothing (CO3). */
import type { CallOptions } from "../transport.ts"

const names: readonly string[] = ["signal", "headers"]

/** What is wrong with them, in words for the caller; null if nothing is. */
export function callFault(options: CallOptions): string | null {
  const given: unknown = options
  if (typeof given !== "object" || isSignal(given))
    return `The options of a call must be an object, as in { signal }. There are ${names.join(" and ")}.`
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined)
    return `There is no option "${unknown}" of a call. There are ${names.join(" and ")}.`
  const { signal, headers } = options
  if (signal !== undefined && !isSignal(signal)) return 'The option "signal" must be an AbortSignal.'
  const isHeaders = headers === undefined || (isObject(headers) && Object.values(headers).every(isText))
  return isHeaders ? null : 'The option "headers" must be an object of texts.'
}

const isText = (value: unknown): boolean => typeof value === "string"
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** By what it can do: it may come from another realm. */
const isSignal = (value: unknown): boolean =>
  isObject(value) && "aborted" in value && "addEventListener" in value
