/**
 * Documents that the dreamer maintains where it is told to (DM1): what of a new text may not differ from the old.
 *
 * What lies between the two markers belongs to people: each such region stands in the new text byte for byte, in the
 * same order, and no region is added. A text that loses most of what was there is refused too.
 */
export const documentPaths = ["ARCHITECTURE.md", "STRUCTURE.md"] as const
const documentCharactersMax = 65_536

const opening = "<!-- holdfast:protected -->"
const ending = "<!-- holdfast:end -->"
/** The share of a document that has to stay in length. */
const keptMin = 0.5
const keptFrom = 400

function protectedRegions(text: string): readonly string[] {
  const regions: string[] = []
  for (let at = text.indexOf(opening); at !== -1;) {
    const end = text.indexOf(ending, at)
    // One that is not ended reaches to the end of the text.
    const to = end === -1 ? text.length : end + ending.length
    regions.push(text.slice(at, to))
    at = text.indexOf(opening, to)
  }
  return regions
}

export function documentFaults(path: string, before: string | null, after: string): readonly string[] {
  const faults: string[] = []
  if (after.trim() === "" || after.length > documentCharactersMax)
    faults.push(`${path} is empty, or longer than ${documentCharactersMax} characters.`)
  const old = protectedRegions(before ?? "")
  const fresh = protectedRegions(after)
  if (old.length !== fresh.length || old.some((region, at) => region !== fresh[at]))
    faults.push(`A protected region of ${path} is not as it was.`)
  if (before !== null && before.length >= keptFrom && after.length < before.length * keptMin)
    faults.push(`${path} lost more than half of its text.`)
  return faults
}
