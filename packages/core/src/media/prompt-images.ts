/** Images of a prompt, made fit before anything is admitted (LL7), as an admission brings them. */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { imageBytesShownMax } from "@holdfast/recall"
import { PromptRefused } from "@holdfast/schema/error"
import { encodedBytes, imagesTogetherMax } from "@holdfast/schema/media"
import type { Admit } from "@holdfast/store/port"
import type { ImageRefused } from "./image-refused.ts"
import { type GivenImage, normaliseImage, type StoredImage } from "./normalise.ts"

export type NormaliseImage = (given: GivenImage) => Effect.Effect<StoredImage, ImageRefused>

export const promptImages = Effect.fnUntraced(function* (
  given: readonly GivenImage[],
  normalise: NormaliseImage = normaliseImage,
): Effect.fn.Return<Pick<Admit, "images" | "blobs">, PromptRefused> {
  if (given.length === 0) return {}
  if (given.length > imagesTogetherMax) {
    return yield* refused(
      `The prompt brings ${given.length} images; the limit is ${imagesTogetherMax}. Send fewer at once.`,
    )
  }
  const images = yield* Effect.forEach(
    given,
    (image) => Effect.map(normalise(image), (stored) => withGiven(stored, image)),
    { concurrency: 2 },
  ).pipe(Effect.catchTag("ImageRefused", ({ message }) => refused(message)))
  const bytes = images.reduce((sum, { media }) => sum + encodedBytes(media.bytes), 0)
  if (bytes > imageBytesShownMax) {
    return yield* refused(
      `The images of the prompt take ${bytes} bytes together; the limit is ${imageBytesShownMax}. Send them in several prompts.`,
    )
  }
  return {
    images: images.map(({ media }) => media),
    blobs: images.map(({ media, bytes: own }) => ({ hash: media.hash, bytes: own })),
  }
})

/** PR2: a repeat is known by what was given, whatever was made of it. */
function withGiven({ media, bytes }: StoredImage, image: GivenImage): StoredImage {
  const given = bytes === image.bytes ? media.hash : hash("sha256", image.bytes)
  return { media: given === media.hash ? media : { ...media, given }, bytes }
}

const refused = (message: string): PromptRefused => new PromptRefused({ code: "image", message })
