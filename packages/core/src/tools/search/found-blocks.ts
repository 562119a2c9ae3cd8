/**
 * Found blocks: the lines that a search tells, below the path of their file.
 *
 * However many lines go by, the first files by path are kept, each with no more lines than are shown.
 */
import { pathOrder } from "../../files/names.ts"
import { type FoundLine, type LineText, readFoundLines } from "./found-lines.ts"
import type { FoundPaths } from "./found-paths.ts"
import { keepLeading } from "./leading.ts"
import { counted, createResultPage, pageResult, type ResultPage, visibleName } from "./result-page.ts"
import { type SearchPlace, shownBelow } from "./search-place.ts"

export interface LineSearch {
  readonly place: SearchPlace
  /** Whether a file below the place is wanted. */
  readonly accepts: (path: string) => boolean
  /** Lines that are shown, those around a match included. */
  readonly limit: number
  /** Where ripgrep gives a file up. */
  readonly linesOfFileMax: number
}

type KeptLine = FoundLine & LineText

interface Block {
  /** Below the place. */
  readonly below: string
  readonly path: string
  readonly lines: KeptLine[]
  readonly linesMax: number
  matches: number
}

export function collectLines({ place, accepts, limit, linesOfFileMax }: LineSearch): FoundPaths {
  const leading = keepLeading<Block>({
    keyOf: ({ path }) => path,
    order: pathOrder,
    weightOf: ({ lines }) => lines.length,
    weightMax: limit,
  })
  const total = { files: 0, matches: 0, lines: 0, bytes: 0, unended: 0 }
  let found: string | null = null
  let block: Block | null = null

  const begin = (path: string): Block | null => {
    finish()
    found = path
    if (place.kind === "directory" && !accepts(path)) return null
    const shown = shownBelow(place, path)
    return { below: path, path: shown, lines: [], linesMax: leading.isBeyond(shown) ? 0 : limit, matches: 0 }
  }
  const finish = () => {
    if (block === null) return
    total.files += 1
    total.matches += block.matches
    if (block.matches >= linesOfFileMax) total.unended += 1
    leading.add(block)
    block = null
  }
  let items: readonly Block[] | null = null
  /** No line comes any more. */
  const kept = (): readonly Block[] => {
    finish()
    return (items ??= leading.items())
  }
  const reader = readFoundLines((path, line, text) => {
    if (path !== found) block = begin(path)
    if (block === null) return
    total.lines += 1
    total.bytes += line.bytes
    if (line.matches) block.matches += 1
    if (block.lines.length < block.linesMax) block.lines.push({ ...line, ...text() })
  })
  return {
    take: reader.take,
    files: () => total.files + (block === null ? 0 : 1),
    lines: () => total.matches + (block?.matches ?? 0),
    paths: () => kept().map(({ below }) => below),
    leaveOut(paths) {
      for (const { below, lines, matches } of kept()) {
        if (!paths.has(below)) continue
        total.files -= 1
        total.matches -= matches
        total.lines -= lines.length
        for (const { bytes } of lines) total.bytes -= bytes
      }
      items = kept().filter(({ below }) => !paths.has(below))
    },
    result(nothing, notes) {
      const page = createResultPage()
      const shown = showBlocks(page, kept(), limit)
      const binary = binaryRemark.test(reader.remark())
      const none = binary ? "it is a binary file, of which no line is shown" : nothing
      const omitted = { lines: total.lines - shown.lines, bytes: total.bytes - shown.bytes }
      const first = total.files === 0 ? none : cutNote(total, shown)
      return pageResult(
        page,
        [first, shown.cut ? "… stands where a long line is cut" : null, ...notes],
        omitted,
      )
    },
  }
}

const binaryRemark = /binary file matches/

interface Shown {
  matches: number
  lines: number
  bytes: number
  /** Whether a line is not shown whole. */
  cut: boolean
}

/** Fills the page; it ends with the last line for which there is room. */
function showBlocks(page: ResultPage, blocks: readonly Block[], limit: number): Shown {
  const shown: Shown = { matches: 0, lines: 0, bytes: 0, cut: false }
  for (const { path, lines } of blocks) {
    let last: KeptLine | null = null
    for (const line of lines) {
      const apart = last !== null && line.number > last.number + 1 && !(last.matches && line.matches)
      const above =
        last === null ? [...(page.lines.length > 0 ? [""] : []), visibleName(path)] : apart ? ["--"] : []
      if (shown.lines >= limit || !page.add(...above, textOf(line))) return shown
      shown.lines += 1
      shown.bytes += line.cut ? Buffer.byteLength(line.text) : line.bytes
      if (line.matches) shown.matches += 1
      if (line.cut) shown.cut = true
      last = line
    }
  }
  return shown
}

const textOf = ({ number, matches, text }: KeptLine): string => `${number}${matches ? ":" : "-"} ${text}`

function cutNote(
  total: { readonly files: number; readonly matches: number; readonly unended: number },
  shown: Shown,
): string | null {
  if (shown.matches === total.matches && total.unended === 0) return null
  const all = `${total.unended > 0 ? "at least " : ""}${counted(total.matches, "matching line")}`
  return `${shown.matches} of ${all} in ${counted(total.files, "file")} shown; narrow the search or raise limit`
}
