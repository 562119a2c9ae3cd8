/** The buffer of a terminal against all that was ever put into it. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { OutputBuffer } from "../../src/pty/output-buffer.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test("[PT1] a cursor counts all bytes since the start, also those that are gone", () => {
  const buffer = new OutputBuffer(8)
  buffer.append(bytesOf("abcdef"))
  expect([buffer.start, buffer.end]).toEqual([0, 6])
  buffer.append(bytesOf("ghij"))
  expect([buffer.start, buffer.end]).toEqual([2, 10])
  expect(textOf(buffer.read(2, 100))).toBe("cdefghij")
  expect(textOf(buffer.read(9, 100))).toBe("j")
  expect(textOf(buffer.read(10, 100))).toBe("")
})

test("[PT1] of a piece that is larger than all of it, the end is kept", () => {
  const buffer = new OutputBuffer(4)
  buffer.append(bytesOf("ab"))
  buffer.append(bytesOf("cdefghij"))
  expect([buffer.start, buffer.end, textOf(buffer.read(6, 4))]).toEqual([6, 10, "ghij"])
})

test("[PT1] whatever is kept is what was put in, from any cursor on", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70_000 }),
      fc.array(fc.uint8Array({ maxLength: 30_000, size: "max" }), { maxLength: 12 }),
      fc.nat(),
      (bytesMax, pieces, place) => {
        const buffer = new OutputBuffer(bytesMax)
        for (const piece of pieces) buffer.append(piece)
        const all = Buffer.concat(pieces)
        expect([buffer.end, buffer.start]).toEqual([all.length, Math.max(0, all.length - bytesMax)])
        const from = buffer.start + (place % (buffer.end - buffer.start + 1))
        expect(Buffer.from(buffer.read(from, 1_000)).equals(all.subarray(from, from + 1_000))).toBe(true)
        expect(Buffer.from(buffer.read(from, bytesMax)).equals(all.subarray(from))).toBe(true)
      },
    ),
    { numRuns: 40, seed: 3 },
  ))
