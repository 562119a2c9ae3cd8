/** Arguments of a call: a provider streams text and promises that it is JSON. */
import type { Json } from "@holdfast/schema/json"

/** Deeper arguments would overflow the stack of whoever writes them again. */
const inputDepthMax = 256

/** Null if the text is not JSON, or too deep: the call is then settled with an error that the model reads. */
export function parseInput(raw: string): Json | null {
  if (depthOf(raw) > inputDepthMax) return null
  try {
    return JSON.parse(raw) as Json
  } catch {
    // Only a syntax error throws here.
    return null
  }
}

/** How deep brackets are nested outside of strings; cut short at the limit. */
function depthOf(json: string): number {
  if (json.length <= inputDepthMax) return 0
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i)
    if (unit === 0x22) quoted = !quoted
    else if (unit === 0x5c) i += 1
    else if (quoted) continue
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, (depth += 1))
    else if (unit === 0x7d || unit === 0x5d) depth -= 1
    if (deepest > inputDepthMax) break
  }
  return deepest
}
