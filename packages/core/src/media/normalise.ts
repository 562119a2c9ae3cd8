/**
 * Normalise: from the bytes that somebody gives to an image that every model takes (LL7).
 *
 *   sniff ─ not allowed ──────────────▶ refused
 *         ─ header ─ too many pixels ─▶ refused
 *                  ─ within limits ── decoded without complaint ──▶ kept byte for byte
 *                  ─ otherwise ────── decoded, scaled, encoded ──▶ made anew
 *                                  ── not decodable ──▶ refused
 *
 * Nothing is stored that was not decoded to its end: a provider would refuse it, with every later
 * request of the Session. The same bytes give the same image. A step of the work is not
 * interrupted, so its permit is held as long as its thread works; between steps it can be.
 */
import { hash } from "node:crypto"
import { Effect, Semaphore } from "effect"
import { type ImageType, type Media, imageGivenBytesMax, imageSideMax } from "@holdfast/schema/media"
import { type Encoding, type ImageShape, canKeep, encodingsOf, fitsEncoded } from "./encodings.ts"
import { type ImageEngine, type LoadEngine, imagesAtOnceMax, loadSharp, openEngine } from "./image-engine.ts"
import { imageName } from "./image-name.ts"
import { type ImageRefused, imagePixelsMax, refusalsOf } from "./image-refused.ts"
import { sniffType } from "./image-type.ts"

export interface StoredImage {
  readonly media: Media
  readonly bytes: Uint8Array
}

export interface NormalisedImage extends StoredImage {
  /** Pixels of what was given, upright. */
  readonly given: { readonly width: number; readonly height: number }
}

export interface GivenImage {
  readonly bytes: Uint8Array
  readonly name: string | null
}

const permits = Semaphore.makeUnsafe(imagesAtOnceMax)

export const normaliseImage = Effect.fnUntraced(function* (
  given: GivenImage,
  load: LoadEngine = loadSharp,
): Effect.fn.Return<NormalisedImage, ImageRefused> {
  const name = imageName(given.name)
  const refusals = refusalsOf(name)
  const sniffed = sniffType(given.bytes)
  if (sniffed.kind === "unknown") return yield* refusals.notAnImage()
  if (sniffed.kind === "other") return yield* refusals.type(sniffed.what)
  if (given.bytes.length > imageGivenBytesMax) return yield* refusals.tooLarge()
  const engine = yield* openEngine(load).pipe(Effect.mapError(refusals.unavailable))
  const work = Effect.gen(function* () {
    const shape = yield* decoding(() => readShape(engine, given.bytes, sniffed.type))
    if (shape === null) return yield* refusals.damaged()
    const { width, height } = shape
    if (width * height > imagePixelsMax) return yield* refusals.tooManyPixels(width, height)
    const image = yield* settle(engine, given.bytes, shape)
    if (image === null) return yield* refusals.damaged()
    return { ...stored(image, name), given: { width, height } }
  })
  return yield* permits.withPermit(work)
})

interface Encoded {
  readonly type: ImageType
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

/** The image to store, or null if it cannot be decoded. */
const settle = Effect.fnUntraced(function* (
  engine: ImageEngine,
  bytes: Uint8Array,
  shape: ImageShape,
): Effect.fn.Return<Encoded | null> {
  if (canKeep(shape) && (yield* decoding(() => decodeAll(engine, bytes))) !== null) {
    return { type: shape.type, bytes, width: shape.width, height: shape.height }
  }
  const pixels = yield* decoding(() => readPixels(engine, bytes))
  if (pixels === null) return null
  for (const encoding of encodingsOf(shape)) {
    const made = yield* Effect.uninterruptible(Effect.promise(() => encode(engine, pixels, encoding)))
    if (fitsEncoded(made.bytes.length)) return made
  }
  return yield* Effect.die(new Error("The smallest encoding of an image is above the limit."))
})

/** What the engine reads out of foreign bytes; null if it cannot, whatever its reason. */
const decoding = <A>(read: () => Promise<A>): Effect.Effect<A | null> =>
  Effect.uninterruptible(Effect.tryPromise(read)).pipe(Effect.catch(() => Effect.succeed(null)))

async function readShape(
  engine: ImageEngine,
  bytes: Uint8Array,
  type: ImageType,
): Promise<ImageShape | null> {
  const found = await engine(bytes, { limitInputPixels: false }).metadata()
  if (`image/${found.format}` !== type) return null
  return {
    type,
    bytes: bytes.length,
    width: found.autoOrient.width,
    height: found.autoOrient.height,
    frames: found.pages ?? 1,
    hasAlpha: found.hasAlpha,
    upright: (found.orientation ?? 1) === 1,
    screenColours: found.space !== "cmyk",
    ended: hasEnd(bytes, type),
  }
}

/** PNG and GIF are decoded without complaint when only their last mark is missing. */
function hasEnd(bytes: Uint8Array, type: ImageType): boolean {
  const tail = Buffer.from(bytes.subarray(-8)).toString("latin1")
  if (type === "image/png") return tail === "IEND\xae\x42\x60\x82"
  return type !== "image/gif" || tail.endsWith(";")
}

/** Decodes every frame and forgets it: one byte a pixel, so that even an animation is bounded. */
async function decodeAll(engine: ImageEngine, bytes: Uint8Array): Promise<true> {
  const settings = { animated: true, failOn: "warning", limitInputPixels: imagePixelsMax } as const
  await engine(bytes, settings).greyscale().removeAlpha().raw().toBuffer()
  return true
}

interface Pixels {
  readonly data: Uint8Array
  readonly raw: { readonly width: number; readonly height: number; readonly channels: 1 | 2 | 3 | 4 }
}

/** The first frame, upright and within the longest side; all encodings begin with these. */
async function readPixels(engine: ImageEngine, bytes: Uint8Array): Promise<Pixels> {
  const settings = { autoOrient: true, failOn: "error", limitInputPixels: imagePixelsMax } as const
  const { data, info } = await engine(bytes, settings)
    .resize(within(imageSideMax))
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, raw: { width: info.width, height: info.height, channels: info.channels } }
}

async function encode(engine: ImageEngine, pixels: Pixels, encoding: Encoding): Promise<Encoded> {
  const { type, sideMax, quality } = encoding
  const scaled = engine(pixels.data, { raw: pixels.raw }).resize(within(sideMax))
  const written =
    type === "image/png"
      ? scaled.png()
      : type === "image/webp"
        ? scaled.webp({ quality, alphaQuality: quality, effort: 2 })
        : scaled.jpeg({ quality })
  const { data, info } = await written.toBuffer({ resolveWithObject: true })
  return { type, bytes: data, width: info.width, height: info.height }
}

const within = (side: number) =>
  ({ width: side, height: side, fit: "inside", withoutEnlargement: true }) as const

function stored({ type, bytes, width, height }: Encoded, name: string | null): StoredImage {
  const media = { hash: hash("sha256", bytes), mediaType: type, bytes: bytes.length, width, height, name }
  return { media, bytes }
}
