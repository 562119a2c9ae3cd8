/** A table for people: columns as wide as their content, figures to the right. */

export interface Column {
  readonly title: string
  readonly right?: boolean
}

export function formatTable(columns: readonly Column[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [columns.map((column) => column.title), ...rows]
  const widths = columns.map((_, at) => Math.max(...all.map((row) => [...(row[at] ?? "")].length)))
  return all
    .map((row) =>
      columns
        .map(({ right }, at) => pad(row[at] ?? "", widths[at] ?? 0, right === true))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

/** Counts characters, not code units, so that a title with an emoji keeps the columns straight. */
function pad(cell: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - [...cell].length))
  return right ? space + cell : cell + space
}
