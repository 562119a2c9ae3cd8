/** The lines by which two texts differ, in their order: the longest lines in common stay, all others went or came (SU4). */

export interface DifferentLine {
  readonly kind: "gone" | "come"
  readonly text: string
  /** Whether lines that both have stand between it and the one before. */
  readonly apart: boolean
}

/** Pairs of lines that are compared; of longer stretches all lines count as different. */
const pairsMax = 4_000_000

export function differentLines(before: string, after: string): readonly DifferentLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  return walked(old.slice(head, old.length - tail), now.slice(head, now.length - tail))
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

function walked(old: readonly string[], now: readonly string[]): readonly DifferentLine[] {
  const width = now.length + 1
  const common = (old.length + 1) * width <= pairsMax ? commonLengths(old, now) : null
  const lengthAt = (at: number, to: number): number => common?.[at * width + to] ?? 0
  const found: DifferentLine[] = []
  let apart = false
  for (let at = 0, to = 0; at < old.length || to < now.length;) {
    if (common !== null && at < old.length && to < now.length && old[at] === now[to]) {
      apart = true
      at++
      to++
      continue
    }
    const goes = at < old.length && (to >= now.length || lengthAt(at + 1, to) >= lengthAt(at, to + 1))
    const text = (goes ? old[at++] : now[to++]) ?? ""
    found.push({ kind: goes ? "gone" : "come", text, apart: apart && found.length > 0 })
    apart = false
  }
  return found
}

/** Of the rests that begin at each pair of lines: how many lines they have in common, in order. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let at = old.length - 1; at >= 0; at--)
    for (let to = now.length - 1; to >= 0; to--)
      lengths[at * width + to] =
        old[at] === now[to]
          ? (lengths[(at + 1) * width + to + 1] ?? 0) + 1
          : Math.max(lengths[(at + 1) * width + to] ?? 0, lengths[at * width + to + 1] ?? 0)
  return lengths
}
