/**
 * Output sink: the live output of one running call, kept in bounded memory.
 *
 * It keeps the first and the last `unitsMax` UTF-16 units. One unit is at least one byte, so both
 * ends cover whatever the registry can keep of them (TO1), and the gap always lies in the part
 * that bounding leaves out. Memory: two times `unitsMax` for the ends, plus as much again while
 * the last end is collected, whatever the tool writes (50 MB output is an ordinary case). Once an end
 * is full, all that was and is written goes to a file too, where one can be had (TO3).
 *
 *   AU1  Secrets are masked on the way in; what may be part of one is held back until it is known.
 *   TO5  Whoever watches is told a limited part: live progress is no settlement.
 */
import type { MaskStream } from "../secrets/mask.ts"
import { type Omission, countLines, countNewlines, outputLimitsDefault } from "./bound.ts"
import type { OutputFile } from "./output/output-file.ts"

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
  /** Settles when the disk has taken what was written; null while a tool may write on at once. */
  readonly caughtUp: () => Promise<unknown> | null
  /** What holds all that was written; null while memory does, and where there can be none. */
  readonly file: () => OutputFile | null
  /** Tells what was held back: nothing more comes, or nothing that belongs to it. */
  flush(): void
}

export interface SinkOptions {
  readonly unitsMax?: number
  /** Told what is written, up to a limit. */
  readonly onWrite?: ((text: string) => void) | undefined
  readonly openFile?: (() => OutputFile) | undefined
  /** Hides secrets; nothing is hidden unless given. */
  readonly masked?: MaskStream | undefined
}

/** Of one call, more than this is not told to those who watch. */
export const liveUnitsMax = 1_048_576
const liveEnd = "\n[live output is shown no further; the result of the call follows]\n"

export function createOutputSink(options: SinkOptions = {}): OutputSink {
  const { unitsMax = outputLimitsDefault.bytesMax, onWrite = () => {}, openFile, masked = unmasked } = options
  const ends = createEnds(unitsMax)
  const tell = limited(onWrite)
  let file: OutputFile | null = null
  const take = (text: string) => {
    if (text === "") return
    if (file === null && openFile !== undefined && ends.wouldFill(text)) {
      file = openFile()
      file.write(ends.text())
    }
    file?.write(text)
    ends.add(text)
    tell(text)
  }
  const flush = () => take(masked.end())
  return {
    write: (text) => take(masked.push(text)),
    flush,
    caughtUp: () => file?.caughtUp() ?? null,
    file: () => file,
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

function limited(onWrite: (text: string) => void): (text: string) => void {
  let room = liveUnitsMax
  return (text) => {
    if (room === 0) return
    const told = text.slice(0, room)
    room -= told.length
    onWrite(room === 0 ? told.toWellFormed() + liveEnd : told)
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

  return { add, text, omitted, wouldFill: (more: string) => head.length + more.length > unitsMax }
}

/** A copy that does not keep the longer string alive it was sliced from. */
function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le")
}
