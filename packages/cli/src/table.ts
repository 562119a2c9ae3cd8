/**
 * A table for people: columns as wide as their content, figures to the right.
 *
 * On a terminal no row is wider than the screen: first columns that may be cut are cut, the widest
 * first; then columns that can be missed are left out.
 */
import type { Terminal } from "./terminal.ts"
import { columnsOf, fill } from "./text-width.ts"

export interface Column {
  readonly title: string
  readonly right?: boolean
  /** It may be cut, to so many columns at the least. */
  readonly cutTo?: number
  /** It may be left out; the smallest number goes first. */
  readonly leave?: number
}

type Rows = ReadonlyArray<readonly string[]>

/** A table for whoever reads it here: fitted to a terminal, whole for a pipe. */
export const showTable = (
  terminal: Pick<Terminal, "page" | "interactive" | "columns">,
  columns: readonly Column[],
  rows: Rows,
): Promise<void> =>
  terminal.page([`${formatTable(columns, rows, terminal.interactive ? terminal.columns : Infinity)}\n`])

export function formatTable(columns: readonly Column[], rows: Rows, columnsMax = Infinity): string {
  const all = [columns.map((column) => column.title), ...rows]
  const natural = columns.map((_, at) => Math.max(...all.map((row) => columnsOf(row[at] ?? ""))))
  const layout = planLayout(columns, natural, columnsMax)
  return all
    .map((row) =>
      layout
        .map(({ at, width }) => fill(row[at] ?? "", width, columns[at]?.right === true ? "left" : "right"))
        .join(gap)
        .trimEnd(),
    )
    .join("\n")
}

interface Placed {
  readonly at: number
  readonly width: number
}

const gap = "  "

function planLayout(
  columns: readonly Column[],
  natural: readonly number[],
  columnsMax: number,
): readonly Placed[] {
  let kept = natural.map((width, at) => ({ at, width }))
  for (;;) {
    const cut = cutWidest(columns, kept, columnsMax)
    const droppable = kept.filter(({ at }) => columns[at]?.leave !== undefined)
    const order = ({ at }: Placed) => columns[at]?.leave ?? 0
    const [next] = droppable.sort((some, other) => order(some) - order(other))
    if (totalOf(cut) <= columnsMax || next === undefined) return cut
    kept = kept.filter((column) => column !== next)
  }
}

const totalOf = (layout: readonly Placed[]): number =>
  layout.reduce((sum, { width }) => sum + width, gap.length * (layout.length - 1))

function cutWidest(
  columns: readonly Column[],
  layout: readonly Placed[],
  columnsMax: number,
): readonly Placed[] {
  const cut = layout.map((column) => ({ ...column }))
  for (let excess = totalOf(cut) - columnsMax; excess > 0; excess--) {
    const shrinkable = cut.filter(({ at, width }) => width > (columns[at]?.cutTo ?? Infinity))
    const [first, ...others] = shrinkable
    if (first === undefined) return cut
    const widest = others.reduce((best, other) => (other.width > best.width ? other : best), first)
    widest.width -= 1
  }
  return cut
}
