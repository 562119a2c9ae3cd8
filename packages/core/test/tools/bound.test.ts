import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { boundOutput, boundWithEnding, countLines } from "../../src/tools/bound.ts"

const anyText = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\0", "\ud800", "\udc00", " "),
    maxLength: 600,
    size: "max",
  }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(fc.string({ maxLength: 40 }), { maxLength: 60 }).map((lines) => lines.join("\n")),
)
const anyLimits = fc.record({
  linesMax: fc.integer({ min: 0, max: 40 }),
  bytesMax: fc.integer({ min: 0, max: 400 }),
})
const legal = (text: string) => text.toWellFormed().replaceAll("\0", "\uFFFD")
const markerPattern = /\[left out here: (\d+) of (\d+) lines, (\d+) of (\d+) bytes\]/

describe("boundOutput", () => {
  test("[TO1] keeps every result within both limits, marker included", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const bounded = boundOutput(text, limits)
        expect(countLines(bounded.text)).toBeLessThanOrEqual(limits.linesMax)
        expect(Buffer.byteLength(bounded.text)).toBeLessThanOrEqual(limits.bytesMax)
      }),
      { numRuns: 1_000 },
    )
  })

  test("[TO1] leaves a text within the limits as it is", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(boundOutput(text)).toEqual({ text: legal(text), truncated: null })
      }),
    )
  })

  test("[TO1] counts 2,000 lines and 51,200 bytes as the default limits", () => {
    expect(boundOutput("x\n".repeat(2_000)).truncated).toBeNull()
    expect(boundOutput("x\n".repeat(2_001)).truncated?.linesTotal).toBe(2_001)
    expect(boundOutput("x".repeat(51_200)).truncated).toBeNull()
    expect(boundOutput("x".repeat(51_201)).truncated?.bytesTotal).toBe(51_201)
  })

  test("[TO2] keeps the beginning and the end and adds up what is left out", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const { text: result, truncated } = boundOutput(text, limits)
        const match = markerPattern.exec(result)
        if (truncated === null || match === null) return
        const [head, tail] = [result.slice(0, match.index), result.slice(match.index + match[0].length + 1)]
        const whole = legal(text)
        expect(whole.startsWith(head) || whole.startsWith(head.slice(0, -1))).toBe(true)
        expect(whole.endsWith(tail)).toBe(true)
        expect(Number(match[1])).toBe(truncated.linesTotal - truncated.linesKept)
        expect(Number(match[3])).toBe(truncated.bytesTotal - truncated.bytesKept)
        expect(truncated.linesTotal).toBe(countLines(whole))
        expect(truncated.bytesTotal).toBe(Buffer.byteLength(whole))
      }),
      { numRuns: 1_000 },
    )
  })

  test("[TO2] never splits a code point and never holds NUL or half a pair", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const result = boundOutput(text, limits).text
        expect(result.isWellFormed()).toBe(true)
        expect(result).not.toContain("\0")
        const known = new Set(legal(text))
        for (const point of result.replace(/\[left out[^\n]*/, "")) {
          expect(known.has(point) || point === "\n" || limits.bytesMax < 100).toBe(true)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test("[TO2] shows numbered lines from both sides around one marker line", () => {
    const text = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n")
    expect(boundOutput(text, { linesMax: 5, bytesMax: 1_000 })).toEqual({
      text: "line 1\nline 2\n[left out here: 96 of 100 lines, 761 of 791 bytes]\nline 99\nline 100",
      truncated: { linesTotal: 100, bytesTotal: 791, linesKept: 4, bytesKept: 30 },
    })
  })

  test("[TO2] leaves the marker alone where the limits are too small for more", () => {
    const marker = "[left out here: 100 of 100 lines, 199 of 199 bytes]"
    const text = Array(100).fill("x").join("\n")
    expect(boundOutput(text, { linesMax: 1, bytesMax: 1_000 }).text).toBe(marker)
    expect(boundOutput(text, { linesMax: 50, bytesMax: 10 }).text).toBe(marker.slice(0, 10))
  })

  test("[TO2] is idempotent", () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const once = boundOutput(text, limits).text
        expect(boundOutput(once, limits)).toEqual({ text: once, truncated: null })
      }),
      { numRuns: 2_000 },
    )
  })

  test("[TO2] cuts one line of 50 MB in linear time", () => {
    const startedAt = performance.now()
    const bounded = boundOutput("é".repeat(25_000_000))
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    expect(bounded.truncated).toMatchObject({ linesTotal: 1, linesKept: 1, bytesTotal: 50_000_000 })
    expect(Buffer.byteLength(bounded.text)).toBeGreaterThan(51_000)
  })

  test("[TO2] adds what was left out before to the totals", () => {
    const earlier = { lines: 10, bytes: 1_000 }
    expect(boundOutput("a\nb\n", undefined, earlier)).toEqual({
      text: "a\nb\n",
      truncated: { linesTotal: 12, bytesTotal: 1_004, linesKept: 2, bytesKept: 4 },
    })
  })
})

test("[TO1] counts the last line of an interrupted call too", () => {
  fc.assert(
    fc.property(anyText, anyLimits, (text, limits) => {
      const bounded = boundWithEnding(text, "[interrupted]", limits)
      expect(countLines(bounded.text)).toBeLessThanOrEqual(limits.linesMax)
      expect(Buffer.byteLength(bounded.text)).toBeLessThanOrEqual(limits.bytesMax)
      if (limits.linesMax > 0 && limits.bytesMax > 13)
        expect(bounded.text.endsWith("[interrupted]")).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})
