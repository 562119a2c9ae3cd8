/**
 * Handles of what must not be lost: where there is no room for what the user asked to hold, or for a task, its number
 * stays, so that one call of `context_expand` reads it (HI1). A line of handles has the mark of its kind.
 */
const marks = ["D", "T"] as const
/** Of one kind in one compartment; of more, the newest. */
const handlesMax = 60

/** Lines with the handles that some text holds and another does not; none where nothing is missing. */
export function missingHandles(all: readonly string[], shown: string): readonly string[] {
  return marks.flatMap((mark) => {
    const standing = new Set(handlesIn(shown, mark))
    const missing = new Set(all.flatMap((text) => handlesIn(text, mark)).filter((seq) => !standing.has(seq)))
    const kept = [...missing].toSorted((a, b) => a - b).slice(-handlesMax)
    return kept.length === 0 ? [] : [`${mark} ${kept.map((seq) => `#${seq}`).join(" ")}`]
  })
}

/** Of lines of one kind, which begin with their handles. */
function handlesIn(text: string, mark: string): readonly number[] {
  return text.split("\n").flatMap((line) => {
    const [, handles = ""] = line.startsWith(`${mark} #`) ? (/^. ((?:#\d+ ?)+)/.exec(line) ?? []) : []
    return [...handles.matchAll(/\d+/g)].map(([seq]) => Number(seq))
  })
}
