/**
 * Images: in what the user says and inside tool results, for the families of models that take them.
 *
 * Bedrock itself looks at fields and counts; what an image is judges the model behind it, in its
 * own words. A name of no known family is taken for one of Anthropic's.
 */
import type { JsonObject } from "../json.ts"
import { isObject, wordOf } from "../json.ts"
import type { ImagePlace, SimModel } from "../model.ts"
import { addressOf, imageWords, readImage } from "../image/sent.ts"
import type { SentImage } from "../image/sent.ts"
import { imageTokens } from "../anthropic-messages/images.ts"
import { firstRefusal } from "../shape.ts"
import type { Verdict } from "../sim-wire.ts"
import type { ConverseBlock, ConverseBody, ConverseMessage } from "./body.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

export function imageOf(image: JsonObject, place: ImagePlace, path = ""): SentImage {
  const source = isObject(image["source"]) ? image["source"] : {}
  const declared = `image/${wordOf(image["format"])}`
  const data = source["bytes"]
  if (typeof data !== "string") {
    return { path, place, declared, encodedBytes: 0, content: addressOf(JSON.stringify(source)) }
  }
  return { path, place, declared, encodedBytes: data.length, content: readImage(source, data) }
}

/** The image as so many words as it costs the model. */
export function spellImage(image: JsonObject, name: string): string {
  const { content } = imageOf(image, "prompt")
  const tokens = imageTokens(content)
  const factor = facts.novaModels.test(name) ? facts.novaFactor : 1
  return imageWords(content, Math.ceil(tokens * factor))
}

export function imagesOf({ content }: ConverseMessage, path = ""): readonly SentImage[] {
  return content.flatMap((block, index) => imagesOfBlock(block, `${path}.content.${index}`))
}

export function checkImages(body: ConverseBody, name: string, model: SimModel): Verdict {
  return firstRefusal(body.messages, (message, index) =>
    checkMessage(message, `messages.${index}`, name, model),
  )
}

function checkMessage(message: ConverseMessage, path: string, name: string, model: SimModel): Verdict {
  const images = imagesOf(message, path)
  if (images.length === 0) return undefined
  if (model.images === false || facts.imagelessModels.test(name)) return invalid(facts.imagesUnsupported)
  // documented: images are for the user alone. The wording is assumed.
  if (message.role !== "user") return invalid(facts.imageRole)
  if (images.some(({ place }) => place === "result") && facts.resultImagelessModels.test(name)) {
    return invalid(facts.resultImageUnsupported)
  }
  const max = facts.imagesMax
  if (images.length > max) return invalid(facts.imagesTooMany(path, images.length, max))
  return firstRefusal(images, (image) => checkImage(image, name))
}

function checkImage({ path, declared, content }: SentImage, name: string): Verdict {
  switch (content.kind) {
    case "address":
      return undefined
    case "not-base64":
      return invalid(facts.imageNotBase64)
    case "not-image":
      return invalid(facts.imageBroken)
    case "image": {
      const { mediaType, bytes, width, height } = content
      if (bytes > facts.imageBytesMax) return invalid(facts.imageTooLarge(path, bytes))
      if (Math.max(width, height) > facts.imageSideMax) return invalid(facts.imageSides(path))
      if (mediaType === declared) return undefined
      return invalid(
        facts.otherFamilies.test(name)
          ? facts.formatMismatch
          : facts.imageMismatch(path, declared, mediaType),
      )
    }
  }
}

function imagesOfBlock(block: ConverseBlock, path: string): readonly SentImage[] {
  if (block.image !== undefined) return [imageOf(block.image, "prompt", `${path}.image`)]
  return (block.toolResult?.content ?? []).flatMap(({ image }, index) =>
    image === undefined ? [] : [imageOf(image, "result", `${path}.tool_result.content.${index}.image`)],
  )
}
