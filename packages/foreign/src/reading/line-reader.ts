/** A reader of a format that has one JSON object a line: the format says what each line means, this does the rest. */
import type { ForeignRecord, Reader, SkippedRecord, SkipReason } from "../record.ts"
import type { JsonFields } from "./fields.ts"
import { readLines } from "./lines.ts"

/** What a format knows while it reads one file. */
export interface LineFormat {
  /** The records of a line, in order. */
  readonly line: (value: JsonFields, line: number) => readonly ForeignRecord[]
}

export const lineReader = (open: () => LineFormat): Reader =>
  async function* (bytes) {
    const format = open()
    for await (const batch of readLines(bytes)) {
      for (const read of batch) {
        if ("why" in read) yield skipped(null, read.line, read.why, read.detail)
        else yield* format.line(read.value, read.line)
      }
    }
  }

const detailCharsMax = 80

export const skipped = (
  session: string | null,
  line: number,
  why: SkipReason,
  detail: string,
): SkippedRecord => ({ type: "skipped", session, line, why, detail: detail.slice(0, detailCharsMax) })

/** A map that forgets what is oldest: links between lines are short, files are not. */
export class RecentMap<A> {
  readonly #entries = new Map<string, A>()
  readonly #entriesMax: number

  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get(key: string): A | undefined {
    return this.#entries.get(key)
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  set(key: string, value: A): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#entriesMax) return
    const oldest = this.#entries.keys().next()
    if (oldest.done !== true) this.#entries.delete(oldest.value)
  }
}
