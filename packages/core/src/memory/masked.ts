/**
 * A change of memory without the secrets that its words may hold: none is ever stored (AU1, MM1). A mask may be longer than what it
 * hides: what a statement may not hold then is cut off at its end.
 */
import { memoryTextMax } from "@holdfast/schema/memory/categories"
import type { MemoryChange } from "@holdfast/schema/memory/memory"
import type { SmartNoteChange } from "@holdfast/schema/memory/note"
import type { Masks } from "../secrets/masks.ts"

export function masked(masks: Masks, change: MemoryChange): MemoryChange {
  if (change.change === "archive")
    return { ...change, reason: change.reason === null ? null : masks.kept(change.reason) }
  if (!("text" in change) || change.text === undefined) return change
  return { ...change, text: keptText(masks, change.text) }
}

/** A statement as it is kept. */
export const keptText = (masks: Masks, text: string): string => fitting(masks.kept(text))

function fitting(text: string): string {
  if (text.length <= memoryTextMax) return text
  const cut = text.slice(0, memoryTextMax - 1)
  const open = cut.lastIndexOf("⟦")
  return `${(open > cut.lastIndexOf("⟧") ? cut.slice(0, open) : cut).toWellFormed()}…`
}

/** The same of a note: its text, its condition and why that is true. */
export function maskedNote(masks: Masks, change: SmartNoteChange): SmartNoteChange {
  const hidden = <T extends string | null | undefined>(text: T): T =>
    (typeof text === "string" ? fitting(masks.kept(text)) : text) as T
  switch (change.change) {
    case "write":
      return { ...change, text: hidden(change.text), condition: hidden(change.condition) }
    case "update":
      return {
        ...change,
        ...(change.text !== undefined && { text: hidden(change.text) }),
        ...(change.condition !== undefined && { condition: hidden(change.condition) }),
      }
    case "ready":
      return { ...change, reason: hidden(change.reason) }
    case "wait":
    case "dismiss":
      return change
  }
}
