/** Where two JSON values part first, in words that lead a person to the place. */
import { type Fields, isFields } from "../json-fields.ts"

export interface Difference {
  /** As `messages[2].content[0].text`; empty for the whole value. */
  readonly path: string
  readonly expected: unknown
  readonly found: unknown
}

/** Null if both mean the same; the order of members means nothing. */
export function findDifference(expected: unknown, found: unknown, path = ""): Difference | null {
  if (Array.isArray(expected) && Array.isArray(found)) {
    for (let at = 0; at < Math.max(expected.length, found.length); at++) {
      const difference = findDifference(expected[at], found[at], `${path}[${at}]`)
      if (difference !== null) return difference
    }
    return null
  }
  if (isFields(expected) && isFields(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const inner = path === "" ? name : `${path}.${name}`
      const difference = findDifference(own(expected, name), own(found, name), inner)
      if (difference !== null) return difference
    }
    return null
  }
  return Object.is(expected, found) ? null : { path, expected, found }
}

const own = (value: Fields, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)
