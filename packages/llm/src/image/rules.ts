/**
 * What each wire takes of images, as data (LL3, LL7).
 *
 * Marks: `documented` by the provider, `recorded` in traffic or public reports, `assumed` to be the
 * safe choice. Null: nothing is known that could be passed.
 */
import { imageEncodedBytesMax, imageTypes } from "@holdfast/schema/media"

export interface ImageRules {
  readonly types: readonly string[]
  /** Bytes of base64 of one image. */
  readonly encodedBytesMax: number
  /** Images of one request. */
  readonly perRequestMax: number | null
  /** Images of one message. */
  readonly perMessageMax: number | null
  /** Bytes of the whole body. */
  readonly bodyBytesMax: number | null
}

const ours: ImageRules = {
  types: imageTypes,
  encodedBytesMax: imageEncodedBytesMax,
  perRequestMax: null,
  perMessageMax: null,
  bodyBytesMax: null,
}

const megabyte = 1_000_000

export const anthropicImages: ImageRules = {
  ...ours, // recorded: image exceeds 5 MB maximum, counted as 5,242,880 bytes of base64
  perRequestMax: 100, // documented
  bodyBytesMax: 32 * megabyte, // documented
}

export const openaiImages: ImageRules = {
  ...ours,
  perRequestMax: 500, // documented
  bodyBytesMax: 50 * megabyte, // documented
}

export const geminiImages: ImageRules = {
  ...ours,
  types: ["image/png", "image/jpeg", "image/webp"], // documented: no GIF
  perRequestMax: 3_600, // documented
  bodyBytesMax: 20 * megabyte, // documented: a request with inline data
}

export const bedrockImages: ImageRules = {
  ...ours, // documented: 3.75 MB before base64, which are 5 MiB of it
  perMessageMax: 20, // documented
  bodyBytesMax: 25 * megabyte, // assumed: the limit of its other operations
}

/** What stands behind a model object is not known. */
export const aiSdkImages: ImageRules = ours
