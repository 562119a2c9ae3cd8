/**
 * The text of a search: whole lines within the limit of a settlement, and below them in brackets what
 * is not told above. The tool shapes its output itself (TO2), so nothing of it is cut in the middle.
 */
import { type Omission, outputLimitsDefault } from "../bound.ts"
import type { ToolResult } from "../tool.ts"

/** Room for the notes is kept free. */
const linesMax = outputLimitsDefault.linesMax - 20
const bytesMax = outputLimitsDefault.bytesMax - 2_048

export type ResultText = Required<Pick<ToolResult, "text" | "omitted">>

export interface ResultPage {
  /** Adds all of the lines, or none and tells so. */
  readonly add: (...lines: readonly string[]) => boolean
  readonly lines: readonly string[]
}

export function createResultPage(): ResultPage {
  const lines: string[] = []
  let bytes = 0
  return {
    lines,
    add(...added) {
      const cost = added.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
      if (lines.length + added.length > linesMax || bytes + cost > bytesMax) return false
      bytes += cost
      lines.push(...added)
      return true
    },
  }
}

/** The page with its notes; `omitted` is what was found and is not on it (TO8). */
export function pageResult(
  page: ResultPage,
  notes: readonly (string | null)[],
  omitted: Omission,
): ResultText {
  const brackets = notes.flatMap((note) => (note === null ? [] : [`[${note}]`]))
  return { text: [...page.lines, ...brackets].join("\n"), omitted }
}

/** A number with its noun. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** A name as one line: what would break it or move a cursor is shown by its code. */
export const visibleName = (name: string): string =>
  name.replace(/\p{Cc}/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`)
