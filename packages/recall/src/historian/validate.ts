/**
 * Whether a draft covers its chunk: parts one behind another from the first ordinal on, none over another,
 * none outside, and the next start right behind the last (HI1). Small gaps are healed into the part before
 * them; what else is wrong is told in sentences.
 */
import type { Chunk } from "./chunk.ts"
import type { Draft, DraftPart } from "./output.ts"

export type Validation =
  | { readonly kind: "valid"; readonly draft: Draft; readonly next: number }
  | { readonly kind: "faulty"; readonly faults: readonly string[] }

/** Messages of a gap that are healed though somebody said something in them. */
const gapMax = 15
const faultsMax = 8

export function validate(draft: Draft, chunk: Pick<Chunk, "entries">): Validation {
  const last = chunk.entries.length
  const faults: string[] = []
  const parts: DraftPart[] = []
  let expected = 1
  for (const [at, part] of draft.parts.entries()) {
    const name = `Part ${at + 1} (${part.from} to ${part.to})`
    if (part.from > part.to) faults.push(`${name} ends before it begins.`)
    else if (part.from < expected)
      faults.push(`${name} covers what an earlier part covers: it must begin at ${expected}.`)
    else if (part.to > last) faults.push(`${name} goes beyond the last ordinal, which is ${last}.`)
    else if (part.from > expected && !isHealed(chunk, expected, part.from - 1))
      faults.push(`Nothing covers ${expected} to ${part.from - 1}: ${name} must begin at ${expected}.`)
    else {
      const before = parts.pop()
      // What lies before the first part has no other part to go to.
      if (before !== undefined) parts.push({ ...before, to: part.from - 1 }, part)
      else parts.push({ ...part, from: 1 })
    }
    expected = Math.max(expected, part.to + 1)
  }
  const next = expected
  if (faults.length === 0 && draft.next !== next)
    faults.push(
      `<next> must be ${next}, the first ordinal that no part covers${draft.next === null ? "; it is missing" : ""}.`,
    )
  if (faults.length > 0) return { kind: "faulty", faults: faults.slice(0, faultsMax) }
  return { kind: "valid", draft: { ...draft, parts, next }, next }
}

/** Whether a gap may go to a neighbour: nobody said a word in it, or it is small. */
function isHealed({ entries }: Pick<Chunk, "entries">, from: number, to: number): boolean {
  if (to - from + 1 <= gapMax) return true
  return entries.slice(from - 1, to).every(({ toolOnly }) => toolOnly)
}

/** HI3: the last part of a run may be about something that goes on; the next run reads it again. */
export function discardLast(
  parts: readonly DraftPart[],
  following: number,
  emergency: boolean,
): readonly DraftPart[] {
  return parts.length >= 2 && following <= followingMax && !emergency ? parts.slice(0, -1) : parts
}

/** With no more messages behind it, the last part of a run is not stored. */
export const followingMax = 2
