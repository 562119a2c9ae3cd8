/**
 * A table for people: columns as wide as their content, figures to the right.
 *
 * On a terminal no row is wider than the screen: first columns that may stand below their row do so, whole,
 * the widest first; then columns that may be cut are cut, likewise; then those that can be missed are left out.
 */
import type { Terminal } from "./terminal.ts"
import { columnsOf, fill, wrap } from "./text-width.ts"

export interface Column {
  readonly title: string
  readonly right?: boolean
  /** It may be cut, to so many columns at the least. */
  readonly cutTo?: number
  /** It may be left out; the smallest number goes first. */
  readonly leave?: number
  /** Where the row is too wide, it is read on lines of its own below it, under this name. */
  readonly below?: string
  /** There it is told only where it is another one than above. */
  readonly once?: boolean
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
  const natural = columns.map((_, at) => ({
    at,
    width: Math.max(...all.map((row) => columnsOf(row[at] ?? ""))),
  }))
  const beside = planBeside(columns, natural, columnsMax)
  const layout = planLayout(columns, beside, columnsMax)
  const lineOf = (row: readonly string[]) =>
    layout
      .map(({ at, width }) => fill(row[at] ?? "", width, columns[at]?.right === true ? "left" : "right"))
      .join(gap)
      .trimEnd()
  const told = new Map<string, string>()
  const below = natural.filter((column) => !beside.includes(column))
  const linesOf = (row: readonly string[]) => [
    lineOf(row),
    ...below.flatMap(({ at }) => linesBelow(columns[at], row[at] ?? "", columnsMax, told)),
  ]
  const [head = [], ...others] = all
  return [lineOf(head), ...others.flatMap(linesOf)].join("\n")
}

/** A cell that says that there is nothing to tell. */
export const nothing = "–"
const belowIndent = "      "

/** `told` keeps what was said last of those that are told once. */
function linesBelow(
  column: Column | undefined,
  cell: string,
  columnsMax: number,
  told: Map<string, string>,
): readonly string[] {
  const { below = "", once = false } = column ?? {}
  const text = cell.replaceAll(/\s+/g, " ")
  if (text === "" || text === nothing || (once && told.get(below) === text)) return []
  told.set(below, text)
  return wrap(`${belowIndent}${below}: ${text}`, columnsMax)
}

interface Placed {
  readonly at: number
  readonly width: number
}

const gap = "  "

/** What stands in the row: as many move below it as have to. */
function planBeside(
  columns: readonly Column[],
  natural: readonly Placed[],
  columnsMax: number,
): readonly Placed[] {
  let beside = natural
  for (;;) {
    const [widest] = beside
      .filter(({ at }) => columns[at]?.below !== undefined)
      .sort((some, other) => other.width - some.width)
    if (totalOf(beside) <= columnsMax || widest === undefined) return beside
    beside = beside.filter((column) => column !== widest)
  }
}

function planLayout(
  columns: readonly Column[],
  natural: readonly Placed[],
  columnsMax: number,
): readonly Placed[] {
  let kept = natural
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
