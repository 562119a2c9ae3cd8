/** A change of memory without the secrets that its words may hold: none is ever stored (AU1, MM1). */
import type { MemoryChange } from "@holdfast/schema/memory/memory"
import type { Masks } from "../secrets/masks.ts"

export function masked(masks: Masks, change: MemoryChange): MemoryChange {
  if (change.change === "archive")
    return { ...change, reason: change.reason === null ? null : masks.text(change.reason) }
  if (!("text" in change) || change.text === undefined) return change
  return { ...change, text: masks.text(change.text) }
}
