/**
 * Images in a request, checked against what its wire takes (LL3, LL7).
 *
 * An image is a hole of its block, whose size is known without its bytes. Counts are part of the
 * linter's state, so each image is looked at once.
 */
import { encodedBytes } from "@holdfast/schema/media"
import { chainOf } from "../blocks.ts"
import { fieldsOf } from "../json-fields.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded } from "../wire.ts"
import type { ImageRules } from "./rules.ts"
import { dataUrlOf } from "./data-url.ts"
import type { MediaHole } from "../request/media-hole.ts"

export interface SeenImage {
  readonly mediaType: string
  readonly encodedBytes: number
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
  const hole = holeAt(data, block)
  return hole?.before === "" && hole.media.mediaType === mediaType ? seenIn(hole) : null
}

/** The image where a data URL belongs; null if there is none. */
export function seenUrl(url: unknown, block: Block): SeenImage | null {
  const hole = holeAt(url, block)
  return hole !== null && dataUrlOf(hole.before)?.mediaType === hole.media.mediaType ? seenIn(hole) : null
}

const seenIn = ({ media }: MediaHole): SeenImage => ({
  mediaType: media.mediaType,
  encodedBytes: encodedBytes(media.bytes),
})

type Tell = (rule: string, message: string) => void

export function checkImage(state: ImageState, seen: SeenImage | null, rules: ImageRules, tell: Tell): void {
  if (seen === null) return tell("block-shape", "an image without its content")
  if (!rules.types.includes(seen.mediaType)) tell("media-type", `an image of the type ${seen.mediaType}`)
  if (seen.encodedBytes > rules.encodedBytesMax)
    tell("media-size", `an image of more than ${rules.encodedBytesMax} bytes`)
  state.images += 1
  state.messageImages += 1
  // Each limit is told once, where it is passed.
  if (state.images - 1 === rules.perRequestMax)
    tell("media-count", `more than ${rules.perRequestMax} images in a request`)
  if (state.messageImages - 1 === rules.perMessageMax)
    tell("media-count", `more than ${rules.perMessageMax} images in a message`)
}

/** What holds for the request as a whole. */
export function checkImages(
  state: ImageState,
  encoded: Encoded,
  { options }: Target,
  rules: ImageRules,
  tell: Tell,
): void {
  if (state.images > 0 && options.traits.withoutImages === true)
    tell("media-unread", "the model reads no images")
  const bytes = (chainOf(encoded.blocks)?.bytes ?? 0) + Buffer.byteLength(encoded.params)
  if (rules.bodyBytesMax !== null && bytes > rules.bodyBytesMax)
    tell("request-size", `the request has more than ${rules.bodyBytesMax} bytes`)
}

/** The hole of the block that a value stands for. */
function holeAt(value: unknown, block: Block): MediaHole | null {
  const { $media, $before } = fieldsOf(value)
  return block.holes?.find(({ media, before }) => media.hash === $media && before === $before) ?? null
}
