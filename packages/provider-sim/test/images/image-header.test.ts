/** Image headers: type and size of every form, and nothing of what is cut off or no image. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { readImageHeader } from "../../src/image/header.ts"
import { gif, jpeg, png, webp } from "../pictures.ts"

const forms = [
  ["a PNG", "image/png", png, 70_000],
  ["a JPEG", "image/jpeg", jpeg, 65_535],
  ["a GIF", "image/gif", gif, 65_535],
  ["a lossy WebP", "image/webp", (w, h) => webp(w, h, "VP8 "), 16_383],
  ["a lossless WebP", "image/webp", (w, h) => webp(w, h, "VP8L"), 16_384],
  ["an extended WebP", "image/webp", (w, h) => webp(w, h, "VP8X"), 1 << 24],
] satisfies readonly (readonly [string, string, (w: number, h: number) => Buffer, number])[]

test.each(forms)("tells the size of %s", (_, mediaType, make, sideMax) => {
  for (const [width, height] of [
    [800, 600],
    [sideMax, 1],
    [1, Math.min(sideMax, 20_000)],
  ] as const) {
    expect(readImageHeader(make(width, height))).toEqual({ mediaType, width, height })
  }
})

test.each(forms)("takes %s that was cut off for none", (_, __, make) => {
  const bytes = make(800, 600)
  for (let end = 0; end < bytes.length; end++) expect(readImageHeader(bytes.subarray(0, end))).toBeUndefined()
})

test.each([
  ["a text", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")],
  ["nothing", Buffer.alloc(0)],
  ["a picture without height", png(8, 0)],
])("takes %s for no image", (_, bytes) => expect(readImageHeader(bytes)).toBeUndefined())

test("takes any bytes without a crash", () => {
  const heads = forms.map(([, , make]) => make(9, 9).subarray(0, 16))
  const bytes = fc.tuple(fc.constantFrom(Buffer.alloc(0), ...heads), fc.uint8Array({ maxLength: 60 }))
  fc.assert(
    fc.property(bytes, ([head, tail]) => {
      const header = readImageHeader(Buffer.concat([head, tail]))
      if (header !== undefined) expect(Math.min(header.width, header.height)).toBeGreaterThan(0)
    }),
    { seed: 7, numRuns: 2_000 },
  )
})
