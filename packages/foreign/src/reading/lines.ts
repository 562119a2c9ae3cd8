/**
 * Bytes to lines of JSON, with bounded memory: whatever the file's size, at most one line is held.
 *
 * Nothing here is fatal. A line that is not JSON, not UTF-8, too long or cut off at the end of the
 * file is a value that says so, and reading goes on behind it.
 */
import { isObject, type JsonFields } from "./fields.ts"
import type { SkipReason } from "../record.ts"

export type Line =
  | { readonly line: number; readonly value: JsonFields }
  | { readonly line: number; readonly why: SkipReason; readonly detail: string }

/** A line beyond this is skipped: images of a whole prompt stay far below it. */
export const foreignLineBytesMax = 64 * 1_048_576
const detailCharsMax = 60
const newline = 0x0a

/** Lines come in batches, one for each chunk of bytes that ended any. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncIterable<readonly Line[]> {
  const held = new HeldLine()
  let line = 0
  for await (const chunk of bytes) {
    const batch: Line[] = []
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      line++
      const read = parseLine(held.take(chunk.subarray(from, end)), line, false)
      if (read !== null) batch.push(read)
      from = end + 1
    }
    held.add(chunk.subarray(from))
    if (batch.length > 0) yield batch
  }
  const last = parseLine(held.take(new Uint8Array(0)), line + 1, true)
  if (last !== null) yield [last]
}

/** The beginning of a line whose end has not come yet. */
class HeldLine {
  #parts: Uint8Array[] = []
  #bytes = 0

  add(part: Uint8Array): void {
    this.#bytes += part.length
    if (this.#bytes > foreignLineBytesMax) this.#parts = []
    else if (part.length > 0) this.#parts.push(part)
  }

  /** The whole line, or its length where it is too long to hold. */
  take(end: Uint8Array): Uint8Array | number {
    if (this.#bytes === 0) return end.length > foreignLineBytesMax ? end.length : end
    this.add(end)
    const whole = this.#bytes > foreignLineBytesMax ? this.#bytes : Buffer.concat(this.#parts, this.#bytes)
    this.#parts = []
    this.#bytes = 0
    return whole
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

function parseLine(bytes: Uint8Array | number, line: number, last: boolean): Line | null {
  if (typeof bytes === "number") return { line, why: "too-long", detail: `${bytes} bytes` }
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    // The decoder throws on bytes that are not UTF-8, and only then.
    return { line, why: "not-utf8", detail: start(Buffer.from(bytes.subarray(0, 200)).toString("latin1")) }
  }
  if (text.trim() === "") return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Other agents append whole lines; one without its end was being written, or was cut.
    return { line, why: last ? "cut-off" : "not-json", detail: start(text) }
  }
  return isObject(value) ? { line, value } : { line, why: "wrong-shape", detail: start(text) }
}

/** Without control characters: it is printed. */
const start = (text: string): string =>
  text
    .slice(0, detailCharsMax * 2)
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim()
    .slice(0, detailCharsMax)
