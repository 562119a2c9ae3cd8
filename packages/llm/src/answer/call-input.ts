/** Arguments of a call: a provider streams text and promises that it is JSON. */
import type { Json } from "@holdfast/schema/json"
import { parseJson } from "../json-fields.ts"

/** Deeper arguments would overflow the stack of whoever writes them again. */
const inputDepthMax = 256

/** Null if the text is not JSON, or too deep: the call is then settled with an error that the model reads. */
export const parseInput = (raw: string): Json | null =>
  isDeeperThan(raw, inputDepthMax) ? null : (parseJson(raw) as Json)

/** Whether brackets are nested deeper than this, outside of strings. */
export function isDeeperThan(json: string, levels: number): boolean {
  if (json.length <= levels) return false
  let depth = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i)
    if (unit === 0x22) quoted = !quoted
    else if (unit === 0x5c) i += 1
    else if (quoted) continue
    else if (unit === 0x7b || unit === 0x5b) depth += 1
    else if (unit === 0x7d || unit === 0x5d) depth -= 1
    if (depth > levels) return true
  }
  return false
}
