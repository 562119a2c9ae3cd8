/** Arguments of a call: a provider streams text and promises that it is JSON. */
import type { Json } from "@holdfast/schema/json"
import { isDeeperThan } from "./nesting.ts"

/** Deeper arguments would overflow the stack of whoever writes them again. */
const inputDepthMax = 256

/** Null if the text is not JSON, or too deep: the call is then settled with an error that the model reads. */
export function parseInput(raw: string): Json | null {
  if (isDeeperThan(raw, inputDepthMax)) return null
  try {
    return JSON.parse(raw) as Json
  } catch {
    // Only a syntax error throws here.
    return null
  }
}
