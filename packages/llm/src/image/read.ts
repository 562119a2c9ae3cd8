/**
 * Images of a body that somebody else wrote, for replays of recorded traffic: base64 back to media
 * whose bytes are kept beside the request that is read.
 */
import { hash } from "node:crypto"
import { imageTypes, type ImageType, type Media } from "@holdfast/schema/media"
import { dataUrlOf } from "./data-url.ts"
import { imageSize } from "./size.ts"

export class ReadImages {
  readonly #bytes = new Map<string, Uint8Array>()

  /** The bytes of the images by their hash. */
  get bytes(): ReadonlyMap<string, Uint8Array> {
    return this.#bytes
  }

  /** Null if it is no image that a Session can hold. One that cannot be measured counts as a point. */
  base64(data: unknown, mediaType: unknown): Media | null {
    if (typeof data !== "string" || !isImageType(mediaType)) return null
    const bytes = Buffer.from(data, "base64")
    // Base64 in another spelling would come back as other bytes.
    if (bytes.length === 0 || bytes.toString("base64") !== data) return null
    const digest = hash("sha256", bytes)
    this.#bytes.set(digest, bytes)
    const { width, height } = imageSize(bytes) ?? { width: 1, height: 1 }
    return { hash: digest, mediaType, bytes: bytes.length, width, height, name: null }
  }

  /** The same for a data URL; an address of somewhere else is none. */
  url(url: unknown): Media | null {
    const parts = typeof url === "string" ? dataUrlOf(url) : null
    return parts === null ? null : this.base64(parts.data, parts.mediaType)
  }
}

const isImageType = (type: unknown): type is ImageType => imageTypes.includes(type as ImageType)
