/**
 * Found paths: the files that a search tells by their paths, alone or with a count of their lines.
 *
 * ripgrep finds them in whatever order its threads do. However many they are, the first of them by
 * path are kept, so the same search shows the same files.
 */
import { StringDecoder } from "node:string_decoder"
import { pathOrder } from "../../files/names.ts"
import { keepLeading } from "./leading.ts"
import { counted, createResultPage, pageResult, type ResultText, visibleName } from "./result-page.ts"
import { type SearchPlace, shownBelow } from "./search-place.ts"
import type { Found } from "./steady.ts"

export interface FoundPaths extends Found {
  /** Takes what ripgrep prints with `--null`. */
  readonly take: (bytes: Buffer) => void
  /** Lines that match, where they were counted. */
  readonly lines: () => number
  readonly files: () => number
  /** What is shown, or that there is nothing, and the notes below it. */
  readonly result: (nothing: string, notes: readonly (string | null)[]) => ResultText
}

interface Row {
  /** Below the place. */
  readonly below: string
  readonly path: string
  readonly count: number | null
}

export interface PathSearch {
  readonly place: SearchPlace
  /** Whether a count follows each path. */
  readonly kind: "paths" | "counts"
  /** Whether a file below the place is wanted. */
  readonly accepts: (path: string) => boolean
  readonly limit: number
}

export function collectPaths({ place, kind, accepts, limit }: PathSearch): FoundPaths {
  const leading = keepLeading<Row>({
    keyOf: ({ path }) => path,
    order: pathOrder,
    weightOf: () => 1,
    weightMax: limit,
  })
  let files = 0
  let lines = 0
  let bytes = 0
  let items: readonly Row[] | null = null
  const kept = () => (items ??= leading.items())
  const add = (below: string, count: number | null) => {
    if (place.kind === "directory" && !accepts(below)) return
    const path = shownBelow(place, below)
    files += 1
    lines += count ?? 0
    bytes += Buffer.byteLength(path)
    leading.add({ below, path, count })
  }
  return {
    take: readRecords(kind, add),
    lines: () => lines,
    files: () => files,
    paths: () => kept().map(({ below }) => below),
    leaveOut(paths) {
      const out = kept().filter(({ below }) => paths.has(below))
      files -= out.length
      for (const { path, count } of out) {
        lines -= count ?? 0
        bytes -= Buffer.byteLength(path)
      }
      items = kept().filter(({ below }) => !paths.has(below))
    },
    result(nothing, notes) {
      const page = createResultPage()
      for (const { path, count } of kept()) {
        if (!page.add(count === null ? visibleName(path) : `${visibleName(path)}: ${count}`)) break
        bytes -= Buffer.byteLength(path)
      }
      const left = files - page.lines.length
      const cut = left > 0 ? `${counted(left, "more file")} left out; narrow the search or raise limit` : null
      return pageResult(page, [files === 0 ? nothing : cut, ...notes], { lines: left, bytes })
    },
  }
}

/** Calls back with each path, and with the count behind it where there are some. */
function readRecords(
  kind: PathSearch["kind"],
  onRecord: (path: string, count: number | null) => void,
): (bytes: Buffer) => void {
  const decoder = new StringDecoder("utf8")
  let unended = ""
  return (bytes) => {
    const text = unended + decoder.write(bytes)
    let at = 0
    for (let pathEnd = text.indexOf("\0"); pathEnd !== -1; pathEnd = text.indexOf("\0", at)) {
      const end = kind === "paths" ? pathEnd : text.indexOf("\n", pathEnd)
      if (end === -1) break
      // Searches begin at a dot.
      const path = text.slice(text.startsWith("./", at) ? at + 2 : at, pathEnd)
      onRecord(path, kind === "paths" ? null : Number.parseInt(text.slice(pathEnd + 1, end), 10))
      at = end + 1
    }
    unended = text.slice(at)
  }
}
