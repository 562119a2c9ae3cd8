/** How far a long audit is: a sentence now and then, and none of what is done at once. */
import { bytes, count, percent } from "../figures.ts"

/** Between two sentences at least. */
const progressMs = 2_000

export interface Progress {
  /** The files of an audit, and all of their bytes. */
  readonly files: number
  readonly bytes: number
  readonly say: (line: string) => void
  readonly now: () => number
}

/** To be called with every piece that was read, and the number of its file, from 1. */
export function progressOf({ files, bytes: whole, say, now }: Progress) {
  let read = 0
  let told = now()
  return (more: number, file: number): void => {
    read += more
    if (now() - told < progressMs) return
    told = now()
    const share = percent(Math.min(read, whole), whole)
    say(`Read ${bytes(read)} of ${bytes(whole)} (${share}), file ${count(file)} of ${count(files)}.`)
  }
}
