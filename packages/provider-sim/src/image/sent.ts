/**
 * Sent image: an image as a request holds it, whatever the wire calls its parts.
 *
 * Each wire finds its images and says where they stand; from there on they are judged, counted and
 * shown in one form. Base64 is taken in its plain form only, with padding (assumed for all wires).
 */
import { wordOf } from "../json.ts"
import { createHash } from "node:crypto"
import { readImageHeader } from "./header.ts"
import type { ImageHeader } from "./header.ts"
import type { ImagePlace, ViewImage } from "../model.ts"
import { bytesPerToken } from "../tokens.ts"

export type ImageContent =
  /** `hash` is the SHA-256 of the bytes. */
  | ({ readonly kind: "image"; readonly hash: string; readonly bytes: number } & ImageHeader)
  | { readonly kind: "not-base64" | "not-image" }
  /** The image is elsewhere, and nobody goes to look. */
  | { readonly kind: "address"; readonly address: string }

export interface SentImage {
  /** Where it stands in the request, in the words of the wire. */
  readonly path: string
  readonly place: ImagePlace
  /** The media type that the request names. */
  readonly declared: string
  /** Characters of base64. */
  readonly encodedBytes: number
  readonly content: ImageContent
}

/** What is decoded once for each part of a request. */
const decoded = new WeakMap<object, ImageContent>()

/** The content of base64 data; `holder` is the part of the request that holds it. */
export function readImage(holder: object, data: string): ImageContent {
  const known = decoded.get(holder)
  if (known !== undefined) return known
  const content = decode(data)
  decoded.set(holder, content)
  return content
}

export function addressOf(address: unknown): ImageContent {
  return { kind: "address", address: wordOf(address) }
}

/** The image as a model sees it; one that is elsewhere has no size. */
export function viewImage({ content, declared, place }: SentImage): ViewImage {
  if (content.kind !== "image") return { mediaType: declared, hash: "", bytes: 0, width: 0, height: 0, place }
  const { mediaType, hash, bytes, width, height } = content
  return { mediaType, hash, bytes, width, height, place }
}

/** The image as so many tokens of text that no other image has, for a cache that compares text. */
export function imageWords(content: ImageContent, tokens: number): string {
  const mark = content.kind === "image" ? content.hash : digest(JSON.stringify(content))
  const chars = tokens * bytesPerToken
  return mark.repeat(Math.ceil(chars / mark.length)).slice(0, chars)
}

function decode(data: string): ImageContent {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) return { kind: "not-base64" }
  const bytes = Buffer.from(data, "base64")
  const header = readImageHeader(bytes)
  if (header === undefined) return { kind: "not-image" }
  return { kind: "image", hash: digest(bytes), bytes: bytes.length, ...header }
}

function digest(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex")
}
