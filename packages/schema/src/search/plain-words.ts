/**
 * The words of plain text, as `words.ts` finds them in any (SE1). Every commit comes by here, and most of what is
 * said is plain: so it goes by bytes, which takes a few nanoseconds a character where expressions take thirty.
 */
import { keyBits, keyedMax, keyMask, stopByKey } from "./stop-words.ts"

/** A name is cut behind so many characters where it stands whole. */
export const wholeCharactersMax = 120

/** Words of a text whose characters are all below 128, in their order, a blank between them; stop words only where asked for. */
export function plainWords(text: string, withStops: boolean): string {
  const { length } = text
  if (length >= held.length) {
    held = Buffer.alloc(length + 1)
    written = Buffer.alloc(writtenFactor * held.length)
  }
  const input = held
  const output = written
  input.write(text, "latin1")
  input[length] = 0 // a separator, so that nobody asks where the end is
  let end = 0
  for (let at = 0; at < length;) {
    if (kindAt(input, at) <= joiner) {
      at += 1
      continue
    }
    const from = at
    let parts = 0
    for (let kind = kindAt(input, at); kind !== separator; kind = kindAt(input, at)) {
      const part = at
      at = partEnd(input, at, kind)
      if (kind === joiner) continue
      end = writeWord(input, part, at, output, end, withStops)
      parts += 1
    }
    if (parts > 1) end = writeWhole(input, from, at, output, end)
  }
  return end === 0 ? "" : output.toString("latin1", 0, end - 1)
}

/** Kept from one text to the next. Of `n` characters come `n` in parts and `n` in whole names, each with its blank at most. */
const writtenFactor = 4
let held = Buffer.alloc(4_096)
let written = Buffer.alloc(writtenFactor * held.length)

const separator = 0
const joiner = 1
const lower = 2
const upper = 3
const digit = 4
const kinds = Uint8Array.from({ length: 256 }, (_, code) => kindOf(String.fromCharCode(code)))

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return lower
  if (/[A-Z]/.test(character)) return upper
  if (/[0-9]/.test(character)) return digit
  return /[_./\\:@#$+-]/.test(character) ? joiner : separator
}

const kindAt = (input: Uint8Array, at: number): number => kinds[input[at] as number] as number

/** A part is digits, an acronym, or letters of which the first may be a capital. */
function partEnd(input: Uint8Array, from: number, kind: number): number {
  let at = from + 1
  while (kindAt(input, at) === kind) at += 1
  if (kind !== upper || kindAt(input, at) !== lower) return at
  if (at > from + 1) return at - 1
  while (kindAt(input, at) === lower) at += 1
  return at
}

/** Digits and lower-case letters have it. */
const lowerBit = 0x20
const blank = 0x20

function writeWord(
  input: Uint8Array,
  from: number,
  to: number,
  output: Uint8Array,
  start: number,
  withStops: boolean,
): number {
  let end = start
  let key = 0
  for (let at = from; at < to; at++) {
    const byte = (input[at] as number) | lowerBit
    key = (key << keyBits) | (byte & keyMask)
    output[end++] = byte
  }
  if (!withStops && to - from <= keyedMax && kindAt(input, from) !== digit && stopByKey.has(key)) return start
  output[end++] = blank
  return end
}

/** One word for a name of several parts, whatever joins them. */
function writeWhole(input: Uint8Array, from: number, to: number, output: Uint8Array, start: number): number {
  let end = start
  for (let at = from; at < to && end - start < wholeCharactersMax; at++)
    if (kindAt(input, at) > joiner) output[end++] = (input[at] as number) | lowerBit
  output[end++] = blank
  return end
}
