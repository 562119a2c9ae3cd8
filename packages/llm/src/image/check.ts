/**
 * Images in a request, checked against what its wire takes (LL3, LL7).
 *
 * An image is a hole of its block, whose size is known without its bytes, or the base64 that
 * somebody else wrote. Counts are part of a grammar's state, so each image is looked at once.
 */
import { encodedBytes } from "@holdfast/schema/media"
import { chainOf } from "../blocks.ts"
import { fieldsOf } from "../json-fields.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded } from "../wire.ts"
import type { Report } from "../request/checked-chain.ts"
import type { ImageRules } from "./rules.ts"
import { dataUrlOf } from "./data-url.ts"
import type { MediaHole } from "../request/media-hole.ts"

/** The type is null for an image that the provider fetches, and so is the size. */
export interface SeenImage {
  readonly mediaType: string | null
  readonly encodedBytes: number | null
}

/** What later images can still break. */
export interface ImageState {
  /** Images of the request so far. */
  images: number
  /** Images of the message that is read. */
  messageImages: number
}

export const startImages = (): ImageState => ({ images: 0, messageImages: 0 })

/** The image where base64 belongs, of the type that stands beside it; null if there is none. */
export function seenBase64(data: unknown, mediaType: string, block: Block): SeenImage | null {
  if (typeof data === "string") return isBase64(data) ? { mediaType, encodedBytes: data.length } : null
  const hole = holeAt(data, block)
  if (hole === null || hole.before !== "" || hole.media.mediaType !== mediaType) return null
  return { mediaType, encodedBytes: encodedBytes(hole.media.bytes) }
}

/** The image where a URL belongs; null if there is none. */
export function seenUrl(url: unknown, block: Block): SeenImage | null {
  if (typeof url === "string") {
    if (/^https?:\/\//.test(url)) return fetchedImage
    const parts = dataUrlOf(url)
    return parts === null ? null : seenBase64(parts.data, parts.mediaType, block)
  }
  const hole = holeAt(url, block)
  if (hole === null || dataUrlOf(hole.before)?.mediaType !== hole.media.mediaType) return null
  return { mediaType: hole.media.mediaType, encodedBytes: encodedBytes(hole.media.bytes) }
}

export const fetchedImage: SeenImage = { mediaType: null, encodedBytes: null }

export function checkImage(
  state: ImageState,
  seen: SeenImage | null,
  rules: ImageRules,
  at: number,
  report: Report,
): void {
  if (seen === null) return report("block-shape", at, "an image without its content")
  const { mediaType, encodedBytes: size } = seen
  if (mediaType !== null && !rules.types.includes(mediaType)) {
    report("media-type", at, `an image of the type ${mediaType}`)
  }
  if (size !== null && size > rules.encodedBytesMax) {
    report("media-size", at, `an image of more than ${rules.encodedBytesMax} bytes`)
  }
  state.images += 1
  state.messageImages += 1
  // Each limit is reported once, where it is passed.
  if (state.images - 1 === rules.perRequestMax) {
    report("media-count", at, `more than ${rules.perRequestMax} images in a request`)
  }
  if (state.messageImages - 1 === rules.perMessageMax) {
    report("media-count", at, `more than ${rules.perMessageMax} images in a message`)
  }
}

/** What holds for the request as a whole. */
export function checkImages(
  state: ImageState,
  encoded: Encoded,
  target: Target,
  rules: ImageRules,
  report: Report,
): void {
  const end = Math.max(0, encoded.blocks.length - 1)
  if (state.images > 0 && target.options.traits.withoutImages === true) {
    report("media-unread", end, "the model reads no images")
  }
  const bytes = (chainOf(encoded.blocks)?.bytes ?? 0) + Buffer.byteLength(encoded.params)
  if (rules.bodyBytesMax !== null && bytes > rules.bodyBytesMax) {
    report("request-size", end, `the request has more than ${rules.bodyBytesMax} bytes`)
  }
}

/** The hole of the block that a value stands for. */
function holeAt(value: unknown, block: Block): MediaHole | null {
  const { $media, $before } = fieldsOf(value)
  return block.holes?.find(({ media, before }) => media.hash === $media && before === $before) ?? null
}

const isBase64 = (text: string): boolean =>
  text !== "" && text.length % 4 === 0 && !/[^A-Za-z0-9+/=]/.test(text)
