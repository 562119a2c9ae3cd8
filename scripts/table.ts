/** Prints rows as a table for people: columns padded, numbers to the right. */

export function formatTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => padded(cell, widths[column] ?? 0)).join("  ")
  return [line(head), widths.map((width) => "─".repeat(width)).join("  "), ...rows.map(line)]
    .map((text) => text.trimEnd())
    .join("\n")
}

const padded = (cell: string, width: number): string =>
  /^[\d.]+( s)?$/.test(cell) ? cell.padStart(width) : cell.padEnd(width)
