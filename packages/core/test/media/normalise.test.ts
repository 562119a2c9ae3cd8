import { createHash } from "node:crypto"
import { type ImageType, encodedBytes, imageEncodedBytesMax } from "@holdfast/schema/media"
import { Effect, Exit, Fiber } from "effect"
import sharp, { type Sharp } from "sharp"
import { describe, expect, test } from "vitest"
import { loadSharp } from "../../src/media/image-engine.ts"
import { normaliseImage } from "../../src/media/normalise.ts"
import { type Size, frames, noise, pixelAt, plain, take } from "./images.ts"

const small = { width: 40, height: 30 }

describe("what is within the limits", () => {
  const kinds: readonly (readonly [ImageType, () => Promise<Sharp>])[] = [
    ["image/png", async () => noise(small).png()],
    ["image/jpeg", async () => noise(small).jpeg()],
    ["image/webp", async () => noise(small).webp()],
    ["image/png", async () => noise({ ...small, channels: 4 }).png({ progressive: true })],
    ["image/jpeg", async () => noise(small).jpeg({ progressive: true })],
    ["image/png", async () => plain({ width: 2_000, height: 1 }).png()],
  ]
  for (const [type, make] of kinds) {
    test(`[LL7] keeps ${type} byte for byte`, async () => {
      const image = await make()
      const bytes = await image.toBuffer()
      const { width, height } = await sharp(bytes).metadata()
      const stored = await take(bytes)
      expect(Buffer.compare(stored.bytes, bytes)).toBe(0)
      expect(stored.media).toEqual({
        hash: createHash("sha256").update(bytes).digest("hex"),
        mediaType: type,
        bytes: bytes.length,
        width,
        height,
        name: "picture",
      })
    })
  }

  test("[LL7] is told by its bytes, whatever its name says", async () => {
    const bytes = await noise(small).webp().toBuffer()
    expect((await take(bytes, "photo.png")).media).toMatchObject({
      mediaType: "image/webp",
      name: "photo.png",
    })
  })
})

describe("what is above the limits", () => {
  const large = { width: 2_400, height: 1_800 }
  const own: readonly (readonly [string, Size, (image: Sharp) => Sharp, ImageType])[] = [
    ["png", { width: 4_000, height: 3_000 }, (image) => image.png(), "image/png"],
    ["jpeg", { width: 4_000, height: 3_000 }, (image) => image.jpeg(), "image/jpeg"],
    ["webp", large, (image) => image.webp({ effort: 0 }), "image/webp"],
    ["gif", large, (image) => image.gif({ effort: 1 }), "image/png"],
  ]
  for (const [kind, size, write, type] of own) {
    test(`[LL7] makes a ${kind} of ${size.width} × ${size.height} one of 2000 × 1500, as ${type}`, async () => {
      const { media, bytes, given } = await take(await write(plain(size)).toBuffer())
      expect(media).toMatchObject({ mediaType: type, width: 2_000, height: 1_500, bytes: bytes.length })
      expect(given).toEqual(size)
      expect(await sharp(bytes).metadata()).toMatchObject({
        format: type.slice("image/".length),
        width: 2_000,
        height: 1_500,
      })
    })
  }

  test("[LL7] makes the longer side 2,000, and no side nothing", async () => {
    const tall = await take(await plain({ width: 1_000, height: 8_000 }).png().toBuffer())
    expect(tall.media).toMatchObject({ width: 250, height: 2_000 })
    const line = await take(await plain({ width: 9_000, height: 1 }).png().toBuffer())
    expect(line.media).toMatchObject({ width: 2_000, height: 1 })
  })

  const heavy: readonly (readonly [string, () => Sharp, ImageType])[] = [
    ["an opaque png", () => noise({ width: 1_500, height: 1_500 }).png(), "image/jpeg"],
    ["a png with alpha", () => noise({ width: 1_300, height: 1_000, channels: 4 }).png(), "image/webp"],
    [
      "a jpeg",
      () => noise({ width: 1_300, height: 1_300 }).jpeg({ quality: 100, chromaSubsampling: "4:4:4" }),
      "image/jpeg",
    ],
  ]
  for (const [what, make, type] of heavy) {
    test(`[LL7] makes ${what} above 5 MiB encoded fit, as ${type}`, async () => {
      const given = await make().toBuffer()
      expect(encodedBytes(given.length)).toBeGreaterThan(imageEncodedBytesMax)
      const { media, bytes } = await take(given)
      expect(encodedBytes(bytes.length)).toBeLessThanOrEqual(imageEncodedBytesMax)
      expect(media.mediaType).toBe(type)
      expect((await sharp(bytes).metadata()).hasAlpha).toBe(type === "image/webp")
    })
  }

  test("[LL7] keeps alpha of a png that is made smaller", async () => {
    const { media, bytes } = await take(
      await plain({ width: 2_100, height: 90, channels: 4 }).png().toBuffer(),
    )
    expect(media).toMatchObject({ mediaType: "image/png", width: 2_000 })
    expect((await pixelAt(bytes, 5, 5)).at(3)).toBe(128)
  })

  test("[LL7] makes a PNG of a GIF, since not every wire takes one, and of the first frame of an animation", async () => {
    const still = await take(await noise(small).gif().toBuffer())
    expect(still.media).toMatchObject({ mediaType: "image/png", ...small })
    for (const kind of ["gif", "webp"] as const) {
      const { media, bytes } = await take(
        await (await frames(2, { width: 2_200, height: 20 }))[kind]().toBuffer(),
      )
      expect(media).toMatchObject({ mediaType: "image/png", width: 2_000, height: 18 })
      expect((await sharp(bytes).metadata()).pages ?? 1).toBe(1)
    }
  })
})

test("[LL7] turns an image that EXIF says is turned, and says its upright size", async () => {
  const left = plain({ width: 60, height: 40 }).composite([
    { input: { create: { width: 10, height: 40, channels: 3, background: "#fff" } }, left: 0, top: 0 },
  ])
  for (const kind of ["jpeg", "png", "webp"] as const) {
    const turned = sharp(await left.clone().png().toBuffer()).withMetadata({ orientation: 6 })
    const { media, bytes, given } = await take(await turned[kind]().toBuffer())
    expect(media).toMatchObject({ mediaType: `image/${kind}`, width: 40, height: 60 })
    expect(given).toEqual({ width: 40, height: 60 })
    expect((await sharp(bytes).metadata()).orientation ?? 1).toBe(1)
    // A quarter clockwise brings the left edge to the top.
    expect((await pixelAt(bytes, 20, 2)).at(0)).toBeGreaterThan(220)
    expect((await pixelAt(bytes, 20, 50)).at(0)).toBeLessThan(60)
  }
})

test("[LL7] makes CMYK the colours of a screen", async () => {
  const { media, bytes } = await take(await noise(small).toColourspace("cmyk").jpeg().toBuffer())
  expect(media.mediaType).toBe("image/jpeg")
  expect((await sharp(bytes).metadata()).space).toBe("srgb")
})

test("[LL7] mends what can be decoded and yet is not in order", async () => {
  const png = await noise(small).png().toBuffer()
  const gif = await noise(small).gif().toBuffer()
  const jpeg = await noise({ width: 300, height: 200 }).jpeg().toBuffer()
  const stray = Buffer.concat([
    jpeg.subarray(0, jpeg.length / 2),
    Buffer.from([0xff, 0xd5, 0, 1]),
    jpeg.subarray(jpeg.length / 2),
  ])
  for (const bytes of [png.subarray(0, -12), gif.subarray(0, -1), stray]) {
    const stored = await take(bytes)
    expect(Buffer.compare(stored.bytes, bytes)).not.toBe(0)
    await expect(sharp(stored.bytes, { failOn: "warning" }).raw().toBuffer()).resolves.toBeDefined()
  }
})

test("[LL7] makes the same of the same bytes", async () => {
  const given = [
    await noise({ width: 1_200, height: 1_200 }).png().toBuffer(),
    await noise({ width: 2_100, height: 90 }).webp({ effort: 0 }).toBuffer(),
  ]
  for (const bytes of given) {
    const [first, second] = await Promise.all([take(bytes), take(Buffer.from(bytes))])
    expect(second.media).toEqual(first.media)
  }
})

test("loads the engine for an image that could be taken, and not for others", async () => {
  let loads = 0
  const load = () => {
    loads += 1
    return loadSharp()
  }
  const png = await noise(small).png().toBuffer()
  await Effect.runPromise(Effect.flip(normaliseImage({ bytes: Buffer.from("text"), name: null }, load)))
  expect(loads).toBe(0)
  await Effect.runPromise(normaliseImage({ bytes: png, name: null }, load))
  expect(loads).toBe(1)
})

/** The engine, each of whose works goes through `around`. */
const engineWith = (around: <A>(work: () => Promise<A>) => Promise<A>) => async () =>
  new Proxy(await loadSharp(), {
    apply: (make, _, [input, settings]: Parameters<typeof sharp>) => {
      const image = make(input, settings)
      const { metadata, toBuffer } = image
      return Object.assign(image, {
        metadata: () => around(() => metadata.call(image)),
        toBuffer: (options: { resolveWithObject: true }) => around(() => toBuffer.call(image, options)),
      })
    },
  })

test("works on at most two images at a time", async () => {
  const bytes = await plain({ width: 2_400, height: 2_400 }).png().toBuffer()
  const at = { once: 0, most: 0 }
  const load = engineWith(async (work) => {
    at.once += 1
    at.most = Math.max(at.most, at.once)
    return work().finally(() => (at.once -= 1))
  })
  const all = Array.from({ length: 5 }, () => Effect.runPromise(normaliseImage({ bytes, name: null }, load)))
  expect(await Promise.all(all)).toHaveLength(5)
  expect(at).toEqual({ once: 0, most: 2 })
})

test("gives up at once an image that waits for its turn", async () => {
  const bytes = await noise(small).png().toBuffer()
  const gate = Promise.withResolvers<void>()
  const load = engineWith(async (work) => gate.promise.then(work))
  const begin = () => Effect.runFork(normaliseImage({ bytes, name: null }, load))
  const [first, second, waiting] = [begin(), begin(), begin()]
  await turnOfLoop()
  waiting.interruptUnsafe()
  expect(Exit.hasInterrupts(await Effect.runPromise(Fiber.await(waiting)))).toBe(true)
  gate.resolve()
  for (const busy of [first, second])
    expect(await Effect.runPromise(Fiber.join(busy))).toMatchObject({ media: small })
})

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))
