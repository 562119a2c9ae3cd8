/**
 * Encodings: how an image is stored, decided from its shape alone (LL7).
 *
 * What every model takes is kept byte for byte. Anything else is made anew: in its own type first,
 * then with losses, then smaller, until it fits. The last of them always fits.
 */
import { type ImageType, encodedBytes, imageEncodedBytesMax, imageSideMax } from "@holdfast/schema/media"

export interface ImageShape {
  readonly type: ImageType
  readonly bytes: number
  /** As it is shown, after the rotation that EXIF asks for. */
  readonly width: number
  readonly height: number
  readonly frames: number
  readonly hasAlpha: boolean
  /** The pixels are stored as they are shown. */
  readonly upright: boolean
  /** Colours of a screen; CMYK is for printers, and not every model takes it. */
  readonly screenColours: boolean
  /** The file has the end that its type asks for. */
  readonly ended: boolean
}

export interface Encoding {
  readonly type: ImageType
  readonly sideMax: number
  /** From 1 to 100; it says nothing to PNG. */
  readonly quality: number
}

const qualities = [85, 70, 55] as const
const qualityLeast = 55
const sidesSmaller = [1_500, 1_000, 500] as const

export function canKeep(shape: ImageShape): boolean {
  return (
    Math.max(shape.width, shape.height) <= imageSideMax &&
    fitsEncoded(shape.bytes) &&
    // documented: Gemini takes no GIF; and not every model takes an animation.
    shape.type !== "image/gif" &&
    shape.frames === 1 &&
    shape.upright &&
    shape.screenColours &&
    shape.ended
  )
}

export const fitsEncoded = (bytes: number): boolean => encodedBytes(bytes) <= imageEncodedBytesMax

/** In the order of trying. */
export function encodingsOf(shape: ImageShape): readonly Encoding[] {
  // The first frame stands for an animation, and a still image is better off as PNG.
  const own = shape.type === "image/gif" || shape.frames > 1 ? "image/png" : shape.type
  const lossy = own === "image/webp" || shape.hasAlpha ? "image/webp" : "image/jpeg"
  return [
    ...(own === "image/png" ? [{ type: own, sideMax: imageSideMax, quality: 100 } as const] : []),
    ...qualities.map((quality) => ({ type: lossy, sideMax: imageSideMax, quality }) as const),
    ...sidesSmaller.map((sideMax) => ({ type: lossy, sideMax, quality: qualityLeast }) as const),
  ]
}
