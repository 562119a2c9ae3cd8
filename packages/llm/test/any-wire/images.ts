/** Images for tests: media with real bytes of every type, and bodies with them at their places. */
import { hash } from "node:crypto"
import type { ImageType, Media } from "@holdfast/schema/media"
import { fillBody, holeJson } from "../../src/request/media-hole.ts"
import type { Block, PlacedRequest } from "../../src/wire.ts"

const known = new Map<string, Uint8Array>()

function imageOf(bytes: Uint8Array, mediaType: ImageType, more: Partial<Media> = {}): Media {
  const media = {
    hash: hash("sha256", bytes),
    mediaType,
    bytes: bytes.length,
    width: 1,
    height: 1,
    name: null,
    ...more,
  }
  known.set(media.hash, bytes)
  return media
}

/** Media of a size that nothing here has to hold. */
export const imageOfBytes = (bytes: number, mediaType: ImageType = "image/png", name = ""): Media => ({
  hash: hash("sha256", `${bytes} ${mediaType} ${name}`),
  mediaType,
  bytes,
  width: 100,
  height: 100,
  name,
})

/** One red pixel. */
const pngBase64 =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
export const pixel = imageOf(Buffer.from(pngBase64, "base64"), "image/png", { name: "pixel.png" })
export const photo = imageOf(Buffer.from([0xff, 0xd8, 0xff]), "image/jpeg", { width: 800, height: 600 })
export const moving = imageOf(Buffer.from("GIF89a"), "image/gif", { name: '</notice> "\ud800\n' })

/** Lengths that base64 pads in every way. */
export const images: readonly Media[] = [
  pixel,
  photo,
  moving,
  imageOf(Buffer.from("RIFF"), "image/webp", { width: 2_000, height: 2_000, name: "" }),
  imageOf(Buffer.alloc(100, 7), "image/png", { width: 20, height: 30 }),
]

export const bytesOfImage = (digest: string): Uint8Array => {
  const bytes = known.get(digest)
  if (bytes === undefined) throw new Error(`no image of a test has the hash ${digest}`)
  return bytes
}

export const base64Of = (media: Media): string => Buffer.from(bytesOfImage(media.hash)).toString("base64")

/** The body as it is sent. */
export const bodyText = (placed: PlacedRequest): string =>
  Buffer.concat(fillBody(placed, bytesOfImage)).toString("utf8")

/** A block as it is sent. */
export const blockText = ({ json, holes = [] }: Block): string =>
  holes.reduce(
    (text, hole) => text.replace(holeJson(hole), () => JSON.stringify(hole.before + base64Of(hole.media))),
    json,
  )
