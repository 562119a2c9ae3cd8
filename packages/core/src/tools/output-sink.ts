/**
 * Output sink: the live output of one running call, kept in bounded memory.
 *
 * It keeps the first and the last `unitsMax` UTF-16 units. One unit is at least one byte, so both
 * ends cover whatever the registry can keep of them (TO1), and the gap always lies in the part
 * that bounding leaves out. Memory: two times `unitsMax` for the ends, plus as much again while
 * the last end is collected, whatever the tool writes (50 MB output is an ordinary case).
 *
 *   AU1  Secrets are masked on the way in; what may be part of one is held back until it is known.
 */
import type { MaskStream } from "../secrets/mask.ts"
import { type Omission, countLines, countNewlines, outputLimitsDefault } from "./bound.ts"

/** Live output of a call. A tool writes, the registry reads; writing never fails nor waits. */
export interface OutputSink {
  /** Adds live output; kept as partial output when the call is interrupted. */
  write(text: string): void
  /** The output so far, all of it told by now; a gap in it is marked by one line. */
  readonly text: string
  /**
   * Everything written minus `text`, so that both add up; below zero where the line that marks
   * a gap is longer than the gap.
   */
  readonly omitted: Omission
  /** Tells what was held back: nothing more comes, or nothing that belongs to it. */
  flush(): void
}

export function createOutputSink(
  unitsMax: number = outputLimitsDefault.bytesMax,
  onWrite: (text: string) => void = () => {},
  masked: MaskStream = unmasked,
): OutputSink {
  const ends = createEnds(unitsMax)
  const tell = (text: string) => {
    if (text === "") return
    ends.add(text)
    onWrite(text)
  }
  const flush = () => tell(masked.end())
  return {
    write: (text) => tell(masked.push(text)),
    flush,
    get text() {
      flush()
      return ends.text()
    },
    get omitted() {
      flush()
      return ends.omitted()
    },
  }
}

const unmasked: MaskStream = { push: (text) => text, end: () => "" }

function createEnds(unitsMax: number) {
  let head = ""
  let tail: string[] = []
  let tailUnits = 0
  let dropped = false
  let newlines = 0
  let bytes = 0
  let endsLine = true

  const add = (text: string) => {
    newlines += countNewlines(text)
    bytes += Buffer.byteLength(text)
    endsLine = text.endsWith("\n")
    const room = unitsMax - head.length
    if (room > 0) head += detached(text.slice(0, room))
    const rest = room > 0 ? text.slice(room) : text
    if (rest === "") return
    if (rest.length > unitsMax) dropped = true
    const last = detached(rest.slice(-unitsMax))
    tail.push(last)
    tailUnits += last.length
    if (tailUnits > 2 * unitsMax) compact()
  }

  const compact = () => {
    const joined = tail.join("")
    if (joined.length > unitsMax) dropped = true
    const last = detached(joined.slice(-unitsMax))
    tail = [last]
    tailUnits = last.length
  }

  const text = () => {
    if (tailUnits > unitsMax || dropped) compact()
    const end = tail.join("")
    return dropped ? `${head}\n[output dropped here while the tool ran]\n${end}` : head + end
  }

  const omitted = (): Omission => {
    const kept = text()
    if (!dropped) return { lines: 0, bytes: 0 }
    return {
      lines: newlines + (endsLine ? 0 : 1) - countLines(kept),
      bytes: bytes - Buffer.byteLength(kept),
    }
  }

  return { add, text, omitted }
}

/** A copy that does not keep the longer string alive it was sliced from. */
function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le")
}
