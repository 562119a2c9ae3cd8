/**
 * The newest output of a terminal, bounded in bytes, by absolute cursors (PT1).
 *
 *   0 ………… start ═════ kept ═════ end
 *
 * A reader is nothing but a cursor between start and end, so any number of them share these bytes,
 * and one that is slow costs nothing: it is behind the start one day, and knows it.
 */

const bytesFirst = 16_384

export class OutputBuffer {
  readonly #bytesMax: number
  /** The byte at the cursor c stands at c modulo its length. */
  #ring: Uint8Array
  #start = 0
  #end = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#ring = new Uint8Array(Math.min(bytesFirst, bytesMax))
  }

  /** Cursor of the oldest byte that is kept. */
  get start(): number {
    return this.#start
  }

  /** Cursor behind the newest byte: how many there were in all. */
  get end(): number {
    return this.#end
  }

  append(bytes: Uint8Array): void {
    const kept = bytes.subarray(Math.max(0, bytes.length - this.#bytesMax))
    this.#growFor(this.#end - this.#start + kept.length)
    this.#place(this.#end + bytes.length - kept.length, kept)
    this.#end += bytes.length
    this.#start = Math.max(this.#start, this.#end - this.#ring.length)
  }

  /** At most so many bytes from a cursor on, which must be one that is kept. */
  read(from: number, bytesMax: number): Uint8Array {
    const length = Math.min(bytesMax, this.#end - from)
    const at = from % this.#ring.length
    const first = this.#ring.slice(at, at + length)
    if (first.length === length) return first
    const bytes = new Uint8Array(length)
    bytes.set(first)
    bytes.set(this.#ring.subarray(0, length - first.length), first.length)
    return bytes
  }

  #growFor(needed: number): void {
    let length = this.#ring.length
    while (length < needed && length < this.#bytesMax) length = Math.min(this.#bytesMax, length * 2)
    if (length === this.#ring.length) return
    const kept = this.read(this.#start, this.#end - this.#start)
    this.#ring = new Uint8Array(length)
    this.#place(this.#start, kept)
  }

  #place(cursor: number, bytes: Uint8Array): void {
    const at = cursor % this.#ring.length
    const room = this.#ring.length - at
    this.#ring.set(bytes.subarray(0, room), at)
    this.#ring.set(bytes.subarray(room), 0)
  }
}
