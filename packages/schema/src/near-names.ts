/** Near names: which of some names a misspelt one may have meant, best first. */

const namesMax = 5
const candidatesMax = 5_000

export function nearNames(wanted: string, names: readonly string[]): readonly string[] {
  const target = wanted.toLowerCase()
  const scored = names.slice(0, candidatesMax).map((name) => ({ name, distance: distanceOf(target, name) }))
  const near = scored.filter(({ distance }) => distance <= Math.max(2, target.length / 3))
  const ordered = near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return ordered.slice(0, namesMax).map(({ name }) => name)
}

/** A name that holds the other one counts as near, whatever their lengths. */
function distanceOf(target: string, name: string): number {
  const other = name.toLowerCase()
  const short = Math.min(target.length, other.length)
  if (short >= 3 && (other.includes(target) || target.includes(other))) return 1
  return editDistance(target, other)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
