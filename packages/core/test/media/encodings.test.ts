import { imageEncodedBytesMax } from "@holdfast/schema/media"
import { expect, test } from "vitest"
import { type ImageShape, canKeep, encodingsOf } from "../../src/media/encodings.ts"

const shape: ImageShape = {
  type: "image/png",
  bytes: 1_000,
  width: 2_000,
  height: 2_000,
  frames: 1,
  hasAlpha: false,
  upright: true,
  screenColours: true,
  ended: true,
}
const bytesMax = (imageEncodedBytesMax / 4) * 3

test.each<readonly [Partial<ImageShape>, boolean]>([
  [{}, true],
  [{ width: 2_001 }, false],
  [{ height: 2_001 }, false],
  [{ bytes: bytesMax }, true],
  [{ bytes: bytesMax + 1 }, false],
  [{ type: "image/gif" }, false],
  [{ type: "image/webp" }, true],
  [{ type: "image/webp", frames: 2 }, false],
  [{ upright: false }, false],
  [{ screenColours: false }, false],
  [{ ended: false }, false],
])("[LL7] %j is kept: %j", (change, kept) => expect(canKeep({ ...shape, ...change })).toBe(kept))

test.each<readonly [Partial<ImageShape>, readonly string[]]>([
  [{}, ["image/png", "image/jpeg"]],
  [{ hasAlpha: true }, ["image/png", "image/webp"]],
  [{ type: "image/jpeg" }, ["image/jpeg"]],
  [{ type: "image/webp" }, ["image/webp"]],
  [{ type: "image/gif" }, ["image/png", "image/jpeg"]],
  [{ type: "image/webp", frames: 2, hasAlpha: true }, ["image/png", "image/webp"]],
])("[LL7] %j is tried as %j, then worse, then smaller", (change, types) => {
  const encodings = encodingsOf({ ...shape, ...change })
  expect([...new Set(encodings.map(({ type }) => type))]).toEqual(types)
  expect(
    encodings.filter(({ type }) => type === types.at(-1)).map((one) => [one.sideMax, one.quality]),
  ).toEqual([
    [2_000, 85],
    [2_000, 70],
    [2_000, 55],
    [1_500, 55],
    [1_000, 55],
    [500, 55],
  ])
})
