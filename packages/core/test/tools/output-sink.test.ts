import * as fc from "fast-check"
import { expect, test } from "vitest"
import { boundOutput, countLines } from "../../src/tools/bound.ts"
import { createOutputSink, liveUnitsMax } from "../../src/tools/output-sink.ts"

test("keeps everything while it fits, in whatever pieces it comes", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 20 }), { maxLength: 10 }), (pieces) => {
      const sink = createOutputSink({ unitsMax: 200 })
      for (const piece of pieces) sink.write(piece)
      expect(sink.text).toBe(pieces.join(""))
      expect(sink.omitted).toEqual({ lines: 0, bytes: 0 })
    }),
  )
})

test("[TO2] bounds to the same ends and totals as the complete text would", () => {
  const limits = { linesMax: 20, bytesMax: 300 }
  const piece = fc.string({ unit: fc.constantFrom("a", "b", "é", "\n"), maxLength: 120, size: "max" })
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40, size: "max" }), (pieces) => {
      const sink = createOutputSink({ unitsMax: limits.bytesMax })
      for (const text of pieces) sink.write(text)
      const whole = pieces.join("")
      expect(boundOutput(sink.text, limits, sink.omitted)).toEqual(boundOutput(whole, limits))
      expect(countLines(sink.text) + sink.omitted.lines).toBe(countLines(whole))
    }),
    { numRuns: 300 },
  )
})

test("holds no more than a small multiple of its limit", () => {
  const sink = createOutputSink({ unitsMax: 1_000 })
  for (let index = 0; index < 50_000; index += 1) sink.write("x".repeat(1_000))
  expect(sink.text.length).toBeLessThan(2_100)
  expect(sink.omitted.bytes + Buffer.byteLength(sink.text)).toBe(50_000_000)
})

test("[TO5] tells those who watch a limited part, and that it is one", () => {
  const told: string[] = []
  const sink = createOutputSink({ unitsMax: 1_000, onWrite: (text) => told.push(text) })
  for (let index = 0; index < 50; index += 1) sink.write("x".repeat(100_000))
  const live = told.join("")
  expect(live.length).toBeLessThan(liveUnitsMax + 100)
  expect(live).toMatch(/x\n\[live output is shown no further; the result of the call follows\]\n$/)
})
