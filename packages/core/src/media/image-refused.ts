/** Image refused: why an image does not enter a Session, said to people (LL7). */
import { Data } from "effect"
import { imageGivenBytesMax } from "@holdfast/schema/media"

export type ImageRefusedCode =
  | "not_an_image"
  | "type"
  | "too_large"
  | "too_many_pixels"
  | "damaged"
  | "unavailable"

export class ImageRefused extends Data.TaggedError("ImageRefused")<{
  readonly code: ImageRefusedCode
  /** Names the image, says what is allowed and what to do. */
  readonly message: string
}> {}

/** A square of 8,192: what is decoded at once is bounded, whatever a small file says of itself. */
export const imagePixelsMax = 8_192 * 8_192

const types = "PNG, JPEG, GIF and WebP images"

/** The refusals of one image; its name is fit to be shown, or null. */
export function refusalsOf(name: string | null) {
  const image = name === null ? "The image" : `The image ${JSON.stringify(name)}`
  const refuse = (code: ImageRefusedCode, rest: string) =>
    new ImageRefused({ code, message: `${image} ${rest}` })
  return {
    notAnImage: () =>
      refuse("not_an_image", `is no image, whatever its name says. Give one of these: ${types}.`),
    type: (what: string) =>
      refuse("type", `is ${what}, which not every model takes. Convert it to one of these: ${types}.`),
    tooLarge: () =>
      refuse(
        "too_large",
        `has more than ${imageGivenBytesMax / 1_048_576} MiB, which is the most that can be given. Make it smaller and give it again.`,
      ),
    tooManyPixels: (width: number, height: number) =>
      refuse(
        "too_many_pixels",
        `has ${width} × ${height} pixels; at most ${Math.floor(imagePixelsMax / 1e6)} million can be given. Scale it down and give it again.`,
      ),
    damaged: () =>
      refuse(
        "damaged",
        "is cut off or damaged and cannot be shown. Save or download it anew, then give it again.",
      ),
    unavailable: (why: string) =>
      refuse(
        "unavailable",
        `cannot be taken: the package sharp, which reads images, does not load on this machine (${why}). Install it where Holdfast is installed (npm install sharp), or go on without images.`,
      ),
  }
}
