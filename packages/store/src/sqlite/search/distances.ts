/**
 * How many signs of very many vectors differ from those of a question: 128 of them are compared at once. In one memory
 * lie the question, all vectors, and the distances behind them.
 */
import {
  assembleLoop,
  type Code,
  localValue,
  load,
  type LoopFunction,
  number,
  pageBytes,
  plus,
  repeat,
  set,
} from "@holdfast/schema/wasm/assemble"

/** Signs of a vector lie in lines of so many bytes; of the last one the rest is zero. */
const lineBytes = 16
/** Of the longest vector that there is, 8,192 numbers. */
const askedBytes = 1_024

/** The number of vectors is not nought. */
type Measure = (vectors: number, count: number, lines: number, asked: number, distances: number) => void

export class HeldSigns {
  count = 0
  private readonly lines: number
  private readonly made: LoopFunction<Measure> = assembleLoop(
    pageBytes,
    ["i32", "i32", "i32", "i32", "i32"],
    ["i32", "i32", "v128"],
    body(),
  )
  private bytes = new Uint8Array(this.made.memory.buffer)

  constructor(signBytes: number) {
    this.lines = Math.ceil(Math.min(signBytes, askedBytes) / lineBytes)
  }

  add(signs: Uint8Array): void {
    const at = this.end
    this.count += 1
    this.reserve(this.end)
    this.bytes.fill(0, at, this.end)
    this.bytes.set(signs, at)
  }

  /** Of all vectors, in their order; it holds until the next call. */
  distances(asked: Uint8Array): Uint16Array {
    this.reserve(this.end + this.count * 2)
    this.bytes.fill(0, 0, askedBytes)
    this.bytes.set(asked, 0)
    if (this.count > 0) this.made.run(askedBytes, this.count, this.lines, 0, this.end)
    return new Uint16Array(this.made.memory.buffer, this.end, this.count)
  }

  private get end(): number {
    return askedBytes + this.count * this.lines * lineBytes
  }

  private reserve(bytes: number): void {
    if (bytes <= this.bytes.length) return
    const more = Math.max(bytes - this.bytes.length, this.bytes.length / 4)
    this.made.memory.grow(Math.ceil(more / pageBytes))
    this.bytes = new Uint8Array(this.made.memory.buffer)
  }
}

const [vectors, count, lines, asked, distances] = [0, 1, 2, 3, 4]
const [left, at, sum] = [5, 6, 7]

const xor = (one: Code, other: Code): Code => [...one, ...other, 0xfd, 0x51]
/** Bits of each byte that are set, and the sums of each two bytes. */
const bitsOf = (value: Code): Code => [...value, 0xfd, 0x62, 0xfd, 0x7d]
const add8 = (one: Code, other: Code): Code => [...one, ...other, 0xfd, 0x8e, 0x01]
const nought: Code = [...number(0), 0xfd, 0x10]
const ones: Code = [...number(1), 0xfd, 0x10]
const pairSums = (value: Code): Code => [...value, ...ones, 0xfd, 0xba, 0x01]
const lane = (value: Code, place: number): Code => [...value, 0xfd, 0x1b, place]
const store16 = (address: Code, value: Code): Code => [...address, ...value, 0x3b, 1, 0]

function body(): Code {
  const line = [
    ...set(sum, add8(localValue(sum), bitsOf(xor(load(localValue(vectors)), load(localValue(at)))))),
    ...set(vectors, plus(localValue(vectors), number(lineBytes))),
    ...set(at, plus(localValue(at), number(lineBytes))),
  ]
  const lanes = [1, 2, 3].reduce(
    (all, place) => plus(all, lane(localValue(sum), place)),
    lane(localValue(sum), 0),
  )
  const vector = [
    ...set(sum, nought),
    ...set(at, localValue(asked)),
    ...set(left, localValue(lines)),
    ...repeat(left, 1, line),
    ...set(sum, pairSums(localValue(sum))),
    ...store16(localValue(distances), lanes),
    ...set(distances, plus(localValue(distances), number(2))),
  ]
  return repeat(count, 1, vector)
}
