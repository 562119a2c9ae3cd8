/** Frames that fit a mould: what is cut out of them is what parsing would have given. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { cutWords, type FrameMould, mouldOf } from "../../src/answer/frame-mould.ts"

const varying = ["pad", "count"]
const frameOf = (words: string, pad: string, count: number): string =>
  JSON.stringify({ type: "delta", at: { index: 0, text: words }, pad, more: [1, null], count, end: true })
const first = frameOf("first words", "abc", 12)
const mould = mouldOf(first, "first words", varying) as FrameMould

test.each([
  ["the same frame", first, "first words"],
  ["other words, padding and counts", frameOf("ä 世界 😀", "", 0), "ä 世界 😀"],
  ["no words", frameOf("", "abc", 12), ""],
  ["spaces before the last brace", first.replace(/\}$/, "   }"), "first words"],
  ["escapes", frameOf("a\nb\tc", "abc", 12), "a\nb\tc"],
  ["an escaped quote, which is read in full", frameOf('a"b', "abc", 12), null],
  ["a backslash at the end, which is read in full", frameOf("a\\", "abc", 12), null],
  ["padding with an escape", frameOf("a", 'a"b', 12), null],
  ["another value elsewhere", first.replace("null", "true"), null],
  ["another index", first.replace('"index":0', '"index":1'), null],
  ["a field more", first.replace(/\}$/, ',"error":"x"}'), null],
  ["a count that is none", first.replace("12", "012"), null],
  ["a count of another kind", first.replace("12", "-12"), null],
  ["a count that is left out", first.replace("12", ""), null],
  ["a break in the words", first.replace("first words", "first\nwords"), null],
  ["an escape that is none", first.replace("first words", "first\\qwords"), null],
  ["something behind the end", `${first}}`, null],
  ["an end that is missing", first.slice(0, -1), null],
  ["nothing", "", null],
])("[LL6] %s", (_, frame, words) => expect(cutWords(frame, mould)).toBe(words))

test.each([
  ["has the words twice", '{"a":"x","b":"x"}', "x"],
  ["has a backslash", String.raw`{"a":"x","b":"\\"}`, "x"],
  ["does not have the words", '{"a":"x"}', "y"],
  ["is no object", '"x"', "x"],
])("[LL6] a frame is no mould if it %s", (_, frame, words) => expect(mouldOf(frame, words, [])).toBeNull())

test("[LL6] whatever is cut out of a damaged frame is what it says, and all else is as in the mould", () => {
  const damage = fc.record({
    at: fc.nat(140),
    length: fc.nat(3),
    put: fc.oneof(
      fc.constantFrom('"', "\\", "}", " ", ",", "0", "\n", "\u0000", '\\"'),
      fc.string({ maxLength: 3 }),
    ),
  })
  const frames = fc.tuple(fc.string({ unit: "binary", maxLength: 12 }), fc.string({ maxLength: 5 }), fc.nat())
  const rest = ({ at, pad: _pad, count: _count, ...others }: Record<string, unknown>) => ({
    ...others,
    at: { ...(at as object), text: "" },
  })
  const parsed = rest(JSON.parse(first) as Record<string, unknown>)
  let fitting = 0
  fc.assert(
    fc.property(frames, fc.array(damage, { maxLength: 2 }), ([words, pad, count], damages) => {
      let frame = frameOf(words, pad, count)
      for (const { at, length, put } of damages) frame = frame.slice(0, at) + put + frame.slice(at + length)
      const cut = cutWords(frame, mould)
      if (cut === null) return
      fitting += 1
      const value = JSON.parse(frame) as Record<string, unknown>
      expect((value["at"] as Record<string, unknown>)["text"]).toBe(cut)
      expect(rest(value)).toEqual(parsed)
      expect(typeof value["pad"]).toBe("string")
      expect(typeof value["count"]).toBe("number")
    }),
    { numRuns: 1_000 },
  )
  expect(fitting).toBeGreaterThan(50)
})
