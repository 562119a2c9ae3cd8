/**
 * Images: data inside a part, in what the user says or inside a function response.
 *
 * What the data are counts, not what the part calls them (assumed). Other media pass unseen, and
 * so do the two types of image that have no reader here.
 */
import { wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { ImagePlace, SimModel } from "../model.ts"
import { addressOf, imageWords, readImage } from "../image/sent.ts"
import type { ImageContent, SentImage } from "../image/sent.ts"
import type { Verdict } from "../sim-wire.ts"
import type { GeminiBody, GeminiPart } from "./body.ts"
import { invalid, invalidField } from "./error.ts"
import { facts } from "./facts.ts"

/** The images of a part: its own, or those of its response. */
export function imagesOfPart(part: GeminiPart, path = ""): readonly SentImage[] {
  const own = imageOf(part, "prompt", path)
  if (own !== undefined) return [own]
  return (part.functionResponse?.parts ?? []).flatMap(
    (inner, index) => imageOf(inner, "result", `${path}.function_response.parts[${index}]`) ?? [],
  )
}

/** The part as the cache compares it: without its images, and with the words they cost. */
export function wordsOfPart(part: GeminiPart): string {
  const images = imagesOfPart(part).map(({ content }) => imageWords(content, imageTokens(content)))
  if (images.length === 0) return JSON.stringify(part)
  const { functionResponse: response, ...rest } = part
  const { parts: _, ...said } = response ?? { name: "", response: {} }
  const shown = response === undefined ? [] : [JSON.stringify({ ...rest, functionResponse: said })]
  return [...shown, ...images].join(" ")
}

export function imageTokensOf(body: GeminiBody): number {
  return imagesOf(body).reduce((sum, { content }) => sum + imageTokens(content), 0)
}

/** The type and the bytes of the data, whatever they are. */
export function checkInlineData(path: string, value: unknown): Verdict {
  const data = value as JsonObject
  const type = wordOf(data["mimeType"] ?? "")
  const isKnown = type.startsWith("image/") ? facts.imageTypes.includes(type) : facts.otherMedia.test(type)
  if (!isKnown) return invalid(facts.mimeUnknown(type))
  return checkBytes(`${path}.data`, data)
}

export function checkImages(body: GeminiBody, name: string, model: SimModel): Verdict {
  const images = imagesOf(body)
  if (images.length === 0) return undefined
  if (model.images === false) return invalid(facts.imagesUnsupported(name))
  if (images.some(({ place }) => place === "result") && facts.resultPartsless.test(name)) {
    return invalid(facts.resultPartsUnsupported)
  }
  const isBroken = ({ content, declared }: SentImage) =>
    content.kind === "not-image" && !facts.imageTypesUnread.includes(declared)
  return images.some(isBroken) ? invalid(facts.imageBroken) : undefined
}

function imagesOf(body: GeminiBody): readonly SentImage[] {
  return body.contents.flatMap((content, index) =>
    content.parts.flatMap((part, at) => imagesOfPart(part, `contents[${index}].parts[${at}]`)),
  )
}

function imageOf(part: GeminiPart, place: ImagePlace, path: string): SentImage | undefined {
  const { inlineData: data, fileData: file } = part
  if (file !== undefined) {
    const declared = wordOf(file["mimeType"] ?? "")
    return { path, place, declared, encodedBytes: 0, content: addressOf(file["fileUri"]) }
  }
  if (data === undefined || !wordOf(data["mimeType"]).startsWith("image/")) return undefined
  const encoded = wordOf(data["data"] ?? "")
  return {
    path,
    place,
    declared: wordOf(data["mimeType"]),
    encodedBytes: encoded.length,
    content: readImage(data, encoded),
  }
}

/** recorded: bytes are base64. */
function checkBytes(path: string, data: JsonObject): Verdict {
  const value = data["data"] ?? ""
  if (typeof value === "string" && readImage(data, value).kind !== "not-base64") return undefined
  const got = `Base64 decoding failed for ${JSON.stringify(value).slice(0, 200)}`
  return invalidField(facts.wrongType(path, "TYPE_BYTES", got), path)
}

/** documented: a small image is one tile, a larger one is cut by its shorter side. */
function imageTokens(content: ImageContent): number {
  const { perTile, smallSide, sideMin, sideMax, cuts } = facts.imageTiles
  if (content.kind !== "image") return perTile
  const { width, height } = content
  if (width <= smallSide && height <= smallSide) return perTile
  const side = Math.min(sideMax, Math.max(sideMin, Math.floor(Math.min(width, height) / cuts)))
  return perTile * Math.ceil(width / side) * Math.ceil(height / side)
}
