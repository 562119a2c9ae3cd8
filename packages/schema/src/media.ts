/**
 * Media: images that stand in a Session, once they are normalised (LL7).
 *
 * The bytes are a blob, stored once by their hash; records name it. A handle is how people and
 * models name an image: the beginning of its hash.
 */
import { Schema } from "effect"

/** What may be given. A GIF is stored as PNG, since Gemini takes none. */
export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const
export const ImageType = Schema.Literals(imageTypes)
export type ImageType = typeof ImageType.Type

/** Pixels of the longest side. */
export const imageSideMax = 2_000
/** Bytes of an image as base64, which is how it travels. */
export const imageEncodedBytesMax = 5 * 1_048_576
/** Bytes of an image as it is given, before it is made smaller. */
export const imageGivenBytesMax = 20 * 1_048_576
/** Images that one prompt or one tool result brings. */
export const imagesTogetherMax = 20

export const sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Media = Schema.Struct({
  /** Lower-case hexadecimal SHA-256 of the stored bytes. */
  hash: sha256,
  mediaType: ImageType,
  bytes: count,
  width: count,
  height: count,
  /** What the giver called it; null if nothing. */
  name: Schema.NullOr(Schema.String),
  /** SHA-256 of the bytes as a prompt brought them, where others are stored. */
  given: Schema.optionalKey(sha256),
})
export type Media = typeof Media.Type

const handleChars = 12

export const handleOf = ({ hash }: Pick<Media, "hash">): string => `media:${hash.slice(0, handleChars)}`

/** The beginning of a hash that a handle names, or null if it is none. */
export function hashStartOf(handle: string): string | null {
  return /^media:([0-9a-f]{12,64})$/.exec(handle)?.[1] ?? null
}

/** How many bytes of base64 the stored bytes make. */
export const encodedBytes = (bytes: number): number => Math.ceil(bytes / 3) * 4
