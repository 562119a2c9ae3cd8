/** Measures of images, from the first bytes of each form. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { imageSize } from "../../src/image/size.ts"

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ""), "hex")

describe("[LL7] width and height", () => {
  test.each<readonly [form: string, size: readonly [number, number] | null, hex: string]>([
    ["PNG", [800, 600], "89504e470d0a1a0a 0000000d 49484452 00000320 00000258 08060000"],
    ["GIF", [258, 3], "474946383961 0201 0300 00"],
    ["old GIF", [1, 1], "474946383761 0100 0100 00"],
    ["WebP, extended", [1_000, 500], "52494646 00000000 57454250 56503858 0a000000 00000000 e70300 f30100"],
    ["WebP, lossless", [3, 2], "52494646 00000000 57454250 5650384c 05000000 2f 02400000 0000000000"],
    ["WebP, lossy", [16, 9], "52494646 00000000 57454250 56503820 0a000000 000000 9d012a 1000 0900"],
    ["JPEG", [3, 2], "ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 0002 0003 0301"],
    ["JPEG, progressive, behind fill bytes", [3, 2], "ffd8 ff ff ffc4 0003 00 ffc2 0011 08 0002 0003 0301"],
    ["JPEG without a frame", null, "ffd8 ffe0 0004 0000 ffd9 00000000000000"],
    ["a PNG of nothing", null, "89504e470d0a1a0a 0000000d 49484452 00000000 00000258 08060000"],
    ["WebP of another kind", null, "52494646 00000000 57454250 58585858 0a000000 00000000 e70300 f30100"],
    ["text", null, "68656c6c6f"],
    ["nothing", null, ""],
  ])("%s", (_, size, hex) => {
    expect(imageSize(bytes(hex))).toEqual(size && { width: size[0], height: size[1] })
  })

  test("any bytes give a size or none, and never throw", () => {
    const starts = [
      "",
      "89504e470d0a1a0a0000000d49484452",
      "474946383961",
      "ffd8ff",
      "524946460000000057454250",
    ]
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
        const size = imageSize(Buffer.concat([bytes(start), rest]))
        expect(size === null || (size.width > 0 && size.height > 0)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
