/** The lines of a staged bundle, a block of bytes at a time. Whoever staged it has checked them. */
import { readSync } from "node:fs"
import { type BundleLine, lineBytesMax, readLine } from "@holdfast/schema/bundle/line"
import { CommandRefused } from "../../failure.ts"

const blockBytes = 1_048_576
const lineEnd = 0x0a

export function* stagedLines(descriptor: number): Generator<BundleLine> {
  const block = Buffer.allocUnsafe(blockBytes)
  let rest = Buffer.alloc(0)
  for (let at = 0; ;) {
    const length = readSync(descriptor, block, 0, blockBytes, at)
    if (length === 0) break
    at += length
    const bytes = Buffer.concat([rest, block.subarray(0, length)])
    let begin = 0
    for (let end = bytes.indexOf(lineEnd, rest.length); end !== -1; end = bytes.indexOf(lineEnd, begin)) {
      yield lineOf(bytes.toString("utf8", begin, end))
      begin = end + 1
    }
    rest = Buffer.from(bytes.subarray(begin))
    if (rest.length > lineBytesMax) throw new CommandRefused("a line of the bundle is too long")
  }
  if (rest.length > 0) throw new CommandRefused("the last line of the bundle is cut off")
}

function lineOf(text: string): BundleLine {
  const line = readLine(text)
  if (typeof line === "string") throw new CommandRefused(`a line of the bundle ${line}`)
  return line
}
