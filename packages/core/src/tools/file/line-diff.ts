/**
 * Line diff: a short unified diff of two texts, for a model to read.
 *
 * Where the two are too different to be compared in a table of `cellsMax`, what lies between their
 * common beginning and end is shown as replaced. Long diffs are cut, and say so.
 */

const contextLines = 2
const cellsMax = 1_000_000
const shownMax = 60
const lineUnitsMax = 300

interface Change {
  /** Lines of the old text that go, from `from` up to `to`. */
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

/** Empty where the texts are equal. */
export function lineDiff(before: string, after: string): string {
  // The end of a last line begins no other one; where only one text has it, that is a difference.
  const both = before.endsWith("\n") && after.endsWith("\n")
  const linesOf = (text: string) => (both ? text.slice(0, -1) : text).split("\n")
  const [old, now] = [linesOf(before), linesOf(after)]
  const shown = hunksOf(changesOf(old, now)).flatMap((hunk) => renderHunk(old, hunk))
  const cut = shown.length - shownMax
  const kept = cut > 0 ? [...shown.slice(0, shownMax), `[${cut} more lines of the difference]`] : shown
  return kept
    .map((line) => (line.length > lineUnitsMax ? `${line.slice(0, lineUnitsMax)}…` : line))
    .join("\n")
}

function changesOf(old: readonly string[], now: readonly string[]): readonly Change[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  const room = Math.min(old.length, now.length) - start
  while (end < room && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1
  const [oldMiddle, nowMiddle] = [old.slice(start, old.length - end), now.slice(start, now.length - end)]
  if (oldMiddle.length === 0 && nowMiddle.length === 0) return []
  if (oldMiddle.length * nowMiddle.length > cellsMax)
    return [{ from: start, to: old.length - end, lines: nowMiddle }]
  return changedLines(oldMiddle, nowMiddle, start)
}

/** What is not in the longest list of lines that both have, in order; neighbours are one change. */
function changedLines(old: readonly string[], now: readonly string[], start: number): readonly Change[] {
  const shared = sharedLengths(old, now)
  const width = now.length + 1
  const changes: Change[] = []
  for (let x = 0, y = 0; x < old.length || y < now.length;) {
    if (x < old.length && y < now.length && old[x] === now[y]) {
      x += 1
      y += 1
      continue
    }
    const [from, first] = [x, y]
    while ((x < old.length || y < now.length) && !(x < old.length && y < now.length && old[x] === now[y])) {
      const gone = x < old.length ? (shared[(x + 1) * width + y] ?? 0) : -1
      const come = y < now.length ? (shared[x * width + y + 1] ?? 0) : -1
      if (gone >= come) x += 1
      else y += 1
    }
    changes.push({ from: from + start, to: x + start, lines: now.slice(first, y) })
  }
  return changes
}

/** For each pair of places the number of lines that both have from there on. */
function sharedLengths(old: readonly string[], now: readonly string[]): Uint32Array {
  const width = now.length + 1
  const lengths = new Uint32Array((old.length + 1) * width)
  for (let x = old.length - 1; x >= 0; x -= 1)
    for (let y = now.length - 1; y >= 0; y -= 1)
      lengths[x * width + y] =
        old[x] === now[y]
          ? (lengths[(x + 1) * width + y + 1] ?? 0) + 1
          : Math.max(lengths[(x + 1) * width + y] ?? 0, lengths[x * width + y + 1] ?? 0)
  return lengths
}

type Hunk = readonly Change[]

function hunksOf(changes: readonly Change[]): readonly { readonly hunk: Hunk; readonly shift: number }[] {
  const hunks: { hunk: Change[]; shift: number }[] = []
  let shift = 0
  for (const change of changes) {
    const last = hunks.at(-1)
    const end = last?.hunk.at(-1)?.to ?? 0
    if (last !== undefined && change.from - end <= 2 * contextLines) last.hunk.push(change)
    else hunks.push({ hunk: [change], shift })
    shift += change.lines.length - (change.to - change.from)
  }
  return hunks
}

function renderHunk(
  old: readonly string[],
  { hunk, shift }: { hunk: Hunk; shift: number },
): readonly string[] {
  const first = Math.max(0, (hunk[0]?.from ?? 0) - contextLines)
  const last = Math.min(old.length, (hunk.at(-1)?.to ?? 0) + contextLines)
  const body: string[] = []
  let at = first
  for (const { from, to, lines } of hunk) {
    body.push(...old.slice(at, from).map((line) => ` ${line}`))
    body.push(...old.slice(from, to).map((line) => `-${line}`), ...lines.map((line) => `+${line}`))
    at = to
  }
  body.push(...old.slice(at, last).map((line) => ` ${line}`))
  const added = body.filter((line) => !line.startsWith("-")).length
  return [`@@ -${first + 1},${last - first} +${first + shift + 1},${added} @@`, ...body]
}
