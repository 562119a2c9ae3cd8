/**
 * Images of OpenAI: an address on the web, or base64 data in a URL, of one of the known types.
 *
 * What the data are counts, not what the URL calls them (assumed). The wires differ in their words
 * for an image that cannot be read and for a model that reads none.
 */
import type { ImagePlace, SimModel } from "../model.ts"
import { addressOf, readImage } from "../image/sent.ts"
import type { ImageContent, SentImage } from "../image/sent.ts"
import { firstRefusal } from "../shape.ts"
import type { Check } from "../shape.ts"
import type { Refusal, Verdict } from "../sim-wire.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"
import { wrongType } from "./shape.ts"

/** documented: how closely a model looks, and so what an image costs. */
export interface ImageField {
  readonly url: string
  readonly detail?: string | null
}

export interface ImageWords {
  unsupported(image: SentImage): Refusal
  readonly broken: Refusal
}

export const imageUrl: Check = (path, value) => {
  if (typeof value !== "string") return wrongType(path, "a string", value)
  if (/^https?:\/\/./.test(value)) return undefined
  const data = dataOf(value)
  if (data === undefined) return invalid(facts.imageUrl(path), path, "invalid_value")
  if (data.encoded === "") return invalid(facts.imageEmpty(path), path, "invalid_value")
  return facts.imageTypes.includes(data.mediaType)
    ? undefined
    : invalid(facts.imageFormat, null, "invalid_image_format")
}

/** An image; `holder` is the part of the request that holds its URL. */
export function imageOf(
  holder: object,
  field: ImageField,
  place: ImagePlace,
  path: string,
): SentImage & { readonly tokens: number } {
  const data = dataOf(field.url)
  const content = data === undefined ? addressOf(field.url) : readImage(holder, data.encoded)
  const [declared, encodedBytes] = [data?.mediaType ?? "", data?.encoded.length ?? 0]
  return { path, place, declared, encodedBytes, content, tokens: imageTokens(content, field.detail) }
}

export function checkImages(images: readonly SentImage[], model: SimModel, words: ImageWords): Verdict {
  const max = facts.imagesMax
  return firstRefusal(images, (image, index) => {
    if (model.images === false) return words.unsupported(image)
    if (index >= max) return invalid(facts.imagesTooMany(max))
    if (image.content.kind === "not-base64") return invalid(facts.imageNotBase64, null, "invalid_base64")
    return image.content.kind === "not-image" ? words.broken : undefined
  })
}

/** documented: a base and tiles, after the image was made to fit a square and then its short side. */
function imageTokens(content: ImageContent, detail: string | null | undefined): number {
  const { base, perTile, tileSide, squareSide, shortSide } = facts.imageTiles
  if (detail === "low") return base
  if (content.kind !== "image") return base + perTile * 4
  const fit = Math.min(1, squareSide / Math.max(content.width, content.height))
  const shorten = Math.min(1, shortSide / (Math.min(content.width, content.height) * fit))
  const tiles = (side: number) => Math.ceil((side * fit * shorten) / tileSide)
  return base + perTile * tiles(content.width) * tiles(content.height)
}

function dataOf(url: string): { readonly mediaType: string; readonly encoded: string } | undefined {
  const head = /^data:([^;,]+);base64,/.exec(url)
  return head === null ? undefined : { mediaType: head[1] ?? "", encoded: url.slice(head[0].length) }
}
